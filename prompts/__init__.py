"""The prompts: one Markdown file for each node that asks a model, the loader, and the fence around data.

A line `---` divides a file into two parts. The first part describes the task. It never changes, so that a provider
can cache it as a prefix. The second part is the template for the input of one call.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from string import Template

_DIVIDER = re.compile(r"^---$", re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


class PromptError(Exception):
    """A prompt file or the values for it are wrong."""


@dataclass(frozen=True)
class Prompt:
    """A constant part, and a template for the input of one call."""

    name: str
    system: str
    template: Template

    @cached_property
    def placeholders(self) -> Collection[str]:
        """The names of the template's placeholders."""
        return self.template.get_identifiers()

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """The sentences of the constant part: instructions that an answer must not reveal.

        Examples are left out, because an answer may say the same as an example.
        """
        rules, _, _ = self.system.partition("# Examples")
        return tuple(sentence for sentence in _SENTENCE_END.split(rules) if sentence)

    def render(self, **values: str) -> str:
        """Fill the template. Raises `PromptError` if a value is missing or unknown."""
        if wrong := set(self.placeholders) ^ values.keys():
            raise PromptError(f"The prompt {self.name} takes {sorted(self.placeholders)}; wrong: {sorted(wrong)}.")
        return self.template.substitute(values)


@cache
def load(name: str) -> Prompt:
    """Read the prompt of the node `name`, once in a process. Raises `PromptError` if it is missing or malformed."""
    try:
        text = files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise PromptError(f"There is no prompt {name}.") from error
    return parse(name, text)


def parse(name: str, text: str) -> Prompt:
    """Split the text of a prompt file. Raises `PromptError` if it is not one constant part and one template."""
    parts = [part.strip() for part in _DIVIDER.split(text)]
    if len(parts) != 2:  # noqa: PLR2004 - the two parts of the module's first sentence
        raise PromptError(f"The prompt {name} must have exactly one line `---`.")
    system, template = parts[0], Template(parts[1])
    if Template(system).get_identifiers():
        raise PromptError(f"The constant part of the prompt {name} takes values.")
    if not template.is_valid():
        raise PromptError(f"The template of the prompt {name} has a stray `$`.")
    return Prompt(name, system, template)
