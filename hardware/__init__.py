"""Lights under the squares: frames of light turned into bytes, and the serial port they go to."""
