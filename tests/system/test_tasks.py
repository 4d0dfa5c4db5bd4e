"""Robots that act on their own: begun, followed and ended with `cy task`, and what becomes of it when the
one who began it is gone."""
import json
import signal

from processes import SystemTest, main
from trace import MS, now


class Tasks(SystemTest):
    def begin(self, policies=""):
        self.start_sim()
        self.start_agent(more=policies)

    def task(self, *arguments, good=True):
        return self.cy("task", *arguments, *self.reach(), good=good)

    def start_task(self, *arguments):
        task = self.start("cy", "task", *arguments, *self.reach(), label="task")
        self.wait_for(lambda: self.trace.pushes(), 15, "it to move")
        return task

    def test_it_tells_which_there_are(self):
        self.begin()
        listed = json.loads(self.task().stdout)["tasks"]
        self.assertIn("wander", listed)
        self.assertIn("retrace", listed)
        self.assertEqual(self.trace.pushes(), [])

    def test_what_cannot_be_begun_says_why(self):
        self.begin()
        for arguments, words in ((["dance"], "there is no task .*wander"),
                                 (["wander", "colour=red"], "colour"),
                                 (["wander", "speed"], "KEY=VALUE")):
            refused = self.task(*arguments, good=False)
            self.assertEqual(refused.returncode, 1, arguments)
            self.assertRegex(json.loads(refused.stdout)["error"], words)
        self.assertEqual(self.trace.pushes(), [])
        self.assertEqual(self.control()["mode"], "disarmed")

    def test_it_runs_for_its_time(self):
        self.begin()
        done = self.task("wander", "--for", "3")
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(rows[0]["phase"], "running")
        self.assertEqual((rows[-1]["task"], rows[-1]["phase"]), ("wander", "cancelled"))
        pushes = self.trace.pushes()
        self.assertGreater((pushes[-1].t - pushes[0].t) / MS, 2000)
        self.assert_stays_at_rest(self.wait_rest(pushes[0].t))
        self.assertEqual(self.control()["mode"], "disarmed")
        again = self.task("wander", "--for", "1")  # the old ending is not taken for the new one's
        self.assertEqual(json.loads(again.stdout.splitlines()[0])["phase"], "running")

    def test_ctrl_c_ends_it(self):
        self.begin()
        task = self.start_task("wander")
        asked = task.signal(signal.SIGINT)
        self.assertEqual(task.wait(10), 1)
        self.assertEqual(task.rows()[-1]["phase"], "cancelled")
        self.assert_stays_at_rest(self.wait_rest(asked))

    def test_it_ends_with_the_link(self):
        self.begin()
        killed = self.start_task("wander").kill()
        rest = self.wait_rest(killed)
        self.assertLess((rest - killed) / MS, 2000)
        self.assert_stays_at_rest(rest, 3.5)

    def test_go_on(self):
        self.begin('[robot.on_lost]\ndo = "go_on"\n[robot.on_gone]\ndo = "go_on"')
        killed = self.start_task("wander").kill()
        self.wait_for(lambda: self.trace.pushes(killed + 5000 * MS), 15, "it to go on without its station")
        self.assertEqual(self.control()["mode"], "policy")
        self.new_station("guest", "observer", "window")
        asked = now()
        self.cy("stop", *self.reach(key="guest.key"))
        self.assert_stays_at_rest(self.wait_rest(asked))


if __name__ == "__main__":
    main()
