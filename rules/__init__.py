"""Draughts rules: squares, positions, moves, variants, verdicts, FEN and PDN."""
