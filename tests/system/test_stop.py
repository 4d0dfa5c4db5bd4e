"""The stop, by whom and of which kind, and what a robot does by itself when its link is gone."""
import signal

from processes import GRACE, SystemTest, main
from trace import E_STOP, ENABLE, MS, PULSE, STOP, VEL, now


class Stop(SystemTest):
    def setUp(self):
        super().setUp()
        self.start_sim()
        self.start_agent()

    def stop(self, *arguments, good=True, **reach):
        return self.cy("stop", *self.reach(**reach), *arguments, good=good)

    def test_an_observer_stops_it_and_a_person_releases_it(self):
        self.new_station("guest", "observer", "window")
        drive = self.drive_at_half()
        asked = now()
        said = self.stop("--why", "a child", key="guest.key", person="Gus")
        self.assertIn("it stands", said.stdout)
        order = self.trace.stops(asked)[0]
        self.assertEqual(order.id, STOP)
        self.assertEqual(self.trace.pushes(order.t), [])
        # Confirmed is what the robot itself said, and not before.
        rest = self.wait_rest(asked)
        self.assertLess(rest, now())
        drive.wait(10)
        self.assertIn("no longer drives", drive.output())

        state = self.control()
        self.assertTrue(state["stopped"] and state["stop_confirmed"])
        self.assertEqual(state["why"], "a child")
        self.assertEqual(state["holder"], "")
        refused = self.cy("drive", *self.reach(), "--linear", "0.5", "--for", "1", good=False)
        self.assertEqual(refused.returncode, 1)
        refused = self.stop("--release", good=False, key="guest.key", person="Gus")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("role", refused.stdout)
        self.assert_stays_at_rest(rest)

        self.assertIn("released", self.stop("--release").stdout)
        self.assert_stays_at_rest(rest)  # releasing moves nothing
        self.wait_driving(self.start_drive(seconds=10))

    def test_category_1_brakes_and_then_takes_the_power(self):
        self.drive_at_half()
        asked = now()
        self.stop("--category", "1")
        rest = self.wait_rest(asked)
        orders = self.trace.all(asked)
        brakes = next(o for o in orders if o.id in (STOP, E_STOP, ENABLE))
        off = next(o for o in orders if o.id == ENABLE)
        self.assertEqual((brakes.id, off.value), (E_STOP, 0))
        self.assertGreater(off.t, rest)
        self.assertTrue(self.trace.changes("motors", "off", asked))
        self.stop("--release")
        self.wait_driving(self.start_drive(seconds=10))  # arming gives the power back

    def test_category_0_takes_the_power_at_once(self):
        self.drive_at_half()
        asked = now()
        self.stop("--category", "0")
        first = next(o for o in self.trace.all(asked) if o.id in (STOP, E_STOP, ENABLE))
        self.assertEqual((first.id, first.value), (ENABLE, 0))

    def test_a_robot_that_does_not_hear_it_is_not_confirmed(self):
        self.drive_at_half()
        self.sim.tell("deaf+4s")
        self.wait_for(lambda: "order: deaf" in self.sim.errors(), 5, "the fault")
        asked = now()
        said = self.stop("--wait", "1", good=False)
        self.assertEqual(said.returncode, 1)
        self.assertIn("NOT confirmed", said.stdout)
        self.assertFalse(self.control()["stop_confirmed"])
        # It is said again and again, so it is obeyed as soon as it is heard.
        self.wait_rest(asked, 10)
        self.wait_for(lambda: self.control()["stop_confirmed"], 5, "the stop to be confirmed")

    def test_nobody_is_reached(self):
        port = self.agent_port
        self.agent.kill()
        said = self.stop("--wait", "1", good=False, port=port)
        self.assertEqual(said.returncode, 1)
        self.assertIn("is not reached", said.stdout)


class Policies(SystemTest):
    def begin(self, policies):
        self.start_sim()
        self.start_agent(more=policies)

    def x(self):
        return self.status()["robots"][0]["base"]["x_m"]

    def test_hold(self):
        self.begin('')
        self.drive_at_half()
        killed = self.processes[-1].kill()
        self.wait_rest(killed)
        self.assert_stays_at_rest(killed + 350 * MS, 4.5)

    def test_retrace(self):
        self.begin('[robot.on_gone]\ndo = "retrace"\ndistance_m = 0.6')
        drive = self.drive_at_half()
        self.wait_for(lambda: drive.rows()[-1]["x_m"] > 1.0, 10, "a metre")
        killed = drive.kill()
        self.wait_rest(killed)
        furthest = self.x()
        back = self.wait_for(lambda: [o for o in self.trace.pushes(killed + 350 * MS) if o.id == VEL], 10,
                             "it to drive back")
        self.assertGreater((back[0].t - killed) / MS, 2500)  # when the session is gone, not before
        self.assertTrue(all(o.value < 0 for o in back))
        rest = self.wait_rest(back[0].t, 20)
        self.assertAlmostEqual(furthest - self.x(), 0.6, delta=0.15)
        self.assert_stays_at_rest(rest)
        self.assertEqual(self.control()["mode"], "disarmed")

    def test_the_stop_ends_a_policy(self):
        self.begin('[robot.on_gone]\ndo = "retrace"\ndistance_m = 5.0')
        drive = self.drive_at_half()
        self.wait_for(lambda: drive.rows()[-1]["x_m"] > 1.5, 15, "some way")
        killed = drive.kill()
        self.wait_for(lambda: [o for o in self.trace.pushes(killed + 350 * MS) if o.value < 0], 15,
                      "it to drive back")
        self.new_station("guest", "observer", "window")
        asked = now()
        self.cy("stop", *self.reach(key="guest.key"))
        self.assertLess((self.trace.stops(asked)[0].t - asked) / MS, 1000)
        self.assert_stays_at_rest(self.wait_rest(asked) + GRACE)

    def test_a_named_task(self):
        self.begin('[robot.on_gone]\ndo = "task"\ntask = "wander"')
        killed = self.drive_at_half().kill()
        self.wait_rest(killed)
        self.wait_for(lambda: self.trace.pushes(killed + 2500 * MS), 10, "it to wander")
        self.assertEqual(self.control()["mode"], "policy")
        asked = now()
        self.cy("stop", *self.reach())
        self.assert_stays_at_rest(self.wait_rest(asked) + GRACE)


class BrokenAgent(SystemTest):
    """An agent that finds itself broken while it drives tells the controller to stop, and then dies."""

    def assert_last_stop(self, task):
        self.start_sim()
        self.start_agent(program="cy-agent-broken", more=f'[robot.on_gone]\ndo = "task"\ntask = "{task}"')
        killed = self.drive_at_half().kill()
        self.assertEqual(self.agent.wait(15), -signal.SIGABRT, self.agent.errors())
        self.assertIn("broken invariant, stopping the robots", self.agent.errors())
        pushes = self.trace.pushes(killed + 1000 * MS)
        self.assertTrue(pushes, "the task drove")
        after = [o for o in self.trace.all(pushes[-1].t) if o.id != PULSE]
        self.assertIn(STOP, [o.id for o in after])
        # Its own word stopped it; the controller's watchdog found it standing.
        rest = self.wait_rest(pushes[-1].t)
        for trip in self.trace.changes("watchdog", "tripped", pushes[-1].t):
            self.assertGreater(trip["t"], rest)
        self.assert_stays_at_rest(rest)

    def test_a_task_that_throws(self):
        self.assert_last_stop("throws")

    def test_a_broken_invariant(self):
        self.assert_last_stop("breaks_invariant")


if __name__ == "__main__":
    main()
