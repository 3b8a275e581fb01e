"""Explanations weighed against evidence that is written down."""

from __future__ import annotations

import numpy as np

from crownhead.vision.hypothesis import (
    ExplainParams,
    best_explanation,
    sure_reading,
    unexplained_squares,
)
from crownhead.vision.observation import BLACK, EMPTY, WHITE, Evidence

PARAMS = ExplainParams()
BEFORE = np.array([WHITE, EMPTY, EMPTY, BLACK], np.int8)
STEP = np.array([EMPTY, WHITE, EMPTY, BLACK], np.int8)
OTHER = np.array([EMPTY, EMPTY, WHITE, BLACK], np.int8)


def evidence(codes: np.ndarray, weight: float = 9.0, **doubts: tuple[float, float, float]):
    weights = np.full((len(codes), 3), -weight, np.float32)
    weights[np.arange(len(codes)), codes] = 0
    for name, row in doubts.items():
        weights[int(name[1:])] = row
    return Evidence(weights, np.zeros(len(codes), bool))


def listed(**codes: np.ndarray):
    return list(codes.items())


def test_the_position_that_fits_is_found():
    found = best_explanation(evidence(STEP), listed(stay=BEFORE, step=STEP, other=OTHER), PARAMS)
    assert found is not None
    assert found.key == "step"
    assert found.margin >= 9
    assert 0.9 < found.confidence <= 0.999


def test_nothing_is_chosen_where_one_square_speaks_against_everything():
    three = np.array([EMPTY, WHITE, WHITE, BLACK], np.int8)
    assert best_explanation(evidence(three), listed(stay=BEFORE, step=STEP), PARAMS) is None
    assert unexplained_squares(evidence(three), STEP, PARAMS) == (3,)


def test_nothing_is_chosen_between_two_that_fit_about_as_well():
    doubt = evidence(STEP, s1=(-0.5, 0.0, -9.0), s2=(0.0, -0.5, -9.0))
    assert best_explanation(doubt, listed(step=STEP, other=OTHER), PARAMS) is None


def test_two_names_for_the_same_contents_are_no_rivals():
    found = best_explanation(evidence(STEP), listed(one=STEP, two=STEP.copy()), PARAMS)
    assert found is not None
    assert found.key == "one"


def test_no_hypothesis_no_explanation():
    assert best_explanation(evidence(STEP), [], PARAMS) is None


def test_a_reading_without_rules_needs_each_changed_square_to_be_sure():
    assert np.array_equal(sure_reading(evidence(OTHER), BEFORE, PARAMS), OTHER)
    assert sure_reading(evidence(OTHER, s2=(-1.0, 0.0, -9.0)), BEFORE, PARAMS) is None
    # An unchanged square may be less than sure.
    assert sure_reading(evidence(BEFORE, s3=(-1.0, -9.0, 0.0)), BEFORE, PARAMS) is not None


def test_a_changed_square_that_looks_like_nothing_known_is_not_read():
    seen = evidence(OTHER)
    strange = np.array([False, False, True, False])
    assert sure_reading(Evidence(seen.log_likelihood.copy(), strange), BEFORE, PARAMS) is None
