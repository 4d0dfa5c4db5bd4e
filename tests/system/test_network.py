"""The network between client and agent: cut, restored, bad, and recorded by somebody in between."""
import os
import subprocess
import time
import unittest

from processes import GRACE, LIFETIME, SystemTest, main
from trace import MS, now
from udp_proxy import UdpProxy


class Network(SystemTest):
    def begin(self):
        self.start_sim()
        self.start_agent()

    def start_emulate(self, network):
        proxy = self.start("cy", "emulate", "--listen", "127.0.0.1:0", "--to", f"127.0.0.1:{self.agent_port}",
                           "--port-file", "proxy.port", network, label="emulate")
        self.proxy_port = self.port_in("proxy.port", proxy)
        return proxy

    def start_recorder(self):
        proxy = UdpProxy(("127.0.0.1", self.agent_port))
        self.addCleanup(proxy.close)
        return proxy

    def test_cut(self):
        self.begin()
        proxy = self.start_emulate("delay=10ms")
        self.drive_at_half(port=self.proxy_port)
        cut = proxy.kill()
        # The way through the proxy counts: what left it before the cut was fresh.
        stop = self.assert_told_to_stop(cut, LIFETIME + GRACE, "a cut network")
        self.wait_rest(cut)
        self.assert_stays_at_rest(stop.t)

    def test_restored_stays_disarmed(self):
        self.begin()
        proxy = self.start_recorder()
        drive = self.drive_at_half(port=proxy.port)
        proxy.cut.set()
        last = proxy.last_forwarded
        stop = self.assert_told_to_stop(last, LIFETIME + GRACE, "a cut network, from the last datagram on")
        proxy.cut.clear()  # the client still holds its key down: for so short a time it does not give up
        self.assert_stays_at_rest(stop.t, 2.0)
        drive.wait(10)
        self.assertIn("no longer drives", drive.output())

    def test_bad_but_drivable(self):
        self.begin()
        self.start_emulate("delay=20ms,jitter=3ms,loss=2%")
        drive = self.start_drive(port=self.proxy_port, linear=0.3, seconds=6)
        self.wait_driving(drive, 0.28)
        begun = now()
        drive.wait(15)
        self.assertNotIn("error", drive.output())
        self.assertGreater(len(self.trace.pushes(begun)), 5)
        self.wait_rest(begun)

    def test_replayed(self):
        self.begin()
        proxy = self.start_recorder()
        drive = self.drive_at_half(port=proxy.port)
        recorded = list(proxy.recorded)
        # To the running session: all of it again, and it drives on as before.
        begun = now()
        proxy.replay(recorded)
        time.sleep(1.0)
        self.assertEqual(self.trace.stops(begun), [])
        self.assertTrue(drive.running())
        # After it: hello, arm and set-points move nothing.
        recorded = list(proxy.recorded)
        drive.kill()
        killed = now()
        self.wait_rest(killed)
        stop = self.trace.stops(killed)[0]
        for _ in range(3):
            proxy.replay(recorded)
            time.sleep(0.3)
        self.assert_stays_at_rest(stop.t)
        self.assertEqual(self.control()["mode"], "disarmed")

    def test_flipped_bits(self):
        self.begin()
        proxy = self.start_recorder()
        count = 0

        def flipped(datagram):
            nonlocal count
            count += 1
            bad = bytearray(datagram)
            bad[count % len(bad)] ^= 1 << count % 8
            return [bytes(bad), datagram[:count % len(datagram)]]
        proxy.also = flipped
        drive = self.drive_at_half(port=proxy.port)
        begun = now()
        time.sleep(2.0)
        self.assertTrue(drive.running())
        self.assertEqual(self.trace.stops(begun), [])
        self.assertGreater(count, 50)


class Namespaces(SystemTest):
    """Agent and controller in a network namespace of their own, joined by a pair of links."""

    def setUp(self):
        super().setUp()
        if os.geteuid() != 0:
            self.skipTest("network namespaces need root")
        self.space = f"cy{os.getpid()}"
        self.ip_netns("add", self.space)
        self.addCleanup(subprocess.run, ["ip", "netns", "del", self.space], check=True)
        self.ip_netns("exec", self.space, "true")  # made, but not to be entered, where / is no mount: a chroot
        self.station = self.space + "s"
        subprocess.run(["ip", "netns", "add", self.station], check=True)
        self.addCleanup(subprocess.run, ["ip", "netns", "del", self.station], check=True)
        self.ip("link", "add", "veth0", "type", "veth", "peer", "name", "veth0", "netns", self.station)
        for space, address in ((self.space, "10.77.0.1/24"), (self.station, "10.77.0.2/24")):
            self.ip("addr", "add", address, "dev", "veth0", space=space)
            self.ip("link", "set", "veth0", "up", space=space)
            self.ip("link", "set", "lo", "up", space=space)
        within = ["ip", "netns", "exec"]
        self.prefix = {"cy-sim": within + [self.space], "cy-agent": within + [self.space],
                       "cy": within + [self.station]}

    def ip_netns(self, *arguments):
        done = subprocess.run(["ip", "netns", *arguments], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            self.skipTest("no network namespaces here: " + done.stderr.strip())

    def ip(self, *arguments, space=None):
        subprocess.run(["ip", "-n", space or self.space, *arguments], check=True, capture_output=True)

    def test_link_down(self):
        self.start_sim()
        self.start_agent(listen="10.77.0.1:0")
        drive = self.drive_at_half()
        cut = now()
        self.ip("link", "set", "veth0", "down", space=self.station)
        gone = now()
        stop = self.assert_told_to_stop(cut, LIFETIME + GRACE + (gone - cut), "a link that went down")
        self.wait_rest(cut)
        self.ip("link", "set", "veth0", "up", space=self.station)
        self.assert_stays_at_rest(stop.t, 2.0)
        drive.wait(10)
        self.wait_for(lambda: not self.control()["holder"], 10, "the old session's lease to end")
        # Once a person asks again it drives.
        self.wait_driving(self.start_drive(person="Ben", seconds=10))


if __name__ == "__main__":
    main()
