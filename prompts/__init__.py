"""What we say to models: one Markdown file for each node that asks one, the loader, and the fence around data.

A file has two parts, divided by a line `---`. Above it stands what the model is told of its task: always the same
text, so that a provider can cache it as a prefix. Below it stands the template of what it is given this time.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from importlib.resources import files
from string import Template

_DIVIDER = re.compile(r"^---$", re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


class PromptError(Exception):
    """A prompt file or the values for it are wrong."""


@dataclass(frozen=True)
class Prompt:
    """A constant part, and a template for what changes from call to call."""

    name: str
    system: str
    template: Template

    @property
    def wanted(self) -> Collection[str]:
        """The names of the values that the template takes."""
        return self.template.get_identifiers()

    @property
    def sentences(self) -> list[str]:
        """What the constant part says, sentence by sentence: nothing of it is meant for people.

        Its examples are left out: an answer may well say the same.
        """
        rules, _, _ = self.system.partition("# Examples")
        return [sentence for sentence in _SENTENCE_END.split(rules) if sentence]

    def render(self, **values: str) -> str:
        """Fill the template; raise `PromptError` where a value is missing or unknown."""
        if wrong := set(self.wanted) ^ values.keys():
            raise PromptError(f"The prompt {self.name} takes {sorted(self.wanted)}; wrong: {sorted(wrong)}.")
        return self.template.substitute(values)


def load(name: str) -> Prompt:
    """Read the prompt of the node `name`; raise `PromptError` where there is none or it is not well formed."""
    try:
        text = files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise PromptError(f"There is no prompt {name}.") from error
    return parse(name, text)


def parse(name: str, text: str) -> Prompt:
    """Divide the text of a prompt file; raise `PromptError` where it is not one constant part and one template."""
    parts = [part.strip() for part in _DIVIDER.split(text)]
    if len(parts) != 2:  # noqa: PLR2004 - the two parts of the module's first sentence
        raise PromptError(f"The prompt {name} must have exactly one line `---`.")
    system, template = parts[0], Template(parts[1])
    if Template(system).get_identifiers():
        raise PromptError(f"The constant part of the prompt {name} takes values.")
    if not template.is_valid():
        raise PromptError(f"The template of the prompt {name} has a stray `$`.")
    return Prompt(name, system, template)
