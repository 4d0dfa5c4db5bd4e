"""Wrong input at the command line and in the configuration: clear words, and nothing started."""
import os
import stat
import subprocess

from processes import SystemTest, binary, main


class CommandLine(SystemTest):
    def setUp(self):
        super().setUp()
        self.host, self.agent_port = "127.0.0.1", 9

    def refused(self, *arguments, status=None):
        done = self.cy(*arguments, good=False)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        if status is not None:
            self.assertEqual(done.returncode, status)
        return done.stdout + done.stderr

    def test_bad_address(self):
        reach = self.reach()
        for address in ("nowhere", "127.0.0.1:99999", "127.0.0.1:", ":1", "300.1.1.1:5", ""):
            reach[1] = address
            words = self.refused("status", *reach, status=1)
            self.assertIn("error", words)
            self.assertIn("address", words.lower() + " ", address)

    def test_missing_key(self):
        words = self.refused("status", *self.reach(key="none.key"), status=1)
        self.assertIn("none.key", words)
        self.assertIn("cy keygen", words)

    def test_key_that_others_can_read(self):
        os.chmod(self.path("station.key"), 0o644)
        self.assertIn("chmod 600", self.refused("status", *self.reach(), status=1))

    def test_broken_keys(self):
        with open(self.path("broken.key"), "w", encoding="utf-8") as file:
            file.write("not a key\n")
        os.chmod(self.path("broken.key"), 0o600)
        self.assertIn("broken.key", self.refused("status", *self.reach(key="broken.key"), status=1))
        self.assertIn("broken.key", self.refused("trust", "operator", "broken.key", "x", status=1))

    def test_keygen_replaces_nothing(self):
        self.assertIn("is there already", self.refused("keygen", "agent.key", status=1))
        self.assertEqual(stat.S_IMODE(os.stat(self.path("agent.key")).st_mode), 0o600)

    def test_trust_knows_its_roles(self):
        words = self.refused("trust", "king", "station.key.pub", "x")
        self.assertIn("operator", words)
        self.assertIn("trusts this key already",
                      self.refused("trust", "--file", "trusted", "observer", "station.key.pub", "x"))

    def test_values_out_of_range(self):
        self.refused("drive", *self.reach(), "--linear", "99")
        self.refused("drive", *self.reach(), "--linear", "fast")
        self.refused("drive", *self.reach(), "--for", "-1")
        self.refused("drive", *self.reach(), "--linear", "nan")
        for command in ("drive", "status"):
            self.assertIn("no number from 0", self.refused(command, *self.reach(), "--for", "nan"))
        self.refused("fly")
        self.refused()
        self.assertIn("delay", self.refused("emulate", "--to", "127.0.0.1:9", "delay=much", status=1))

    def test_trust_takes_a_name_of_one_line(self):
        self.cy("keygen", "late.key")
        with open(self.path("trusted"), encoding="utf-8") as file:
            before = file.read()
        self.assertIn("control character", self.refused(
            "trust", "--file", "trusted", "observer", "late.key.pub", "x\nmanager KEY y", status=1))
        with open(self.path("trusted"), encoding="utf-8") as file:
            self.assertEqual(file.read(), before)

    def test_a_key_is_needed_unless_clear_is_asked_for(self):
        self.assertIn("--agent-key", self.refused("status", "--agent", "127.0.0.1:9", status=1))

    def agent_says(self, text):
        with open(self.path("bad.toml"), "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([binary("cy-agent"), "-c", "bad.toml", "--check"], cwd=self.folder,
                              capture_output=True, text=True, timeout=10, check=False)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        return done.stderr

    GOOD = """[agent]
key_file = "agent.key"
trust_file = "trusted"

[[robot]]
name = "ada"
driver = "arcos"
address = "tcp:127.0.0.1:8101"
"""

    def test_configuration_faults_name_file_line_and_key(self):
        cases = [
            ("name = ada", "name = ada", "bad.toml:1:"),
            ('key_file = "agent.key"', "key_file = 5", "bad.toml:2: agent.key_file: must be a text"),
            ('key_file = "agent.key"', 'key_fil = "agent.key"', "bad.toml:2: agent.key_fil: is not known here"),
            ('key_file = "agent.key"', 'key_file = "agent.key"\nlisten = "x"', "bad.toml:3: agent.listen:"),
            ('name = "ada"', 'name = "ada"\n[robot.limits]\nlinear_m_s = 99.0\n[x]',
             "bad.toml:8: robot[1].limits.linear_m_s: must be a number from 0.01 to 5"),
            ('name = "ada"', 'name = "ada"\non_lost = {do = "dance"}', "must be one of: hold, go_on, retrace, task"),
        ]
        for old, new, words in cases:
            text = self.GOOD.replace(old, new) if old in self.GOOD else new
            with self.subTest(new):
                self.assertIn(words, self.agent_says(text))

    def test_configuration_without_robots_or_driver(self):
        self.assertIn("there is no [[robot]]", self.agent_says(self.GOOD.split("[[robot]]", maxsplit=1)[0]))
        self.assertIn("arcos", self.agent_says(self.GOOD.replace('"arcos"', '"tank"')))

    def test_missing_files(self):
        done = subprocess.run([binary("cy-agent"), "-c", "none.toml"], cwd=self.folder, capture_output=True,
                              text=True, timeout=10, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("none.toml: cannot be read", done.stderr)
        self.assertIn("cy keygen", self.agent_says(self.GOOD.replace("agent.key", "none.key")))

    def test_simulator_arguments(self):
        for arguments, words in (
                (["--robot", "tank:0"], "p3dx-sh"),
                (["--robot", "p3dx:0", "--fault", "sleepy"], "there are silent"),
                (["--robot", "p3dx:0", "--world", "none.toml"], "none.toml"),
                (["--robot", "p3dx@0,0,0:0"], "robot 1")):
            done = subprocess.run([binary("cy-sim"), *arguments], cwd=self.folder, capture_output=True, text=True,
                                  timeout=10, check=False)
            with self.subTest(arguments):
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(words, done.stderr)


if __name__ == "__main__":
    main()
