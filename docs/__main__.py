"""`python -m docs`: rewrites the generated parts of the documents."""

from docs.generated import PARTS, ROOT, filled_in


def main() -> None:
    """Rewrite the documents that have changed, and print their names."""
    for file in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        text = file.read_text()
        renewed = filled_in(text, PARTS)
        if renewed != text:
            file.write_text(renewed)
            print(f"Updated: {file.relative_to(ROOT)}")  # noqa: T201 — it is what the command is for.


if __name__ == "__main__":
    main()
