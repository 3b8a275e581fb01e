"""Measure all that the vision promises, and write it down."""
