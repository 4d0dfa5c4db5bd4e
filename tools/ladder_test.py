#!/usr/bin/env python3
"""The ladder's checker against small trees, each with one violation that it must find."""

import pathlib
import tempfile
import tomllib
import unittest

from ladder import Ladder

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent

DATA = r"""
[rooms."core/base"]
uses = []
pure = true
[rooms."core/wire"]
uses = ["core/base"]
pure = true
[rooms.net]
uses = ["core/*"]
[rooms."media/port"]
uses = ["core/base"]
port = true
[rooms."robot/model"]
uses = ["core/wire", "media/port"]
pure = true
[rooms."apps/*"]
uses = ["*"]
[[strangers]]
rooms = ["robot/*", "media/*"]
[pure]
headers = ["thread", "sys/", "boost/"]
words = ['\bsteady_clock\b', '::now\s*\(', '\bthrow\b']
"""

GOOD = {
    "core/base/include/cy/base/time.hpp": "#include <chrono>\n// steady_clock has now(): we have not\n",
    "core/wire/include/cy/wire/codec.hpp": "#include <cy/base/time.hpp>\n",
    "core/wire/src/codec.cpp": '#include <cy/wire/codec.hpp>\n#include "local.hpp"\nauto s = "throw";\n',
    "net/src/udp.cpp": "#include <cy/wire/codec.hpp>\n#include <thread>\nauto t = steady_clock::now();\n",
    "robot/model/include/cy/model/ids.hpp": "#include <cy/wire/codec.hpp>\n#include <cy/base/time.hpp>\n",
    "media/port/include/cy/port/port.hpp": "#include <sys/mman.h>\n",
    "apps/agent/src/main.cpp": "#include <cy/model/ids.hpp>\n#include <cy/port/port.hpp>\n",
}


def violations(changes, data=DATA):
    """What the checker says of the good tree with some files changed."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in {**GOOD, **changes}.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return Ladder(root, tomllib.loads(data)).check()


class LadderTest(unittest.TestCase):
    def assert_found(self, words, changes, data=DATA):
        found = violations(changes, data)
        self.assertEqual(len(found), 1, found)
        for word in words:
            self.assertIn(word, found[0])

    def test_a_good_tree_passes(self):
        self.assertEqual(violations({}), [])

    def test_upward(self):
        self.assert_found(
            ["core/base/src/x.cpp:2", "core/wire"],
            {"core/base/src/x.cpp": "\n#include <cy/wire/codec.hpp>\n"},
        )

    def test_sideways_into_a_room_that_is_not_listed_for_it(self):
        self.assert_found(["net may not include robot/model"], {"net/src/x.cpp": "#include <cy/model/ids.hpp>\n"})

    def test_strangers_win_over_the_lists(self):
        self.assert_found(["never include each other"], {"robot/model/src/x.cpp": "#include <cy/port/port.hpp>\n"})

    def test_a_header_of_nobody(self):
        self.assert_found(["no room has <cy/moon/"], {"apps/agent/src/x.cpp": "#include <cy/moon/base.hpp>\n"})

    def test_a_room_that_is_not_in_the_data(self):
        self.assert_found(["core/extra"], {"core/extra/src/x.cpp": "int x;\n"})

    def test_two_rooms_with_one_name(self):
        self.assert_found(["belongs to"], {"net/include/cy/wire/x.hpp": "\n"})

    def test_a_path_out_of_the_room(self):
        self.assert_found(["leaves the room"], {"core/base/src/x.cpp": '#include "../../wire/src/local.hpp"\n'})

    def test_pure_rooms_include_no_threads_sockets_or_boost(self):
        for header in ("thread", "sys/socket.h", "boost/asio.hpp"):
            self.assert_found([header], {"core/wire/src/x.cpp": f"#include <{header}>\n"})

    def test_pure_rooms_read_no_clock_and_throw_nothing(self):
        self.assert_found(["steady_clock"], {"core/wire/src/x.cpp": "using C = std::chrono::steady_clock;\n"})
        self.assert_found(["x.cpp:3", "::now("], {"core/wire/src/x.cpp": "\n\nauto t = Clock::now();\n"})
        self.assert_found(["throw"], {"core/wire/src/x.cpp": "void f() { throw 1; }\n"})

    def test_comments_strings_and_digit_separators_do_not_confuse_it(self):
        text = (
            "/* throw\n throw */ auto s = R\"(throw \" )\"; int n = 1'000; // throw\n"
            "char q = '\"'; void f() { throw 1; }"
        )
        self.assert_found(["x.cpp:3"], {"core/wire/src/x.cpp": text})

    def test_an_exception_covers_one_file_and_must_be_needed(self):
        data = DATA + '[[exceptions]]\nfile = "core/wire/src/x.cpp"\nwhat = "<thread>"\nwhy = "w"\n'
        self.assertEqual(violations({"core/wire/src/x.cpp": "#include <thread>\n"}, data), [])
        self.assert_found(["needs no exception"], {}, data)
        both = {"core/wire/src/x.cpp": "#include <thread>\n", "core/wire/src/y.cpp": "#include <thread>\n"}
        self.assert_found(["y.cpp"], both, data)

    def test_a_list_that_names_no_room(self):
        self.assert_found(["which is no room"], {}, DATA.replace("uses = []", 'uses = ["moon"]'))

    def test_a_list_that_looks_up(self):
        base = '[rooms."core/base"]\nuses = []\npure = true\n'
        data = DATA.replace(base, "").replace("[rooms.net]", base + "[rooms.net]")
        self.assert_found(["core/wire uses core/base, which does not stand below it"], {}, data)

    def test_pure_rooms_use_pure_rooms(self):
        data = DATA.replace('"core/wire", "media/port"]', '"core/wire", "media/port", "net"]')
        self.assert_found(["robot/model is pure and may not use net"], {}, data)


class RepositoryTest(unittest.TestCase):
    def test_every_exception_has_a_reason(self):
        data = tomllib.loads((REPOSITORY / "tools" / "layers.toml").read_text(encoding="utf-8"))
        for exception in data["exceptions"]:
            self.assertTrue(exception["why"].strip(), exception)


if __name__ == "__main__":
    unittest.main()
