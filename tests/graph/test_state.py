"""What nodes do with the state's keys."""

import ast
from pathlib import Path

import graph
from graph.passages import Source
from graph.state import Excerpt, Exchange, TurnState, Understanding

FILES = sorted(Path(graph.__file__).parent.rglob("*.py"))


def test_only_keys_that_need_not_be_there_are_left_out() -> None:
    """The type checker cannot tell, so it would not see a key that was renamed either."""
    optional = TurnState.__optional_keys__ | Understanding.__optional_keys__ | Exchange.__optional_keys__
    # An excerpt without its text is a source.
    may = optional | (Excerpt.__required_keys__ - Source.__required_keys__)
    calls = [node for file in FILES for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call)]
    left_out = {
        ast.literal_eval(key) for call in calls if ast.unparse(call.func) == "without_keys" for key in call.args[1:]
    }

    assert left_out
    assert set() == left_out - may
