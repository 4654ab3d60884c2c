"""The pages of the documentation that are generated: the standard, the contracts, the engines, the sensitivity, the mutants."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from conformance.runfile.whole import write_whole

DOCS = Path("docs")  # where data and template are, for a page that is printed


def write_page(name: str, output: Path | None, *, runs: Sequence[Path], known: Path) -> None:
    """Write a page to `output`, or print it.

    Args:
        name: "standard", "contracts", "engines", "sensitivity" or "mutants".
        output: the file; its folder also holds the data and the template of the page.
        runs: run files from which the data of the engines, or of the mutants, is renewed first.
        known: the known-failures file, which the page of the engines lists.

    Raises:
        UsageError: if a file that the page is made from is missing or damaged.
    """
    text = page_text(name, output, runs=runs, known=known)
    if output is None:
        print(text, end="")
        return
    output.parent.mkdir(parents=True, exist_ok=True)
    write_whole(output, text)


def page_text(name: str, output: Path | None, *, runs: Sequence[Path], known: Path) -> str:
    """The text of a page, as it would be written to `output`; arguments and errors as of `write_page`."""
    from conformance.errors import UsageError

    folder = output.parent if output else DOCS
    if runs and name not in ("engines", "mutants"):
        raise UsageError(f"--runs renews the data of the pages 'engines' and 'mutants', not of {name!r}")
    if name == "standard":
        return _standard(output)
    if name == "contracts":
        return _contracts()
    if name == "engines":
        return _engines(folder, runs, known)
    return _mutants(folder, runs) if name == "mutants" else _sensitivity(folder)


def _standard(output: Path | None) -> str:
    from conformance.cli.pages.standard import as_html, as_markdown, blocks

    is_html = output is not None and output.suffix in (".html", ".htm")
    return (as_html if is_html else as_markdown)(blocks())


def _contracts() -> str:
    from conformance.cli.pages.contracts import page
    from conformance.selfcheck.contract_coverage import asked_with

    return page(asked_with())


def _engines(folder: Path, runs: Sequence[Path], known: Path) -> str:
    from conformance.cli.pages.engines import DATA, engines_page
    from conformance.cli.pages.engines_data import record_runs

    if runs:
        record_runs(folder / DATA, runs)
    return engines_page(folder, known)


def _mutants(folder: Path, runs: Sequence[Path]) -> str:
    from conformance.cli.pages.mutants import DATA, page, read_lines, record

    if runs:
        record(folder / DATA, runs)
    return page(read_lines(folder / DATA))


def _sensitivity(folder: Path) -> str:
    from conformance.cli.pages.sensitivity import DATA, page, read_figures

    return page(read_figures(folder / DATA))
