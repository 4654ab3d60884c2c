"""selftest: to be written."""

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None: ...
def command(options: argparse.Namespace) -> int:
    raise NotImplementedError
