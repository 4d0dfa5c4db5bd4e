import assert from "node:assert/strict";
import { test } from "node:test";
import { neutral, shaped, shapedPair } from "../../src/input/axes.js";
import { type Conditions, Drive, type Input, type Inputs, type Order, driveDefaults, periodFor, turnFor } from "../../src/input/drive.js";
import { Keys } from "../../src/input/keys.js";
import { Pad, type PadSample } from "../../src/input/pad.js";
import { Stick } from "../../src/input/stick.js";

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
