"""Errors of the vision layer."""


class VisionError(Exception):
    """A picture that cannot be used."""


class UnreadablePicture(VisionError):
    """A file that is not a picture that OpenCV can decode."""


class SourceError(Exception):
    """A source of frames that cannot be opened or that failed."""
