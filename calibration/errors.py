"""Errors of the calibration layer."""


class CalibrationError(Exception):
    """A profile or a board description that cannot be used."""
