#!/usr/bin/env python3
"""Compares what funnel reports with the reference, over random flows, logs and options.

    python3 Tests/Reference/compare.py --funnel .build/debug/funnel --report trend --seeds 0..200

For each seed a case is made, asked of the program and of the reference, and compared number by
number. The first difference is shrunk and printed with its seed, and the exit code is 1. Only the
standard library of Python 3.9 is needed.
"""

import argparse
import json
import shlex
import sys
import tempfile
import time

from cases import Program, asked_selections, random_case
from reference.moments import parse_time
from reference.reports import REPORTS
from shrinking import shrink

NAMES = list(REPORTS) + ["compare", "groups"]


def seed_range(text):
    """Returns the seeds of A..B, without B."""
    first, last = text.split("..")
    return range(int(first), int(last))


def parse_arguments():
    """Returns the options of the command line."""
    parser = argparse.ArgumentParser(
        description="Compare funnel's reports with a second implementation."
    )
    parser.add_argument("--funnel", required=True, help="the program")
    parser.add_argument(
        "--report",
        required=True,
        choices=NAMES,
        help="a report, or groups for the lists behind them",
    )
    parser.add_argument(
        "--seeds", type=seed_range, default=range(100), metavar="A..B", help="from A to B - 1"
    )
    parser.add_argument("--seconds", type=float, help="stop after so many seconds")
    parser.add_argument(
        "--shrink-seconds", type=float, default=20, help="how long to look for a smaller case"
    )
    parser.add_argument(
        "--keep-going",
        action="store_true",
        help="tell all differences, as they are, and shrink none",
    )
    return parser.parse_args()


def show(case, program):
    """Prints a case so that it can be run by hand."""
    print("difference: " + program.difference(case))
    for selection in asked_selections(case):
        print("command: funnel " + shlex.join(program.arguments(case, selection)))
    if case.are_random:
        for definition in case.definitions:
            print(
                "flows/%s.v%d.json: %s"
                % (definition["flow"], definition["version"], json.dumps(definition))
            )
    print("log.ndjson:")
    for line in sorted(case.lines, key=lambda line: parse_time(line["ts"])):
        print(json.dumps(line))


def main():
    """Returns the exit code: 0 where nothing differs."""
    arguments = parse_arguments()
    deadline = time.monotonic() + arguments.seconds if arguments.seconds else None
    differing = tried = 0
    with tempfile.TemporaryDirectory(prefix="funnel-reference-") as folder:
        program = Program(arguments.funnel, folder)
        for seed in arguments.seeds:
            if deadline is not None and time.monotonic() > deadline:
                break
            tried += 1
            case = random_case(seed, arguments.report)
            difference = program.difference(case)
            if difference is None:
                continue
            differing += 1
            print("%s, seed %d: %s" % (arguments.report, seed, difference), flush=True)
            if not arguments.keep_going:
                show(shrink(case, program.difference, arguments.shrink_seconds), program)
                break
    print("%s: %d cases, %d differ" % (arguments.report, tried, differing))
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
