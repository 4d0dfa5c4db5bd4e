"""Bytes and keys of strangers at every port: counted and dropped, and who drives drives on."""
import os
import random
import socket
import time

from processes import GRACE, SystemTest, main
from trace import MS, now
from udp_proxy import UdpProxy


class Strangers(SystemTest):
    def setUp(self):
        super().setUp()
        self.random = random.Random(7)
        self.start_sim()
        self.start_agent()

    def assert_undisturbed(self, drive, begun):
        self.assertTrue(drive.running(), drive.output())
        self.assertTrue(self.agent.running())
        self.assertEqual(self.trace.stops(begun), [])
        self.assertTrue(self.trace.pushes(begun))

    def test_bytes_at_the_link(self):
        proxy = UdpProxy(("127.0.0.1", self.agent_port))
        self.addCleanup(proxy.close)
        drive = self.drive_at_half(port=proxy.port)
        begun = now()
        real = list(proxy.recorded)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
            for i in range(4000):
                if i % 2:
                    data = self.random.randbytes(self.random.randrange(0, 1400))
                else:  # like the real ones, but for some bytes
                    data = bytearray(self.random.choice(real))
                    for _ in range(self.random.randrange(1, 4)):
                        data[self.random.randrange(len(data))] = self.random.randrange(256)
                stranger.sendto(data, ("127.0.0.1", self.agent_port))
                if i % 20 == 0:
                    time.sleep(0.01)
        self.assert_undisturbed(drive, begun)
        self.assertEqual(self.device()["phase"], "ready")
        drops = self.status()["agent"]["drops"]
        self.assertGreater(sum(drops.values()), 3500, drops)
        for reason in ("too short", "other version", "unknown session", "bad tag", "bad handshake"):
            self.assertGreater(drops.get(reason, 0), 0, drops)

    def test_bytes_at_the_local_socket(self):
        drive = self.drive_at_half()
        begun = now()
        for i in range(40):
            with socket.socket(socket.AF_UNIX) as stranger:
                stranger.settimeout(2)
                stranger.connect(self.path("agent.sock"))
                try:
                    for _ in range(5):
                        stranger.sendall(self.random.randbytes(self.random.randrange(1, 5000)))
                except (BrokenPipeError, ConnectionResetError, TimeoutError):
                    pass  # it was shown the door
                if i == 39:
                    time.sleep(0.5)
        self.assert_undisturbed(drive, begun)

    def test_bytes_at_the_controller(self):
        self.agent.terminate()
        self.assertEqual(self.agent.wait(5), 0)
        begun = now()
        for _ in range(20):
            # It takes one client at a time, and listens again a moment after the last one left.
            stranger = self.wait_for(self.connected, 5, "the controller to listen")
            with stranger:
                try:
                    for _ in range(10):
                        stranger.sendall(self.random.randbytes(self.random.randrange(1, 2000)))
                except (BrokenPipeError, ConnectionResetError):
                    pass
        self.assertTrue(self.sim.running())
        self.assertEqual(self.trace.changes("motion", "moving", begun), [])
        self.start_agent()
        self.drive_at_half(seconds=10)

    def connected(self):
        try:
            return socket.create_connection(("127.0.0.1", self.sim_port), 1)
        except OSError:
            return None

    def test_untrusted_key(self):
        drive = self.drive_at_half()
        begun = now()
        self.cy("keygen", "stranger.key")
        refused = self.cy("status", *self.reach(key="stranger.key"), good=False)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("not trusted", refused.stdout)
        self.assertIn("cy trust", refused.stdout)
        self.assert_undisturbed(drive, begun)
        self.assertGreater(self.status()["agent"]["drops"]["untrusted key"], 0)

    def test_revoked_key(self):
        """A key that leaves the list ends its session, stops what it drove, and may not come again."""
        self.new_station("worker", "operator", "bench")
        drive = self.drive_at_half(key="worker.key")
        with open(self.path("trusted"), encoding="utf-8") as file:
            lines = file.readlines()
        with open(self.path("trusted.next"), "w", encoding="utf-8") as file:
            file.writelines(line for line in lines if not line.endswith(" bench\n"))
        os.rename(self.path("trusted.next"), self.path("trusted"))
        revoked = now()
        self.assert_told_to_stop(revoked, 1000 * MS + GRACE, "a key that is no longer trusted")
        self.assertEqual(drive.wait(10), 1, drive.output())
        self.assertIn("not trusted", self.cy("status", *self.reach(key="worker.key"), good=False).stdout)
        self.assert_stays_at_rest(revoked + 1000 * MS + GRACE)

    def test_clear_is_refused_where_it_is_not_allowed(self):
        drive = self.drive_at_half()
        begun = now()
        clear = ["--agent", f"127.0.0.1:{self.agent_port}", "--json", "--clear"]
        for command in (["status", *clear, "--for", 0.5], ["drive", *clear, "--linear", 0.2, "--for", 1]):
            refused = self.cy(*command, good=False)
            self.assertEqual(refused.returncode, 1, refused.stdout)
            self.assertIn("is not reached", refused.stdout)
            self.assertIn("NOT SEALED", refused.stderr)
        self.assert_undisturbed(drive, begun)
        self.assertGreater(self.status()["agent"]["drops"]["clear refused"], 0)

    def test_clear_works_where_it_is_allowed(self):
        self.agent.terminate()
        self.assertEqual(self.agent.wait(5), 0)
        self.start_agent(allow_clear=True)
        clear = ["--agent", f"127.0.0.1:{self.agent_port}", "--clear"]
        done = self.cy("status", *clear)
        self.assertIn("up, NOT SEALED", done.stdout)
        self.assertIn("NOT SEALED", done.stderr)
        self.cy("drive", *clear, "--linear", 0.2, "--for", 1)
        self.assertTrue(self.status()["link"]["sealed"])

    def test_another_agents_key(self):
        drive = self.drive_at_half()
        begun = now()
        self.cy("keygen", "other.key")
        arguments = self.reach()
        arguments[arguments.index("--agent-key") + 1] = "other.key.pub"
        refused = self.cy("status", *arguments, good=False)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("is not reached", refused.stdout)
        self.assertIn("is its key the one given", refused.stdout)
        self.assert_undisturbed(drive, begun)

    def test_nobody_there(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
            free.bind(("127.0.0.1", 0))
            refused = self.cy("status", *self.reach(port=free.getsockname()[1]), good=False)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("is not reached", refused.stdout)

    def test_trusted_later(self):
        """A key that is trusted meanwhile gets in without a restart."""
        self.cy("keygen", "late.key")
        self.assertEqual(self.cy("status", *self.reach(key="late.key"), good=False).returncode, 1)
        self.cy("trust", "--file", "trusted", "observer", "late.key.pub", "late")
        self.assertEqual(self.status(key="late.key")["link"]["state"], "up")
        self.assertTrue(os.path.exists(self.path("late.key")))


if __name__ == "__main__":
    main()
