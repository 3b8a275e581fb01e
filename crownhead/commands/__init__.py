"""The sub-commands, a module for each group; `crownhead.cli` loads one when it is asked for."""
