import assert from "node:assert/strict";
import { test } from "node:test";
import { Backoff } from "../../src/link/backoff.js";
import { bandOf } from "../../src/link/bands.js";
import { Commands } from "../../src/link/commands.js";
import { Socket } from "../../src/link/socket.js";
import { AgentClock, Echo, Recent, laterStamp } from "../../src/link/stamps.js";
import { Store, ageOf } from "../../src/link/store.js";
import { PictureGate } from "../../src/video/gate.js";
import { bodyOf, decode, encode, walk } from "../../src/wire/codec.js";
import {
  AgentLink, Arm, BaseState, ControlState, DeviceState, Ending, Holding, Inventory, LinkReport, Mode, PageCommand,
  PageEnded, PagePong, PartReading, Picture, Refusal, RobotInfo, RobotStatus, StationHello, StreamInfo,
} from "../../src/wire/messages.js";

const joined = (...all: Uint8Array[]) => new Uint8Array(Buffer.concat(all));

const status = (number: number, x = 0, epoch = 1, robot = 1) =>
  encode(RobotStatus, {
    robot,
    number,
    stamp_us: number,
    parts: [
      PartReading.of({
        part: 1,
        age_ms: 20,
        state: bodyOf(BaseState, { pose: { x, y: 0, yaw: 0 }, odometry_epoch: epoch }),
      }),
    ],
  });

const inventory = () => encode(Inventory, { robots: [RobotInfo.of({ id: 1, device: 2, name: "ada" })], devices: [DeviceState.of({ device: 2, phase: 4 })] });

test("stamps are compared over their wrap", () => {
  assert.ok(laterStamp(5, 0xfffffff0));
  assert.ok(!laterStamp(0xfffffff0, 5));
  const echo = new Echo();
  echo.saw(0xfffffff0);
  echo.saw(5);
  echo.saw(1);
  echo.saw(0);
  assert.equal(echo.stamp, 5);
});

test("the agent's clock is known by when it was asked, however long the answer waited", () => {
  const clock = new AgentClock();
  assert.equal(clock.since(5, 0), null);
  clock.saw(0xffffff00, 1000); // read 3 ms after it was asked for at 1000: late by that
  clock.saw((0xffffff00 + 97_000) >>> 0, 1100); // this one at once
  assert.equal(clock.since((0xffffff00 + 97_000) >>> 0, 1100), 0);
  assert.equal(clock.since(0xffffff00, 1597), 594);
  assert.equal(clock.since((0xffffff00 + 700_000) >>> 0, 1100), 0, "never negative");
});

test("bands as operators know them", () => {
  assert.deepEqual([0, 149, 150, 299, 300, 4000].map(bandOf), ["green", "green", "amber", "amber", "red", "red"]);
  assert.equal(bandOf(null), "none");
  assert.equal(bandOf(NaN), "none");
});

test("the backoff grows, ends growing, and begins anew", () => {
  const b = new Backoff(250, 4000);
  const waits = Array.from({ length: 8 }, () => b.next(0.5));
  assert.equal(waits[0], 250);
  assert.ok(waits.every((w, i) => i === 0 || w >= waits[i - 1]!));
  assert.equal(waits[7], 4000);
  b.reset();
  assert.equal(b.next(0.5), 250);
});

test("one late answer is no jump", () => {
  const r = new Recent(5);
  for (const v of [4, 5, 900, 4, 5]) r.add(v);
  assert.equal(r.median, 5);
});

test("the store follows the messages, several in one", () => {
  const store = new Store();
  store.onData(joined(inventory(), status(1, 0.5), encode(Holding, { robot: 1, holds: true }), encode(ControlState, { resource: 1, mode: Mode.armed })), 1000);
  assert.equal(store.robot?.name, "ada");
  assert.equal(store.deviceNow?.phase, 4);
  assert.equal(store.facts?.base?.value.pose.x, 0.5);
  assert.equal(ageOf(store.facts?.base, 1100), 120);
  assert.ok(store.armed);
});

const report = (session: number, state: number = AgentLink.up) => encode(LinkReport, { state, session });

test("a status that comes late is not shown", () => {
  const store = new Store();
  store.onData(joined(inventory(), status(5000, 1)), 0);
  store.onData(status(4999, 9), 0);
  store.onData(status(1, 9), 0);
  assert.equal(store.facts?.base?.value.pose.x, 1);
});

