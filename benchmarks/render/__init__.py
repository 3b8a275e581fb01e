"""A seeded renderer of draughts boards, for training and for stressing the clip pipeline."""
