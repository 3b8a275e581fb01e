"""Measuring and rendering scripts; not part of the installed package."""
