import assert from "node:assert/strict";
import { test } from "node:test";
import { neutral, shaped, shapedPair } from "../../src/input/axes.js";
import { type Conditions, Drive, type Input, type Inputs, type Order, driveDefaults, periodFor, turnFor } from "../../src/input/drive.js";
import { Keys } from "../../src/input/keys.js";
import { Pad, type PadSample } from "../../src/input/pad.js";
import { Stick } from "../../src/input/stick.js";
import { StopPress } from "../../src/input/stop.js";
import { Stops } from "../../src/input/stops.js";

// ---- axes

test("the dead zone is quiet, and leaves it without a jump", () => {
  assert.equal(shaped(0.1, 0.15), 0);
  assert.ok(shaped(0.16, 0.15) < 0.02);
  assert.equal(shaped(1, 0.15), 1);
  assert.equal(shaped(-2, 0.15), -1);
  assert.equal(shaped(NaN, 0.15), 0);
  assert.deepEqual(shapedPair(NaN, 1, 0.1), neutral);
  assert.deepEqual(shapedPair(0.05, 0.05, 0.1), neutral);
});

// ---- keys

test("keys add up, opposite ones cancel", () => {
  const keys = new Keys();
  keys.down("KeyW", false);
  keys.down("ArrowLeft", false);
  assert.deepEqual(keys.axes, { forward: 1, left: 1 });
  keys.down("KeyS", false);
  assert.equal(keys.axes.forward, 0);
  keys.up("KeyS");
  keys.up("ArrowLeft");
  assert.deepEqual(keys.axes, { forward: 1, left: 0 });
});

test("a key that stayed down through a blur does not begin again by its repeats", () => {
  const keys = new Keys();
  keys.down("KeyW", false);
  keys.clear();
  assert.equal(keys.down("KeyW", true), false);
  assert.deepEqual(keys.axes, neutral);
  keys.up("KeyW");
  assert.equal(keys.down("KeyW", false), true);
});

// ---- gamepad

const slow = 0.1; // m/s at full deflection
const pad = (over: Partial<PadSample> = {}): PadSample => ({
  id: "Pad (STANDARD GAMEPAD)", index: 0, connected: true, standard: true, timestamp: 1, axes: [0, 0], buttons: [false, false], ...over,
});

test("a pad counts only after it was centred", () => {
  const p = new Pad();
  p.sample([pad({ axes: [0, -1] })], 0, slow);
  assert.equal(p.view.state, "centre it");
  assert.deepEqual(p.view.axes, neutral);
  p.sample([pad({ timestamp: 2 })], 50, slow);
  p.sample([pad({ timestamp: 3, axes: [0, -1] })], 100, slow);
  assert.equal(p.view.state, "ready");
  assert.equal(p.view.axes.forward, 1);
});

test("an unplugged pad is lost, and neutral", () => {
  const p = new Pad();
  p.sample([pad()], 0, slow);
  p.sample([pad({ timestamp: 2, axes: [0, -1] })], 50, slow);
  assert.equal(p.sample([null], 100, slow), "lost");
  assert.deepEqual(p.view.axes, neutral);
  assert.equal(p.sample([null], 150, slow), null);
});

test("another pad does not take over in the middle of a deflection", () => {
  const p = new Pad();
  p.sample([pad()], 0, slow);
  p.sample([pad({ timestamp: 2, axes: [0, -1] })], 50, slow);
  assert.equal(p.sample([null, pad({ index: 1, axes: [0, -1] })], 100, slow), "lost");
  assert.deepEqual(p.view.axes, neutral);
});

test("a deflected stick that says nothing new is stale: a pad out of range repeats itself", () => {
  const p = new Pad();
  p.sample([pad()], 0, slow);
  assert.equal(p.sample([pad({ timestamp: 2, axes: [0, -1] })], 100, slow), null);
  assert.equal(p.sample([pad({ timestamp: 2, axes: [0, -1] })], 1500, slow), null);
  assert.equal(p.sample([pad({ timestamp: 2, axes: [0, -1] })], 1700, slow), "stale");
  assert.deepEqual(p.view.axes, neutral);
  p.sample([pad({ timestamp: 3, axes: [0, -1] })], 1800, slow); // it moved again, yet was not centred
  assert.deepEqual(p.view.axes, neutral);
});

