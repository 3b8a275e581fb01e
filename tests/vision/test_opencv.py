from types import ModuleType

import cv2
import pytest

from crownhead.vision.opencv import opencv_problem


@pytest.mark.parametrize(
    ("library", "package"),
    [("libGL.so.1", "libgl1"), ("libgthread-2.0.so.0", "libglib2.0-0")],
)
def test_a_missing_system_library_is_named_with_its_package(library, package):
    text = f"{library}: cannot open shared object file: No such file or directory"
    problem = opencv_problem(ImportError(text, name="cv2", path="cv2/cv2.abi3.so"))
    assert problem is not None
    assert library in problem
    assert f"apt install {package}" in problem
    assert "\n" not in problem


def test_a_library_that_we_have_not_met_is_named_all_the_same():
    text = "libQt9.so.9: cannot open shared object file: No such file or directory"
    problem = opencv_problem(ImportError(text, name="cv2"))
    assert problem is not None
    assert "libQt9.so.9" in problem


def test_an_opencv_that_is_not_installed_or_damaged_is_told_apart():
    missing = opencv_problem(ModuleNotFoundError("No module named 'cv2'", name="cv2"))
    damaged = opencv_problem(ImportError("cv2.abi3.so: file too short", name="cv2"))
    assert missing is not None
    assert "not installed" in missing
    assert damaged is not None
    assert "file too short" in damaged


def test_an_empty_namespace_is_recognised():
    # As it is imported from a folder that stays behind when one of two variants was removed.
    hollow = ModuleType("cv2")
    with pytest.raises(AttributeError) as caught:
        _ = hollow.imread
    problem = opencv_problem(caught.value)
    assert problem is not None
    assert "empty folder" in problem


def test_a_name_that_a_sound_opencv_lacks_is_our_own_fault():
    with pytest.raises(AttributeError) as caught:
        _ = cv2.no_such_function
    assert opencv_problem(caught.value) is None


def test_other_errors_are_not_explained():
    assert opencv_problem(ImportError("no", name="flask")) is None
    assert opencv_problem(AttributeError("no", name="x", obj=object())) is None
    assert opencv_problem(ValueError("no")) is None
