"""Crownhead, a companion for real draughts boards."""
