#!/usr/bin/env python3
"""Checks the ladder of tools/layers.toml: which room includes which, and what pure rooms touch.

    tools/ladder.py [--root DIR]

Prints one line a violation and ends with 1, or ends with 0.
"""

import argparse
import fnmatch
import pathlib
import re
import sys
import tomllib

SOURCES = {".hpp", ".cpp", ".h", ".inc", ".in"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
# Comments, strings (raw ones too) and characters; a quote inside a number (1'000) is none of them.
NOT_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"([^()\\ ]{0,16})\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])\'(?:\\.|[^\'\\\n])+\'',
    re.DOTALL,
)


class Ladder:
    def __init__(self, root, data):
        self.root = root
        self.data = data
        self.patterns = data["rooms"]
        self.tops = {pattern.split("/")[0] for pattern in self.patterns}
        self.exceptions = [dict(e) for e in data.get("exceptions", [])]
        self.faults = []
        self.rooms = self._find_rooms()
        self.owner = self._find_owners()

    def _find_rooms(self):
        """Every folder below the ladder's top folders that has code of its own, with its entry."""
        rooms = {}
        for top in sorted(self.tops):
            base = self.root / top
            candidates = [base, *sorted(p for p in base.glob("*") if p.is_dir())] if base.is_dir() else []
            for folder in candidates:
                name = str(folder.relative_to(self.root))
                entry = next((p for p in self.patterns if fnmatch.fnmatchcase(name, p)), None)
                if entry is not None:
                    rooms[name] = entry
                elif (folder / "include").is_dir() or (folder / "src").is_dir():
                    if any(self._files(folder, "include", "src")):
                        self.faults.append(f"{name}: this room is not in tools/layers.toml")
        return rooms

    def _find_owners(self):
        """Whose headers stand below include/cy/<name>/: a name belongs to one room."""
        owner = {}
        for room in self.rooms:
            for folder in sorted((self.root / room / "include" / "cy").glob("*")):
                other = owner.setdefault(folder.name, room)
                if other != room:
                    self.faults.append(f"{room}: <cy/{folder.name}/> belongs to {other} already")
        return owner

    def _files(self, folder, *parts):
        for part in parts:
            for path in sorted((folder / part).rglob("*")):
                if path.suffix in SOURCES and path.is_file():
                    yield path

    def _expand(self, names):
        """Entries of the data that a list such as ["core/*", "net"] means."""
        return {p for p in self.patterns for n in names if p == n or fnmatch.fnmatchcase(p, n)}

    def allowed(self, entry):
        """All entries that one entry may include, through those it uses."""
        uses = self.patterns[entry].get("uses", [])
        seen, todo = set(), self._expand(uses)
        if entry not in uses:  # "robot/*" in a room of robot/ means the others
            todo.discard(entry)
        while todo:
            one = todo.pop()
            if one not in seen:
                seen.add(one)
                todo |= self._expand(self.patterns[one].get("uses", []))
        return seen

    def check_data(self):
        above = []
        for entry, rules in self.patterns.items():
            for name in rules.get("uses", []):
                if not self._expand([name]):
                    self.faults.append(f"tools/layers.toml: {entry} uses {name}, which is no room")
            for other in self.allowed(entry) - {entry}:
                if "*" not in entry and other not in above:
                    self.faults.append(f"tools/layers.toml: {entry} uses {other}, which does not stand below it")
            if "*" not in entry and entry in self.allowed(entry):
                self.faults.append(f"tools/layers.toml: {entry} uses itself")
            if rules.get("pure"):
                for other in sorted(self.allowed(entry)):
                    if not self.patterns[other].get("pure") and not self.patterns[other].get("port"):
                        self.faults.append(f"tools/layers.toml: {entry} is pure and may not use {other}")
            above.append(entry)

    def _strangers(self, one, other):
        for pair in self.data.get("strangers", []):
            a, b = pair["rooms"]
            for x, y in ((one, other), (other, one)):
                if fnmatch.fnmatchcase(x, a) and fnmatch.fnmatchcase(y, b):
                    return True
        return False

    def check_room(self, room, entry):
        allowed = self.allowed(entry)
        pure = self.patterns[entry].get("pure", False)
        headers = self.data["pure"]["headers"]
        words = [re.compile(w) for w in self.data["pure"]["words"]]
        for path in self._files(self.root / room, "include", "src"):
            text = path.read_text(encoding="utf-8")
            where = path.relative_to(self.root)
            line_of = lambda at, t=text: t.count("\n", 0, at) + 1
            for match in INCLUDE.finditer(text):
                bracket, name = match.groups()
                at = f"{where}:{line_of(match.start(1))}"
                if name.startswith("cy/"):
                    self._check_include(at, room, allowed, name)
                elif bracket == '"' and ".." in name:
                    self.faults.append(f'{at}: "{name}" leaves the room: use <cy/room/...>')
                elif pure and any(name == h or (h.endswith("/") and name.startswith(h)) for h in headers):
                    self._forbid(where, at, room, "include", f"<{name}>")
            if pure:
                blank = lambda m: re.sub(r"[^\n]", " ", m.group())
                code = NOT_CODE.sub(blank, text)
                for word in words:
                    for match in word.finditer(code):
                        at = f"{where}:{line_of(match.start())}"
                        self._forbid(where, at, room, "say", match.group())

    def _forbid(self, where, at, room, verb, what):
        for exception in self.exceptions:
            if exception["file"] == str(where) and exception["what"] == what:
                exception["used"] = True
                return
        self.faults.append(f"{at}: {room} is pure and may not {verb} {what}")

    def _check_include(self, at, room, allowed, name):
        owner = self.owner.get(name.split("/")[1])
        if owner is None:
            self.faults.append(f"{at}: no room has <{name}>")
        elif owner != room:
            if self._strangers(room, owner):
                self.faults.append(f"{at}: {room} and {owner} never include each other (<{name}>)")
            elif self.rooms[owner] not in allowed:
                self.faults.append(f"{at}: {room} may not include {owner} (<{name}>)")

    def check(self):
        self.check_data()
        for room, entry in self.rooms.items():
            self.check_room(room, entry)
        for exception in self.exceptions:
            if not exception.get("used"):
                self.faults.append(f"tools/layers.toml: {exception['file']} needs no exception for {exception['what']}")
        return self.faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    root = parser.parse_args().root
    with open(root / "tools" / "layers.toml", "rb") as file:
        ladder = Ladder(root, tomllib.load(file))
    faults = ladder.check()
    for fault in faults:
        print(fault)
    print(f"{len(ladder.rooms)} rooms, {len(faults)} violations of the ladder")
    return 1 if faults or not ladder.rooms else 0


if __name__ == "__main__":
    sys.exit(main())
