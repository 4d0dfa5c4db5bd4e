import assert from "node:assert/strict";
import { test } from "node:test";
import { StopPress } from "../../src/input/stop.js";
import { Stops } from "../../src/input/stops.js";

const open = { latched: false, confirmed: false };
const latched = { latched: true, confirmed: false };
const standing = { latched: true, confirmed: true };
const answered = (s: StopPress, applied: boolean, text = "") => s.onEnded(s.number, applied, text);

test("a stop is not confirmed until the agent says so", () => {
  const s = new StopPress();
  assert.equal(s.press(0, true), true);
  assert.equal(s.state, "sent");
  s.onControl({ ...open, revision: 1 }); // from before it was pressed
  assert.equal(s.state, "sent");
  answered(s, true);
  s.onControl({ ...latched, revision: 2 });
  assert.equal(s.state, "latched");
  s.onControl({ ...standing, revision: 3 });
  assert.equal(s.state, "confirmed");
  s.onControl({ ...open, revision: 4 });
  assert.equal(s.state, "clear");
});

test("a state from before the press does not clear a stop that was taken", () => {
  const s = new StopPress();
  s.onControl({ ...open, revision: 7 });
  s.press(0, true);
  answered(s, true);
  s.onControl({ ...open, revision: 7 }); // was under way
  assert.equal(s.state, "sent");
  s.onControl({ ...latched, revision: 9 });
  assert.equal(s.state, "latched");
  s.onControl({ ...open, revision: 12 });
  assert.equal(s.state, "clear");
});

test("a stop is repeated until it was taken", () => {
  const s = new StopPress();
  s.press(0, true);
  assert.equal(s.tick(100, true, true), false);
  assert.equal(s.tick(450, true, true), true);
  answered(s, false, "no answer from the agent");
  assert.equal(s.trouble, "no answer from the agent");
  assert.equal(s.tick(900, true, true), true);
  answered(s, true);
  assert.equal(s.tick(2000, true, true), false);
});

test("the answer to an earlier press is none to this one", () => {
  const s = new StopPress();
  s.press(0, true);
  const first = s.number;
  s.press(100, true);
  s.onEnded(first, true, "");
  assert.equal(s.tick(500, true, true), true);
});

test("a stop without a connection waits for one, and says so", () => {
  const s = new StopPress();
  assert.equal(s.press(0, false), false);
  assert.equal(s.state, "waiting");
  assert.equal(s.tick(5000, false, false), false);
  assert.equal(s.tick(6000, true, false), true);
  assert.equal(s.state, "sent");
});

test("nor is one lost that was pressed while the robot was thought to stand", () => {
  for (const known of [latched, standing]) {
    const s = new StopPress();
    s.onControl({ ...known, revision: 5 });
    s.tick(100, false, false);
    assert.equal(s.press(200, false), false);
    assert.equal(s.state, "waiting");
    s.onNewAgent();
    s.onControl({ ...open, revision: 9 }); // somebody had released it meanwhile
    assert.equal(s.state, "waiting");
    assert.equal(s.tick(300, true, true), true, "it is sent");
    answered(s, true);
    s.onControl({ ...standing, revision: 11 });
    assert.equal(s.state, "confirmed");
  }
});

test("a press that the connection took with it is sent again, latched or not", () => {
  const s = new StopPress();
  s.onControl({ ...standing, revision: 5 });
  assert.equal(s.press(0, true), true);
  s.tick(100, false, false);
  s.onControl({ ...open, revision: 6 });
  assert.equal(s.tick(200, true, true), true);
});

test("what is latched is called so only while the agent is heard", () => {
  const s = new StopPress();
  s.onControl({ ...standing, revision: 5 });
  s.tick(100, true, true);
  assert.equal(s.state, "confirmed");
  s.tick(150, true, false); // the link is lost, the station is there
  assert.equal(s.state, "unknown");
  s.tick(200, true, true);
  assert.equal(s.state, "unknown", "a link says nothing yet");
  s.onControl({ ...standing, revision: 5 });
  assert.equal(s.state, "confirmed");
  s.tick(250, false, false);
  assert.equal(s.state, "unknown");
  s.onControl({ ...open, revision: 6 });
  assert.equal(s.state, "clear");
});

test("a new agent counts anew, and knows no stop of before", () => {
  const s = new StopPress();
  s.onControl({ ...open, revision: 500 });
  s.press(0, true);
  s.onNewAgent();
  answered(s, true);
  s.onControl({ ...standing, revision: 3 });
  s.onControl({ ...open, revision: 4 });
  assert.equal(s.state, "clear");
});

test("a stop that was sent when the connection broke is sent again", () => {
  const s = new StopPress();
  s.press(0, true);
  answered(s, true);
  s.tick(100, false, false);
  assert.equal(s.state, "waiting");
  assert.equal(s.tick(200, true, true), true);
});

test("another viewer's stop is seen here too", () => {
  const s = new StopPress();
  s.onControl({ ...latched, revision: 5 });
  assert.equal(s.state, "latched");
});

test("a press stays with the robot it was made for, whichever is looked at by then", () => {
  const stops = new Stops();
  stops.of(1).press(0, false);
  assert.equal(stops.seen(2).state, "clear");
  assert.equal(stops.seen(1).state, "waiting");
  assert.deepEqual(stops.tick(100, true, true), [1]);
});

test("pressed while no robot is known it stops every one, and each tells of its own latch", () => {
  const stops = new Stops();
  stops.of(0).press(0, false);
  stops.onRobots([1, 2]);
  assert.equal(stops.seen(1).state, "waiting");
  assert.deepEqual(stops.tick(100, true, true), [0]);
  stops.onEnded(0, stops.of(0).number, true, "");
  assert.equal(stops.seen(1).state, "clear");
  stops.of(1).onControl({ ...standing, revision: 2 });
  assert.equal(stops.seen(1).state, "confirmed");
});

test("a robot that the agent has no more is not stopped for ever", () => {
  const stops = new Stops();
  stops.of(3).press(0, true);
  stops.onRobots([1]);
  assert.deepEqual(stops.tick(1000, true, true), []);
});
