#!/usr/bin/env python3
"""Counts the cases of one run of ctest: prints "passed failed skipped".

    tools/dev/tally.py JUNIT CASES

JUNIT is what ctest --output-junit wrote. CASES is the folder where GoogleTest's programs left theirs,
<program>.xml each: a program counts with its cases, and with one failure more if it failed although
all of them passed (a sanitizer's finding at the end). One that left none counts as one test.
"""

import pathlib
import sys
import xml.etree.ElementTree as xml


def cases_of(path):
    """passed, failed, skipped"""
    cases = list(xml.parse(path).iter("testcase"))
    failed = sum(case.find("failure") is not None for case in cases)
    skipped = sum(case.get("result") in ("skipped", "suppressed") for case in cases)
    return len(cases) - failed - skipped, failed, skipped


def tally(junit, folder):
    total = [0, 0, 0]
    for test in xml.parse(junit).iter("testcase"):
        bad = test.find("failure") is not None or test.get("status") == "fail"
        cases = folder / (test.get("name") + ".xml")
        if cases.is_file():
            passed, failed, skipped = cases_of(cases)
            if bad and failed == 0:
                failed = 1
        elif test.find("skipped") is not None:
            passed, failed, skipped = 0, 0, 1
        else:
            passed, failed, skipped = (0, 1, 0) if bad else (1, 0, 0)
        total = [a + b for a, b in zip(total, (passed, failed, skipped))]
    return total


if __name__ == "__main__":
    if not pathlib.Path(sys.argv[1]).is_file():
        print("0 1 0")  # ctest itself came to nothing
    else:
        print(*tally(sys.argv[1], pathlib.Path(sys.argv[2])))
