"""bench: time the workloads on one or more backends, right answers first."""

from __future__ import annotations

import argparse
from pathlib import Path

from conformance.cli.console import add_json_flag, whole_number


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of `bench`."""
    parser.add_argument(
        "backends", nargs="*", metavar="BACKEND", help="as for run; default: every installed engine"
    )
    parser.add_argument(
        "--workload",
        action="append",
        default=[],
        metavar="NAME",
        help="only this workload; may be given several times",
    )
    parser.add_argument(
        "--size",
        action="append",
        default=[],
        metavar="NAME",
        help="small, medium, large, or huge: a million entries, only where it is named; may be given several times",
    )
    parser.add_argument("--dtype", default="float64", choices=("float64", "float32"), help="of all operands")
    parser.add_argument(
        "--reference",
        default="numpy",
        metavar="BACKEND",
        help="the backend whose time others are also compared with",
    )
    parser.add_argument(
        "--seed",
        type=whole_number,
        default=0,
        help="of the operands, the order within each sweep, and the bootstrap",
    )
    parser.add_argument(
        "-o", "--output", type=Path, default=Path("bench.jsonl"), metavar="RUN", help="the run file"
    )
    parser.add_argument("--html", type=Path, metavar="F", help="also write the HTML report")
    add_json_flag(parser)


def command(options: argparse.Namespace) -> int:
    """Measure, print the table, and return 0: a time is never a verdict."""
    from conformance.timing import threads

    host = threads.pin()  # before anything starts NumPy, whose libraries read it once
    from conformance.cli.benchmarks import bench
    from conformance.cli.report import report_to

    report = report_to(options.html, "html") if options.html else None
    code = bench(options, host)
    if report:
        report.write([options.output])
        print(report)
    return code
