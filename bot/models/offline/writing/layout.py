"""Quotations as Markdown: sentences run on, lists and code keep their form, everything is cited (pure)."""

from bot.models.offline.writing.statements import Statement
from graph import patterns

_END = patterns.compile(r"[.!?:]$")
_MARKS = " *_:`"


def laid_out(members: list[Statement], *, name: str) -> str:
    """Return quotations of one passage as Markdown, below the document's `name` if there is one to say.

    All of them stand below one heading, so it is said at the beginning, and again above code that nothing introduces,
    because code is cited there. Code without a heading stands below the document's title.
    """
    runs = _runs(members)
    heading = next((run[0].heading for run in runs if run[0].heading), "")
    blocks: list[str] = []
    for place, run in enumerate(runs):
        first = run[0]
        is_code = first.kind == "code"
        if blocks:
            names = ["", first.heading if is_code else ""]
        else:
            names = [name, heading or (first.passage["title"] if is_code else "")]
        label = _label(names, number=first.number if is_code else None)
        block = _with_label(label, run, is_list=_is_list(run, members))
        if blocks and _goes_on(runs[place - 1], run):
            blocks[-1] += f"\n{block}"
        else:
            blocks.append(block)
    return "\n\n".join(blocks)


def cited(statement: Statement) -> str:
    """Return a statement with the number of its passage; a question claims nothing."""
    text = statement.text.strip()
    if statement.standing != "answer":
        bold = f"**{text.strip(_MARKS)}**"
        return bold if statement.standing == "question" else f"{bold} [{statement.number}]"
    return with_number(text, statement.number)


def with_number(text: str, number: int) -> str:
    """Return a text with the number of its passage, before the sign that ends it."""
    return f"{text[:-1]} [{number}]{text[-1]}" if _END.search(text) else f"{text} [{number}]"


def _runs(statements: list[Statement]) -> list[list[Statement]]:
    """Return each question with its answer, each list, table and block of code, and the sentences in between."""
    runs: list[list[Statement]] = []
    for one in statements:
        if runs and _is_same_run(runs[-1][-1], one):
            runs[-1].append(one)
        else:
            runs.append([one])
    return runs


def _is_same_run(before: Statement, one: Statement) -> bool:
    begins = one.standing == "question" or one.kind == "code"
    return not begins and (before.kind, before.group) == (one.kind, one.group)


def _label(names: list[str], *, number: int | None) -> str:
    above, own = (name.strip(_MARKS) for name in names)
    said = above if above.endswith(own) else f"{above} – {own}".removeprefix(" – ")
    cite = f" [{number}]" if number is not None else ""
    return f"**{said}{'' if cite or said.endswith('?') else ':'}**{cite}{':' if cite else ''}" if said else ""


def _is_list(run: list[Statement], members: list[Statement]) -> bool:
    """Tell whether a run is one of several items or rows, or below what introduces it."""
    own = [one for one in members if one.kind == run[0].kind and one.listing == run[0].listing]
    return len(own) > 1 or run[0].needs >= 0


def _with_label(label: str, run: list[Statement], *, is_list: bool) -> str:
    match run[0].kind:
        case "code":
            return "\n".join(filter(None, [label, run[0].text]))
        case "sentence":
            return " ".join(filter(None, [label, *(_ended(cited(one)) for one in run[:-1]), cited(run[-1])]))
        case "item" | "row":
            if not is_list:
                return " ".join(filter(None, [label, cited(run[0])]))
            marks = _marks(run)
            return "\n".join(
                filter(None, [label, *(f"{mark} {cited(one)}" for mark, one in zip(marks, run, strict=True))])
            )


def _marks(run: list[Statement]) -> list[str]:
    """Return the marks of items: their numbers, if none is left out between them. A list counts on by itself."""
    first = run[0].step
    is_counted = first > 0 and all(one.step == first + place for place, one in enumerate(run))
    return [f"{one.step}." if is_counted else "-" for one in run]


def _ended(sentence: str) -> str:
    """Return a sentence that another one follows with the full stop that it may lack."""
    return sentence if sentence[-1] in ".!?:;*" else f"{sentence}."


def _goes_on(before: list[Statement], run: list[Statement]) -> bool:
    """Tell whether a list or code stands right below what introduces it, or within a list, or a list goes on."""
    above, first = before[-1], run[0]
    return (first.kind != "sentence" and first.needs == above.place) or first.holds(above)
