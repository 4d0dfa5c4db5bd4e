"""Who may drive: one at a time, by name and role."""
from processes import GRACE, LIFETIME, SystemTest, main
from trace import now


class People(SystemTest):
    def setUp(self):
        super().setUp()
        self.start_sim()
        self.start_agent()

    def test_second_driver_refused(self):
        drive = self.drive_at_half()
        begun = now()
        second = self.cy("drive", *self.reach(person="Ben"), "--linear", "-0.2", "--for", "1", good=False)
        self.assertEqual(second.returncode, 1)
        self.assertIn("held by Ann", second.stdout)
        self.assertTrue(drive.running())
        self.assertEqual(self.trace.stops(begun), [])

    def test_takeover_by_a_manager(self):
        self.new_station("worker", "operator", "bench")
        first = self.start_drive(key="worker.key")
        self.wait_driving(first)
        begun = now()
        second = self.start_drive("--takeover", linear=-0.3, seconds=6, person="Ben")
        first.wait(10)
        self.assertIn("no longer drives", first.output())
        stop = self.wait_for(lambda: self.trace.stops(begun), 5, "a stop between the two")[0]
        self.wait_for(lambda: [o for o in self.trace.pushes(stop.t) if o.value < 0], 10, "the second one to drive")
        self.assertEqual([o for o in self.trace.pushes(stop.t) if o.value > 0], [])
        second.wait(15)
        self.assertNotIn("error", second.output())

    def test_takeover_needs_a_manager(self):
        drive = self.drive_at_half()
        begun = now()
        self.new_station("worker", "operator", "bench")
        refused = self.cy("drive", *self.reach(key="worker.key", person="Ben"), "--takeover", "--linear", "-0.2",
                          "--for", "1", good=False)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("held by Ann", refused.stdout)
        self.assertTrue(drive.running())
        self.assertEqual(self.trace.stops(begun), [])

    def test_observer_may_not_drive(self):
        self.new_station("guest", "observer", "window")
        refused = self.cy("drive", *self.reach(key="guest.key"), "--linear", "0.5", "--for", "1", good=False)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("role", refused.stdout)
        self.assertEqual(self.trace.pushes(), [])

    def test_holder_leaves_in_order(self):
        drive = self.start_drive(seconds=4)
        self.wait_driving(drive)
        self.assertEqual(self.control()["holder"], "Ann")
        self.assertEqual(drive.wait(10), 0, drive.output())
        ended = now()
        self.wait_rest(self.trace.pushes()[-1].t)
        self.assertEqual(self.control()["holder"], "")
        self.assertLess(self.trace.pushes()[-1].t, ended + LIFETIME + GRACE)
        self.assert_stays_at_rest(ended + LIFETIME + GRACE)


if __name__ == "__main__":
    main()
