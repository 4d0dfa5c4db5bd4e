"""The same controller on a serial line: a pty whose two ends have their rates, as a cable's have."""
import os
import time

from processes import GRACE, LIFETIME, SystemTest, main
from trace import CLOSE, now

HOSTBAUD = 50
FAST = 2  # HOSTBAUD's code for 38400


class Serial(SystemTest):
    def begin(self, *arguments, baud=9600):
        self.start_sim(*arguments, port="pty:" + self.path("tty"))
        self.begin_agent(baud)

    def begin_agent(self, baud=9600, seconds=15):
        self.start_agent(address="serial:" + self.path("tty"), more=f"baud = {baud}", ready=False)
        self.wait_ready(seconds)

    def begin_again(self):
        """The simulator comes back, with a trace of its own."""
        os.remove(self.path("sim.port"))
        self.start_sim(port="pty:" + self.path("tty"))

    def rates(self):
        return [order.value for order in self.trace.all() if order.id == HOSTBAUD]

    def test_drives_and_stops(self):
        self.begin()
        self.assertEqual(self.rates(), [FAST])
        drive = self.drive_at_half()
        killed = drive.kill()
        stop = self.assert_told_to_stop(killed, LIFETIME + GRACE, "SIGKILL of the client")
        self.wait_rest(killed)
        self.assert_stays_at_rest(stop.t)
        # An agent that ends in order leaves the controller as it was: the next one finds it at once.
        ended = self.agent.terminate()
        self.assertEqual(self.agent.wait(10), 0)
        self.assertIn(CLOSE, [order.id for order in self.trace.all(ended)])
        self.begin_agent()
        self.assertNotIn("not at 9600", self.agent.errors())

    def test_other_rate_is_found(self):
        self.begin("--host-baud", 57600)
        self.assertIn("answers at 57600 baud, not at 9600", self.agent.errors())
        self.assertEqual(self.rates(), [], "it is fast enough as it is")
        self.drive_at_half(seconds=10)

    def test_left_at_another_rate(self):
        self.begin()
        self.drive_at_half()
        killed = self.agent.kill()
        self.wait_rest(killed)
        begun = now()
        self.begin_agent(seconds=30)  # the old session is found at 38400 and closed; then it is at 9600 again
        self.assertTrue(self.trace.changes("session", "no_sync", begun), "the old session was closed")
        self.assert_stays_at_rest(begun)
        self.wait_driving(self.start_drive(person="Ben", seconds=10))

    def test_unplugged(self):
        self.begin()
        drive = self.drive_at_half()
        self.sim.kill()
        drive.wait(10)
        self.assertIn("no longer drives", drive.output())
        self.wait_for(lambda: self.device()["trouble"], 5, "the trouble")
        begun = now()
        self.begin_again()
        self.wait_ready(30)
        self.assertEqual(self.device()["trouble"], "")
        time.sleep(1)
        self.assertEqual(self.trace.pushes(begun), [])
        self.assertEqual(self.trace.changes("motion"), [], "nothing moved since it is there")
        self.wait_driving(self.start_drive(seconds=10))


if __name__ == "__main__":
    main()