test("a new session with the agent begins all counts anew, however far the old ones had come", () => {
  for (const old of [2, 500, 5000]) {
    const store = new Store();
    store.onData(joined(encode(StationHello), report(4), inventory(), status(old, 1), encode(ControlState, { resource: 1, mode: Mode.armed })), 0);
    store.onData(encode(PagePong, { stamp: 0, agent_clock_us: 70_000, echo_us: 70_000 }), 1);
    let anew = 0;
    store.onNewAgent = () => ++anew;
    store.onData(report(4, AgentLink.gone), 10);
    assert.equal(anew, 0);
    store.onData(joined(report(5), status(1, 2)), 20);
    assert.equal(anew, 1);
    assert.equal(store.facts?.base?.value.pose.x, 2);
    assert.equal(store.echo.stamp, 1, "of the new clock");
    assert.equal(store.clock.since(0, 20), null);
    assert.equal(store.controlNow, null, "what the old one said of control holds no more");
    assert.equal(store.trail.length, 1);
  }
});

test("so does a new connection: the agent may have begun anew while nobody listened", () => {
  const store = new Store();
  store.onData(joined(encode(StationHello), report(1), inventory(), status(500, 1)), 0);
  store.onClosed();
  assert.equal(store.facts?.base?.value.pose.x, 1, "it stays on the screen, ageing");
  store.onData(joined(encode(StationHello), report(1), inventory(), status(2, 3)), 1000);
  assert.equal(store.facts?.base?.value.pose.x, 3);
  store.onData(joined(encode(StationHello), status(1, 9)), 1000); // the person's name was changed
  assert.equal(store.facts?.base?.value.pose.x, 3);
});

test("a picture that waited for this page is as old as the agent's clock says", () => {
  const store = new Store();
  const captured: number[] = [];
  store.onPicture = (_, __, at) => captured.push(at);
  const picture = encode(Picture, { stream: 1, capture_us: 1_000_000, age_us: 20_000 });
  store.onData(picture, 500);
  assert.deepEqual(captured, [480], "as the station says, while no clock is known");
  store.onData(encode(PagePong, { stamp: 600, agent_clock_us: 1_100_000, echo_us: 1 }), 601);
  store.onData(picture, 900);
  assert.equal(captured[1], 500, "it had waited for 380 ms");
  store.onData(encode(Picture, { stream: 1, capture_us: 1_390_000, age_us: 20_000 }), 900);
  assert.equal(captured[2], 880, "the older of both");
});

test("a jump of odometry begins a new trail", () => {
  const store = new Store();
  store.onData(joined(inventory(), status(1, 0), status(2, 0.1), status(3, 0.2)), 0);
  assert.equal(store.trail.length, 3);
  store.onData(status(4, 0, 2), 0);
  assert.equal(store.trail.length, 1);
});

test("a malformed message is dropped whole, its neighbours stand", () => {
  const store = new Store();
  const bad = new Uint8Array([...encode(Holding, { robot: 1, holds: true }).slice(0, -1), 7]);
  store.onData(joined(bad, inventory(), new Uint8Array([0x99, 0xc1, 0])), 0);
  assert.equal(store.malformed, 1);
  assert.equal(store.unknown, 1);
  assert.equal(store.robot?.name, "ada");
  assert.equal(store.holds.size, 0);
});

test("any bytes at all are survived", () => {
  const store = new Store();
  let seed = 7;
  for (let n = 0; n < 3000; ++n) {
    const junk = Uint8Array.from({ length: n % 60 }, () => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) >> 16);
    store.onData(junk, 0);
  }
  assert.ok(store.malformed > 0);
});

test("a lost connection disarms on the screen at once, and keeps what was seen", () => {
  const store = new Store();
  store.onData(joined(inventory(), status(1, 0.5), encode(Holding, { robot: 1, holds: true }), encode(ControlState, { resource: 1, mode: Mode.driving })), 0);
  store.onClosed();
  assert.ok(!store.armed);
  assert.equal(store.controlNow?.mode, Mode.disarmed);
  assert.equal(store.facts?.base?.value.pose.x, 0.5);
});

