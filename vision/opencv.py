"""Why OpenCV could not be loaded, in a sentence that says what to do."""

import re
from types import ModuleType

PACKAGES = {
    "libGL": "libgl1",
    "libglib": "libglib2.0-0",
    "libgthread": "libglib2.0-0",
}
"""Libraries that the wheels of opencv-python need from the system, and their Debian packages."""


def opencv_problem(error: BaseException) -> str | None:
    """Explain an error that importing or using a broken OpenCV raises; None for any other error."""
    if isinstance(error, ImportError) and error.name == "cv2":
        if isinstance(error, ModuleNotFoundError):
            return "OpenCV is not installed; install it with: pip install opencv-python"
        library = re.match(r"(lib[\w.+-]+\.so[\w.]*): cannot open shared object file", str(error))
        if library is None:
            return f"OpenCV cannot be loaded ({error}); install opencv-python again"
        package = next(
            (package for name, package in PACKAGES.items() if library[1].startswith(name)), None
        )
        cure = f"apt install {package}" if package else "the packages of your system have it"
        return f"OpenCV needs the system library {library[1]}, which is missing; install it: {cure}"
    module = getattr(error, "obj", None) if isinstance(error, AttributeError) else None
    if isinstance(module, ModuleType) and module.__name__ == "cv2" and _is_hollow(module):
        return (
            "OpenCV is installed as an empty folder, which happens when one of two variants is "
            "removed; mend it with: pip install --force-reinstall opencv-python"
        )
    return None


def _is_hollow(module: ModuleType) -> bool:
    return not hasattr(module, "VideoCapture")
