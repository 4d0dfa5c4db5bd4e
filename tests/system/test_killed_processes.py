"""Processes killed and frozen while the robot drives at 0.5 m/s."""
import os
import time

from processes import GRACE, LIFETIME, SystemTest, main
from trace import CLOSE, ENABLE, MS, STOP


class KilledProcesses(SystemTest):
    def setUp(self):
        super().setUp()
        self.start_sim()
        self.start_agent()

    def assert_needs_a_person(self, since):
        """What drove is over; a person who asks anew is let drive."""
        self.assert_stays_at_rest(since)
        self.assertEqual(self.control()["mode"], "disarmed")
        self.wait_for(lambda: not self.control()["holder"], 10, "the old session's lease to end")
        self.wait_driving(self.start_drive(person="Ben", seconds=10))

    def test_client_killed(self):
        drive = self.drive_at_half()
        killed = drive.kill()
        stop = self.assert_told_to_stop(killed, LIFETIME + GRACE, "SIGKILL of the client")
        self.wait_rest(killed)
        self.assert_needs_a_person(stop.t)

    def test_client_frozen(self):
        drive = self.drive_at_half()
        frozen = drive.freeze()
        stop = self.assert_told_to_stop(frozen, LIFETIME + GRACE, "SIGSTOP of the client")
        self.wait_rest(frozen)
        drive.thaw()
        # What it has queued, and what it says from now on, moves nothing.
        self.assert_stays_at_rest(stop.t, 1.5)
        drive.wait(10)
        self.assertIn("no longer drives", drive.output())
        self.assert_needs_a_person(stop.t)

    def watchdog_after(self, since):
        """The controller's own watchdog trips in its time after the last byte."""
        watchdog = self.wait_for(lambda: self.trace.changes("watchdog", "tripped", since), 10, "the watchdog")[0]
        last = max(e["t"] for e in self.trace.events if e["ev"] == "in" and e["t"] < watchdog["t"])
        return (watchdog["t"] - last) / MS

    def test_agent_killed(self):
        configured = self.device()["watchdog_s"] * 1000
        self.assertGreater(configured, 0)
        self.drive_at_half()
        killed = self.agent.kill()
        took = self.watchdog_after(killed)
        print(f"SIGKILL of the agent: the watchdog took {took:.0f} ms, it is set to {configured:.0f}")
        self.assertLessEqual(took, configured + 100)
        self.wait_rest(killed)
        # What led to it is on the disk.
        (box,) = os.listdir(self.path("black-box"))
        with open(os.path.join(self.path("black-box"), box), "rb") as file:
            recorded = file.read()
        self.assertTrue(recorded.startswith(b"\x89MCAP0\r\n"))
        self.assertGreater(len(recorded), 5000)

    def test_agent_frozen(self):
        configured = self.device()["watchdog_s"] * 1000
        self.drive_at_half()
        frozen = self.agent.freeze()
        took = self.watchdog_after(frozen)
        print(f"SIGSTOP of the agent: the watchdog took {took:.0f} ms, it is set to {configured:.0f}")
        self.assertLessEqual(took, configured + 100)
        self.wait_rest(frozen)
        thawed = self.agent.thaw()
        first = self.wait_for(lambda: self.trace.all(thawed), 5, "the agent's first words")[0]
        self.assertEqual(first.id, STOP, f"the first bytes after the gap were {first}")
        self.assert_needs_a_person(thawed)

    def test_drive_says_that_the_agent_is_dead(self):
        drive = self.drive_at_half(seconds=20)
        self.agent.kill()
        self.assertEqual(drive.wait(10), 1, drive.output())
        self.assertRegex(drive.rows()[-1]["error"], "the link is (lost|gone|connecting)|says nothing")

    def test_agent_ended_in_order(self):
        self.drive_at_half()
        asked = self.agent.terminate()
        self.assertEqual(self.agent.wait(5), 0)
        stop = self.assert_told_to_stop(asked, 100 * MS, "SIGTERM of the agent")
        orders = self.trace.all(asked)
        off = next(o for o in orders if o.id == ENABLE and o.value == 0)
        close = next(o for o in orders if o.id == CLOSE and o.value is not None)
        self.assertEqual(sorted([stop.t, off.t, close.t]), [stop.t, off.t, close.t])
        self.assertEqual(orders[-1].id, CLOSE)
        # It stood before its motors lost their power, and not because of it.
        rest = self.trace.changes("motion", "resting", asked)[0]["t"]
        self.assertLess(rest, off.t)
        self.assertLessEqual((close.t - asked) / MS, 1000)
        self.assertTrue(self.trace.changes("session", "no_sync", asked))

    def test_agent_restarted(self):
        drive = self.drive_at_half()
        killed = self.agent.kill()
        self.start_agent(listen=f"127.0.0.1:{self.agent_port}", ready=False)
        self.wait_for(lambda: self.trace.changes("session", "open", killed), 20, "the new agent to open it")
        self.wait_for(lambda: self.device()["phase"] == "ready", 10, "the device to be ready")
        # The old client speaks on: a new session of it begins disarmed.
        first = self.trace.all(killed)[0]
        self.assertEqual(first.id, STOP, f"the first bytes of the new agent were {first}")
        self.wait_rest(killed)
        time.sleep(1.0)
        self.assertEqual(self.trace.pushes(killed + 100 * MS), [])
        drive.kill()
        self.assert_needs_a_person(killed + 100 * MS)

    def start_camera(self):
        camera = self.start("cy-camera", "--agent", self.path("agent.sock"), "--source", "test:", "--codec", "mjpeg",
                            "--width", "320", "--height", "240", "--fps", "5")
        count = self.counts["cy-camera"]
        self.wait_for(lambda: f"camera {count} has come" in self.agent.errors(), 20, "the camera to come")
        return camera

    def assert_drives_on(self, since):
        time.sleep(0.8)
        self.assertEqual(self.trace.stops(since), [])
        self.assertTrue(self.trace.pushes(since))

    def test_camera_killed(self):
        self.drive_at_half(seconds=45)
        for _ in range(2):
            killed = self.start_camera().kill()
            self.wait_for(lambda: "has gone" in self.agent.errors(), 5, "the agent to miss the camera")
            self.assert_drives_on(killed)

    def test_camera_frozen(self):
        self.drive_at_half(seconds=45)
        camera = self.start_camera()
        self.assert_drives_on(camera.freeze())
        self.assert_drives_on(camera.thaw())


if __name__ == "__main__":
    main()
