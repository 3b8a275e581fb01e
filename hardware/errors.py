"""Errors of the hardware layer."""


class HardwareError(Exception):
    """A light controller, its port or its map cannot be used."""
