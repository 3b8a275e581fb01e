"""The examples in the documentation of the rules are run."""

import ast
import doctest
import re
from pathlib import Path

from crownhead.rules.clauses import CLAUSES, DOCUMENTS
from crownhead.rules.variant_file import variant_from_toml
from crownhead.rules.verdict import Rule

HERE = Path(__file__).parent
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


def clause_rows():
    """The clauses of the tables with the tests named beside each."""
    text = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([ABCE]\d\d) \| (.+) \| (.+) \|$", text, re.MULTILINE)
    return [(clause, re.findall(r"`(\w+)`", tests)) for clause, _, tests in rows]


def test_the_page_lists_every_clause_once_and_in_order():
    listed = [clause for clause, _ in clause_rows()]
    assert listed == [clause for clauses in DOCUMENTS.values() for clause in clauses]


def test_every_clause_has_a_test_of_its_name_and_no_test_is_left_out():
    tree = ast.parse((HERE / "test_clauses.py").read_text(encoding="utf-8"))
    functions = [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    assert len(set(functions)) == len(functions)
    there = {name for name in functions if re.match(r"test_[abce]\d\d_", name)}
    named = {clause: set(tests) for clause, tests in clause_rows()}
    for clause, tests in named.items():
        assert tests
        assert all(test.startswith(f"test_{clause.lower()}_") for test in tests)
    assert set().union(*named.values()) == there
