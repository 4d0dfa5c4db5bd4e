#!/usr/bin/env python3
"""Tests tally.py."""

import pathlib
import tempfile
import unittest

from tally import tally

JUNIT = """<testsuite>
<testcase name="ladder" status="run"/>
<testcase name="space" status="run"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/></testcase>
<testcase name="crash_test" status="fail"><failure message=""/></testcase>
<testcase name="wire_test" status="run"/>
<testcase name="net_test" status="fail"><failure message=""/></testcase>
<testcase name="leak_test" status="fail"><failure message=""/></testcase>
</testsuite>"""
CASE = '<testcase name="x" status="run" result="completed">'
GOOD = CASE + "</testcase>"
BAD = CASE + '<failure message="1"/><failure message="2"/></testcase>'
SKIPPED = '<testcase name="x" status="run" result="skipped"><skipped/></testcase>'


def suites(*cases):
    return "<testsuites><testsuite>" + "".join(cases) + "</testsuite></testsuites>"


class Tally(unittest.TestCase):
    def test_counts_cases_and_whole_tests(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "junit.xml").write_text(JUNIT, encoding="utf-8")
            (folder / "wire_test.xml").write_text(suites(GOOD, GOOD, SKIPPED), encoding="utf-8")
            (folder / "net_test.xml").write_text(suites(GOOD, BAD), encoding="utf-8")
            (folder / "leak_test.xml").write_text(suites(GOOD), encoding="utf-8")
            self.assertEqual(tally(folder / "junit.xml", folder), [1 + 2 + 1 + 1, 1 + 1 + 1, 1 + 1])


if __name__ == "__main__":
    unittest.main()