test("the stream of this robot is shown before one of none", () => {
  const store = new Store();
  store.onData(joined(inventory(), encode(StreamInfo, { stream: 1, robot: 0 }), encode(StreamInfo, { stream: 2, robot: 1 })), 0);
  assert.equal(store.stream?.stream, 2);
});

test("a command has exactly one answer", async () => {
  const sent: Uint8Array[] = [];
  const commands = new Commands((data) => sent.push(data) > 0);
  const one = commands.run(1, bodyOf(Arm), 0);
  const two = commands.run(1, bodyOf(Arm), 0);
  const three = commands.run(1, bodyOf(Arm), 0);
  const tokens = sent.map((data) => decode(PageCommand, [...walk(data)][0]!.payload).token);
  assert.deepEqual(tokens, [1, 2, 3]);
  commands.onEnded(PageEnded.of({ token: 2, ending: Ending.refused, refusal: Refusal.stop_latched }));
  assert.deepEqual(await two, { applied: false, text: "refused: stop latched" });
  commands.tick(10_000);
  assert.match((await one).text, /no answer/);
  commands.onEnded(PageEnded.of({ token: 1, ending: Ending.applied })); // too late: ended already
  assert.match((await three).text, /no answer/);
  const unsent = new Commands(() => false).run(1, bodyOf(Arm), 0);
  assert.equal((await unsent).applied, false);
});

test("a stop is sent whatever waits; what a newer one replaces is left out then", () => {
  const sent: number[] = [];
  const browser = { bufferedAmount: 0, send: (data: Uint8Array) => sent.push(data[0]!), close() {}, onopen: () => {} };
  const before = globalThis.WebSocket;
  globalThis.WebSocket = function () { return browser; } as unknown as typeof WebSocket;
  try {
    const socket = new Socket("ws://x", { onOpen() {}, onMessage() {}, onClosed() {} });
    assert.equal(socket.send(new Uint8Array([1])), false, "no connection");
    assert.equal(socket.offer(new Uint8Array([1])), false);
    socket.tick(0);
    browser.onopen();
    assert.equal(socket.offer(new Uint8Array([2])), true);
    browser.bufferedAmount = 1 << 20;
    assert.equal(socket.offer(new Uint8Array([3])), false);
    assert.equal(socket.send(new Uint8Array([4])), true);
    assert.deepEqual(sent, [2, 4]);
  } finally {
    globalThis.WebSocket = before;
  }
});

// ---- pictures

const picture = (number: number, key = false, clean = true) => ({ number, key, clean });

test("decoding begins with a keyframe and needs every picture after it", () => {
  const gate = new PictureGate();
  assert.equal(gate.admit(picture(1), false), "needs a keyframe");
  assert.ok(gate.ask(0));
  assert.ok(!gate.ask(100), "not a storm");
  assert.equal(gate.admit(picture(2, true), false), "decode");
  assert.ok(!gate.ask(1000));
  assert.equal(gate.admit(picture(3), false), "decode");
  assert.equal(gate.admit(picture(5), false), "needs a keyframe");
  assert.equal(gate.admit(picture(6), false), "needs a keyframe");
  assert.equal(gate.admit(picture(7, true), false), "decode");
});

test("late pictures are never shown, a camera that began anew is", () => {
  const gate = new PictureGate();
  gate.admit(picture(1000, true), false);
  assert.equal(gate.admit(picture(1000, true), false), "late");
  assert.equal(gate.admit(picture(990, true), false), "late");
  assert.equal(gate.admit(picture(1, true), false), "decode");
});

test("picture numbers wrap", () => {
  const gate = new PictureGate();
  gate.admit(picture(0xffffffff, true), false);
  assert.equal(gate.admit(picture(0), false), "decode");
});

test("single pictures need no others, unclean ones wait", () => {
  const gate = new PictureGate();
  assert.equal(gate.admit(picture(4, false, false), true), "decode");
  assert.equal(gate.admit(picture(9, false), true), "decode");
  const h264 = new PictureGate();
  h264.admit(picture(1, true), false);
  assert.equal(h264.admit(picture(2, false, false), false), "needs a keyframe");
  h264.broke();
  assert.equal(h264.admit(picture(3), false), "needs a keyframe");
});
