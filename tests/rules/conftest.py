"""Set-up of the tests of the rules."""

from hypothesis import HealthCheck, settings

# The machine that runs the tests may be busy: a slow example is no fault.
settings.register_profile(
    "rules", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=60
)
settings.load_profile("rules")