test("the faster it drives, the sooner: a silent pad moves the robot by less than half the blind distance", () => {
  for (const [speed, after] of [[0.5, 800], [0.4, 1000], [1.2, 333], [0.05, 1500]] as const) {
    const p = new Pad();
    p.sample([pad()], 0, speed);
    p.sample([pad({ timestamp: 2, axes: [0, -1] })], 50, speed);
    for (let now = 51; now - 50 <= after; ++now) assert.equal(p.sample([pad({ timestamp: 2, axes: [0, -1] })], now, speed), null, `${speed} ${now}`);
    assert.equal(p.sample([pad({ timestamp: 2, axes: [0, -1] })], 50 + after + 1, speed), "stale", `${speed}`);
  }
});

test("a push is as old as the look that did not see it yet", () => {
  const p = new Pad();
  p.sample([pad()], 400, slow);
  p.sample([pad()], 450, slow);
  p.sample([pad({ timestamp: 2, axes: [0, -1] })], 500, slow);
  assert.equal(p.view.at, 450);
  p.sample([pad({ timestamp: 3, axes: [0, -0.9] })], 550, slow);
  assert.equal(p.view.at, 450, "held on: a sample of now");
});

test("the pad's stop button stops once a press", () => {
  const p = new Pad();
  p.sample([pad()], 0, slow);
  assert.equal(p.sample([pad({ buttons: [true, false] })], 25, slow), null);
  assert.equal(p.sample([pad({ buttons: [false, true] })], 50, slow), "stop");
  assert.equal(p.sample([pad({ buttons: [false, true] })], 100, slow), null);
  p.sample([pad()], 150, slow);
  assert.equal(p.sample([pad({ buttons: [false, true] })], 200, slow), "stop");
});

test("of a pad whose buttons are not known any one stops, but not the one that woke it", () => {
  const p = new Pad();
  const odd = (...buttons: boolean[]) => [pad({ standard: false, buttons })];
  assert.equal(p.sample(odd(true, false, false), 0, slow), null);
  assert.equal(p.sample(odd(true, false, true), 50, slow), "stop");
  assert.equal(p.sample(odd(true, false, true), 100, slow), null);
  p.sample(odd(false, false, false), 150, slow);
  assert.equal(p.sample(odd(true, false, false), 200, slow), "stop");
});

// ---- stick on the screen

test("the stick belongs to one pointer", () => {
  const s = new Stick();
  assert.ok(s.start(7, 0, -1));
  assert.equal(s.axes.forward, 1);
  assert.equal(s.start(8, 0, 1), false);
  s.move(8, 0, 1);
  s.end(8);
  assert.equal(s.axes.forward, 1);
  assert.equal(s.cancel(8), false);
  assert.equal(s.cancel(7), true);
  assert.deepEqual(s.axes, neutral);
});

// ---- drive

const rest: Input = { axes: neutral, at: 0 };
const still: Inputs = { keys: rest, pad: rest, stick: rest };
const ahead = (at = 0): Inputs => ({ ...still, keys: { axes: { forward: 1, left: 0 }, at } });
const armed: Conditions = { holds: true, armed: true, lock: null, linear: 0.4, angular: 1 };
const speeds = (orders: Order[]) => orders.map((o) => (o.order === "drive" ? o.twist.linear : o.interruption));

function readyToDrive(): Drive {
  const d = new Drive();
  d.tick(0, still, armed);
  return d;
}

test("nothing is sent unless armed", () => {
  const d = new Drive();
  for (let t = 0; t < 500; t += 50) assert.deepEqual(d.tick(t, ahead(), { ...armed, armed: false }), []);
});

test("a key that is down while arming moves nothing until it was let go", () => {
  const d = new Drive();
  d.tick(0, ahead(), { ...armed, armed: false });
  assert.deepEqual(d.tick(50, ahead(), armed), []);
  assert.ok(d.waitsForNeutral);
  d.tick(100, still, armed);
  assert.deepEqual(speeds(d.tick(150, ahead(), armed)), [0.4]);
});

test("the first set-point is as old as its event, later ones are samples of the hold", () => {
  const d = readyToDrive();
  const [first] = d.tick(60, ahead(42), armed);
  assert.ok(first?.order === "drive");
  assert.equal(first.age, 18);
  const [second] = d.tick(110, ahead(42), armed);
  assert.ok(second?.order === "drive");
  assert.equal(second.age, 0);
});

test("each source has its own time: keys of long ago make no push of the pad old", () => {
  const d = new Drive();
  const pushed = (at: number): Inputs => ({ ...still, keys: { axes: neutral, at: 100 }, pad: { axes: { forward: 1, left: 0 }, at } });
  d.tick(60_000, still, armed);
  const [first] = d.tick(60_050, pushed(60_000), armed);
  assert.ok(first?.order === "drive");
  assert.equal(first.age, 50);
});

