"""Which sources of real pictures may be learned from."""

DEVELOP = (
    "AdamskiR",
    "Dandoko",
    "juliemaurin",
    "michal93cz",
    "moribots",
    "Ragui",
    "Sabshine",
    "SI3P",
    "WolfgangFahl",
)
"""Every second source in alphabetical order; the others are kept for measuring."""
