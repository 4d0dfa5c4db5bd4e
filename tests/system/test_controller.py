"""A controller that is absent, busy, silent, faulty or of the other make."""
import socket
import time

from processes import GRACE, SystemTest, main
from trace import ENABLE, MS, STOP, now


class Controller(SystemTest):
    def begin(self, *arguments, **more):
        self.start_sim(*arguments, **more)
        self.start_agent()

    def order(self, text):
        """Orders count from the controller's start; this one begins at once."""
        at = now()
        self.sim.tell(text)
        self.wait_for(lambda: f"order: {text}" in self.sim.errors(), 5, "the order to be taken")
        return at

    def last_sip(self, before):
        return max(e["t"] for e in self.trace.read().events if e["ev"] == "out" and e["t"] < before)

    def test_reports_silent(self):
        self.begin()
        drive = self.drive_at_half()
        ordered = self.order("silent+3s")
        self.wait_for(lambda: self.trace.stops(ordered), 5, "a stop")
        stop = self.assert_told_to_stop(self.last_sip(self.trace.stops(ordered)[0].t), 300 * MS + GRACE,
                                        "silent reports")
        drive.wait(10)
        self.assertIn("reports", drive.output())
        self.wait_for(lambda: "no report for" in self.device()["trouble"], 3, "the trouble to be told")
        # They come back: it stands until a person arms it again.
        self.wait_for(lambda: self.last_sip(now()) > ordered + 3000 * MS, 10, "reports again")
        self.assert_stays_at_rest(stop.t)
        self.assertEqual(self.device()["trouble"], "")
        self.wait_driving(self.start_drive(seconds=10))

    def counted(self, reason):
        return self.device()["counters"].get(reason, 0)

    def test_bad_checksums(self):
        self.begin("--fault", "badsum=5%")
        begun = now()
        drive = self.start_drive(seconds=6)
        self.wait_driving(drive)
        drive.wait(15)
        self.assertNotIn("error", drive.output())
        self.assertGreater(len(self.trace.pushes(begun)), 5)
        self.wait_for(lambda: self.counted("bad checksum") > 0, 15, "bad checksums to be counted")

    def test_stray_bytes(self):
        self.begin("--fault", "stray=20%")
        drive = self.start_drive(seconds=6)
        self.wait_driving(drive)
        drive.wait(15)
        self.assertNotIn("error", drive.output())
        self.assertGreater(self.counted("stray bytes"), 0)

    def test_late_reports(self):
        self.begin("--fault", "late=80ms")
        drive = self.start_drive(seconds=6)
        self.wait_driving(drive)
        drive.wait(15)
        self.assertNotIn("error", drive.output())

    def test_reset(self):
        self.begin()
        drive = self.drive_at_half()
        begun = self.trace.read().events[0]["t"]
        reset = self.order(f"reset@{(now() - begun) // MS + 500}ms")
        self.wait_for(lambda: self.trace.changes("session", "no_sync", reset), 10, "the reset")
        happened = self.trace.changes("session", "no_sync", reset)[0]["t"]
        drive.wait(10)
        self.assertIn("no longer drives", drive.output())
        # The agent connects again by itself, and nothing moves.
        self.wait_for(lambda: self.trace.changes("session", "open", happened), 15, "the session again")
        self.assert_stays_at_rest(happened)
        self.wait_driving(self.start_drive(seconds=10))

    def test_old_session_still_open(self):
        self.begin("--fault", "stale_session")
        self.assertIn("earlier client", self.agent.errors())
        self.drive_at_half(seconds=10)

    def test_absent_then_there(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.sim_port = free.getsockname()[1]
        self.start_agent(ready=False)
        trouble = self.wait_for(lambda: self.device()["trouble"], 10, "the trouble")
        self.assertIn(f"tcp:127.0.0.1:{self.sim_port}", trouble)
        self.assertIn("Is the robot on", trouble)
        refused = self.cy("drive", *self.reach(), "--linear", "0.5", "--for", "1", good=False)
        self.assertEqual(refused.returncode, 1, refused.stdout)
        self.assertIn("error", refused.stdout)
        self.wait_for(lambda: self.device()["attempt"] >= 2, 10, "a second attempt")
        self.start_sim(port=self.sim_port)
        self.wait_ready(20)
        self.assertEqual(self.device()["trouble"], "")
        self.drive_at_half(seconds=10)

    def test_busy(self):
        self.start_sim()
        other = socket.create_connection(("127.0.0.1", self.sim_port))
        self.addCleanup(other.close)
        self.start_agent(ready=False)
        trouble = self.wait_for(lambda: self.device()["trouble"], 15, "the trouble")
        self.assertIn("no other program", trouble.replace("does no other", "no other"))
        other.close()
        self.wait_ready(20)
        self.assertEqual(self.device()["trouble"], "")

    def test_older_generation(self):
        self.begin(robot="p3dx")
        self.drive_at_half(seconds=10)

    def test_motors_stay_off(self):
        self.begin("--fault", "nomotors")
        drive = self.start_drive(seconds=6)
        self.assertEqual(drive.wait(15), 1)
        self.assertIn("the motors did not go on", drive.output())
        self.assertEqual(self.trace.pushes(), [])
        self.wait_for(lambda: "motors stay off" in self.device()["trouble"], 5, "the trouble")

    def test_stop_button(self):
        self.begin()
        drive = self.drive_at_half()
        pressed = self.order("estop+2s")
        button = self.wait_for(lambda: self.trace.changes("button", "pressed", pressed), 5, "the button")[0]["t"]
        drive.wait(10)
        self.assertIn("no longer drives", drive.output())
        self.wait_rest(button)
        self.wait_for(lambda: self.trace.changes("button", "released", pressed), 10, "the button to be let go")
        pushed = [o for o in self.trace.pushes(button) if o.t > button + 250 * MS]
        self.assertEqual(pushed, [], "it was pushed on after the button")
        self.assert_stays_at_rest(button + 250 * MS)
        self.wait_driving(self.start_drive(seconds=10))


if __name__ == "__main__":
    main()