test("held, it is sent every period; changed, at once", () => {
  const d = readyToDrive();
  assert.equal(d.tick(50, ahead(), armed).length, 1);
  assert.equal(d.tick(60, ahead(), armed).length, 0);
  assert.equal(d.tick(65, { ...ahead(), keys: { axes: { forward: 1, left: 1 }, at: 0 } }, armed).length, 1);
  assert.equal(d.tick(115, { ...ahead(), keys: { axes: { forward: 1, left: 1 }, at: 0 } }, armed).length, 1);
});

test("let go: zero at once, repeated, then silence", () => {
  const d = readyToDrive();
  d.tick(50, ahead(), armed);
  assert.deepEqual(speeds(d.tick(60, still, armed)), [0]);
  assert.deepEqual(speeds(d.tick(70, still, armed)), []);
  assert.deepEqual(speeds(d.tick(110, still, armed)), [0]);
  assert.deepEqual(speeds(d.tick(160, still, armed)), [0]);
  assert.deepEqual(speeds(d.tick(210, still, armed)), []);
});

test("an interruption sends zero, then disarms, and what is held does not count any more", () => {
  const d = readyToDrive();
  d.tick(50, ahead(), armed);
  const orders = d.interrupt(60, "focus", "the page lost focus", armed);
  assert.deepEqual(speeds(orders), [0, "focus"]);
  assert.deepEqual(d.tick(100, ahead(), armed), []);
  d.tick(150, still, armed);
  assert.deepEqual(speeds(d.tick(200, ahead(), armed)), [0.4]);
});

test("an interruption disarms whoever holds control: an Arm may be on its way", () => {
  const holds = { holds: true, armed: false };
  assert.deepEqual(speeds(new Drive().interrupt(0, "focus", "", holds)), ["focus"]);
  const d = new Drive();
  d.tick(0, still, { ...armed, armed: false });
  assert.deepEqual(speeds(d.interrupt(10, "focus", "", armed)), [0, "focus"], "armed since the last look");
});

test("an interruption without control says nothing", () => {
  assert.deepEqual(new Drive().interrupt(0, "focus", "", { holds: false, armed: false }), []);
});

test("set-points are repeated as the station wishes, and never less than three times in their lifetime", () => {
  assert.equal(periodFor(50, 300), 50);
  assert.equal(periodFor(100, 1000), 100);
  assert.equal(periodFor(50, 60), 20);
  assert.equal(periodFor(0, 0), driveDefaults.period);
  assert.deepEqual([20, 50, 75, 100, 500].map(turnFor), [20, 50, 37.5, 50, 50]);
  const d = readyToDrive();
  d.period = periodFor(50, 60);
  assert.equal(d.tick(50, ahead(), armed).length, 1);
  assert.equal(d.tick(60, ahead(), armed).length, 0);
  assert.equal(d.tick(70, ahead(), armed).length, 1);
});

test("a lock stops, and its end moves nothing by itself", () => {
  const d = readyToDrive();
  d.tick(50, ahead(), armed);
  assert.deepEqual(speeds(d.tick(100, ahead(), { ...armed, lock: "the picture is 0.6 s old" })), [0]);
  assert.deepEqual(speeds(d.tick(300, ahead(), armed)).filter((v) => v !== 0), []);
  d.tick(350, still, armed);
  assert.deepEqual(speeds(d.tick(400, ahead(), armed)), [0.4]);
});

test("losing the arming sends zero and forgets what is held", () => {
  const d = readyToDrive();
  d.tick(50, ahead(), armed);
  assert.deepEqual(speeds(d.tick(100, ahead(), { ...armed, armed: false })), [0]);
  assert.deepEqual(speeds(d.tick(150, ahead(), armed)), [0]); // a zero repeated, not the key
  assert.ok(d.waitsForNeutral);
});

test("a late timer sends nothing: what ends the hold may be queued behind it", () => {
  const d = readyToDrive();
  d.tick(50, ahead(), armed);
  assert.deepEqual(d.tick(250, ahead(), armed), []);
  assert.deepEqual(speeds(d.tick(300, ahead(), armed)), [0.4]);
});

test("a frozen page ends driving", () => {
  const d = readyToDrive();
  d.tick(50, ahead(), armed);
  assert.deepEqual(speeds(d.tick(1200, ahead(), armed)), [0, "frozen"]);
});

test("two sources never add up", () => {
  const d = readyToDrive();
  d.tick(50, ahead(), armed);
  const both: Inputs = { ...ahead(), stick: { axes: { forward: -1, left: 0 }, at: 0 } };
  assert.deepEqual(speeds(d.tick(100, both, armed)), [0.4]);
  assert.deepEqual(speeds(d.tick(150, { ...both, keys: rest }, armed)), [-0.4]);
});

// ---- stop

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
