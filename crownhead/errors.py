"""The one table from kinds of error to exit codes and HTTP statuses."""

from crownhead.calibration.errors import CalibrationError
from crownhead.hardware.errors import HardwareError
from crownhead.rules.errors import RulesError
from crownhead.vision.errors import SourceError, VisionError


class CrownheadError(Exception):
    """Bad input to the application itself: a file, a setting, a stored game."""


class DeviceError(CrownheadError):
    """A camera, a stream, a port or the disk failed while it was in use."""


class AnswerIsNo(CrownheadError):
    """What was asked is not so: the board does not show what it should."""


EXIT_DONE = 0
EXIT_NO = 1
EXIT_USAGE = 2
EXIT_DEVICE = 3

TABLE: tuple[tuple[type[Exception], int, int], ...] = (
    (DeviceError, EXIT_DEVICE, 503),
    (AnswerIsNo, EXIT_NO, 409),
    (HardwareError, EXIT_DEVICE, 503),
    (SourceError, EXIT_DEVICE, 503),
    (RulesError, EXIT_USAGE, 400),
    (VisionError, EXIT_USAGE, 400),
    (CalibrationError, EXIT_USAGE, 400),
    (CrownheadError, EXIT_USAGE, 400),
)
"""Exception type, exit code, HTTP status; the first row that fits counts."""


def exit_code(error: Exception) -> int | None:
    """Return the exit code of an error that a user can cause, None for our own faults."""
    return next((code for kind, code, _ in TABLE if isinstance(error, kind)), None)


def http_status(error: Exception) -> int | None:
    """Return the HTTP status of an error that a user can cause, None for our own faults."""
    return next((status for kind, _, status in TABLE if isinstance(error, kind)), None)
