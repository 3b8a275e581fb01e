"""The examples in the documentation of the rules are run."""

import doctest
from pathlib import Path

from crownhead.rules.clauses import CLAUSES
from crownhead.rules.variant_file import variant_from_toml
from crownhead.rules.verdict import Rule

PAGE = Path(__file__).parents[2] / "docs" / "rules.md"


def test_the_examples_give_what_they_say():
    text = PAGE.read_text(encoding="utf-8")
    examples = doctest.DocTestParser().get_doctest(text, {}, "rules.md", str(PAGE), 0)
    assert examples.examples
    report: list[str] = []
    doctest.DocTestRunner().run(examples, out=report.append)
    assert not report, "".join(report)


def test_every_rule_is_on_the_page():
    text = PAGE.read_text(encoding="utf-8")
    assert [rule.value for rule in Rule if f"`{rule.value}`" not in text] == []


def test_every_preset_of_a_seed_is_on_the_page():
    text = PAGE.read_text(encoding="utf-8")
    assert [name for name in CLAUSES if f"| `{name}` |" not in text] == []


def test_the_example_of_a_variant_can_be_used():
    text = PAGE.read_text(encoding="utf-8")
    (_, example) = text.split("```toml\n")
    assert variant_from_toml(example.split("```")[0]).size == 8
