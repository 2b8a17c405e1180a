"""Collects every text a page can show: `python -m webapp.catalogue` writes translations/messages.pot anew."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import write_po

from scorer.piles import WORDINGS

FOLDER = Path(__file__).parent
TEMPLATE = FOLDER / "translations" / "messages.pot"
_METHODS = [("templates/**.html", "jinja2"), ("**.py", "python")]
_STORE = FOLDER.parent / "scorer" / "store"


def catalogue() -> Catalog:
    """Return all texts: of the pages, of the rules' sentences and of what the store refuses."""
    found = Catalog(project="nerts-companion", charset="utf-8", creation_date=None)
    for file, _line, message, comments, context in extract_from_dir(FOLDER, _METHODS):
        found.add(message, locations=[(f"webapp/{file}", 1)], auto_comments=comments, context=context)
    for wordings in WORDINGS.values():
        for wording in wordings:
            found.add(wording, locations=[("scorer/piles", 1)])
    for path in sorted(_STORE.glob("*.py")):
        for text in _refusals(ast.parse(path.read_text(encoding="utf-8"))):
            found.add(text, locations=[(f"scorer/store/{path.name}", 1)])
    return found


def _refusals(module: ast.Module) -> Iterator[str]:
    """Yield the sentences of errors: written where they are raised, or as a constant of the module."""
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id.endswith("Error"):
            yield from _texts(node.args)
        elif isinstance(node, ast.Return) and node.value is not None:
            yield from _texts([node.value])
    for statement in module.body:
        if isinstance(statement, ast.Assign):
            yield from _texts([statement.value])


def _texts(nodes: list[ast.expr]) -> Iterator[str]:
    for node in nodes:
        # A sentence has blanks and an end; names, patterns and pragmas have not.
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.endswith("."):
            yield node.value


def main() -> None:
    """Write the template of all translations."""
    TEMPLATE.parent.mkdir(exist_ok=True)
    with TEMPLATE.open("wb") as stream:
        write_po(stream, catalogue(), sort_output=True, include_lineno=False, width=110)


if __name__ == "__main__":
    main()
