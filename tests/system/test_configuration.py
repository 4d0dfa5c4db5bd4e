"""docs/configuration.md: the programs read the very blocks that stand there, and no key is missing."""
import os
import re

from processes import HERE, SystemTest, main

DOCUMENT = os.path.join(HERE, "..", "..", "docs", "configuration.md")


def block(program):
    with open(DOCUMENT, encoding="utf-8") as file:
        section = file.read().split(f"## `{program}")[1]
    return section.split("```toml\n")[1].split("```")[0]


def tables(text):
    """Each header's line, with the keys below it."""
    found = []
    for line in text.splitlines():
        if header := re.match(r"\[+[\w.]+\]+", line):
            found.append((header[0], []))
        elif key := re.match(r"(\w+) = ", line):
            found[-1][1].append(key[1])
    return found


class Configuration(SystemTest):
    def written(self, text):
        with open(self.path("file.toml"), "w", encoding="utf-8") as file:
            file.write(text)
        return "file.toml"

    def agent(self, text):
        return self.run_program("cy-agent", "--check", "--config", self.written(text))

    def station(self, text):
        return self.run_program("cy-station", "--config", self.written(text))

    def run_program(self, program, *arguments):
        process = self.start(program, *arguments)
        code = process.wait(10)
        return code, process.output() + process.errors()

    def assert_complete(self, text, run):
        for header, keys in tables(text):
            code, said = run(text.replace(header, header + "\nno_such_key = 1", 1))
            self.assertNotEqual(code, 0, header)
            self.assertIn("no_such_key", said, header)
            # A driver says what there is in words of its own.
            allowed = re.search(r"(?:allowed are|there are): ([\w, ]+)", said)
            self.assertTrue(allowed, said)
            known = set(keys)
            if header == "[[robot]]":
                known |= {h[1:-1].rsplit(".", 1)[1] for h, _ in tables(text) if h.startswith("[robot.")}
            if header.startswith("[robot.on_"):  # two of a kind, told of together
                known |= {"do", "distance_m", "settings", "task"}
            missing = set(re.split(r", *", allowed[1].strip())) - known
            self.assertEqual(missing, set(), f"{header} in docs/configuration.md")

    def test_agent(self):
        code, said = self.agent(block("cy-agent"))
        self.assertEqual(code, 0, said)
        self.assert_complete(block("cy-agent"), self.agent)

    def test_station(self):
        code, said = self.station(block("cy-station"))
        self.assertNotIn("file.toml", said)  # what is wrong is not in the file, but the page that is not there
        self.assertNotEqual(code, 0)
        self.assert_complete(block("cy-station"), self.station)


if __name__ == "__main__":
    main()
