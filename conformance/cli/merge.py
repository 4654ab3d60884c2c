"""merge: make one run file of the shards of a run."""

from __future__ import annotations

import argparse
from pathlib import Path

from conformance.cli.console import add_json_flag

# What an exit code of a part says of it; of one that is not complete more is said.
WHY = {
    1: "it has a failure that is not known",
    2: "it was interrupted",
    3: "the suite had a problem",
    10: "a known failure passes",
    11: "an adapter could not start",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of `merge`."""
    parser.add_argument(
        "runs", nargs="+", type=Path, metavar="RUN", help="the parts of one run, in any order"
    )
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="RUN", help="the run file to write"
    )
    parser.add_argument("--force", action="store_true", help="replace the file that is there")
    add_json_flag(parser)


def command(options: argparse.Namespace) -> int:
    """Write the merged run; 12 where a part is missing or not complete, else the gravest exit code of the parts."""
    import sys

    from conformance.cli.console import print_json
    from conformance.run.conduct import INCOMPLETE
    from conformance.runfile.jsonl import read_run
    from conformance.runfile.merge import merge, missing_shards, unlike_hosts
    from conformance.runfile.records import Line
    from conformance.runfile.writer import RunWriter

    runs = [read_run(path) for path in options.runs]
    whole = merge(runs)
    assert whole.end is not None
    writer = RunWriter(options.output, whole.header, force=options.force)
    lines: list[Line] = [
        *whole.results,
        *whole.timings,
        *whole.proofs,
        *whole.mutants,
        *whole.generated,
        whole.end,
    ]
    for line in lines:
        writer.write(line)
    writer.close()
    moved = f" (what had this name is {writer.moved} now)" if writer.moved else ""
    missing = missing_shards(runs)
    unlike = unlike_hosts(runs)
    if options.as_json:
        print_json(
            {
                "run": str(writer.path),
                "results": len(whole.results),
                "complete": whole.is_as_requested,
                "missing_shards": missing,
                "unlike_hosts": unlike,
            }
        )
    print(f"{whole.contents} of {len(runs)} file{'s' * (len(runs) != 1)} in {writer.path}{moved}")
    for path, run in zip(options.runs, runs, strict=True):
        if warning := run.warning(path):
            print(f"conformance: {warning}", file=sys.stderr)
    if unlike:
        facts = "; ".join(f"{fact} {' and '.join(values)}" for fact, values in unlike.items())
        print(f"conformance: the parts ran on machines that are not alike: {facts}", file=sys.stderr)
    if missing:
        print(f"conformance: shards are missing: {', '.join(missing)}", file=sys.stderr)
    code = whole.end.exit_code if whole.is_as_requested else INCOMPLETE
    if code in WHY:
        of = [
            str(path)
            for path, run in zip(options.runs, runs, strict=True)
            if run.end and run.end.exit_code == code
        ]
        print(f"conformance: ends with {code}, as {' and '.join(of)} did: {WHY[code]}", file=sys.stderr)
    return code
