// The page in a real Chromium, against the scripted station.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { arm, facts, hold, launch, openPage, push, rivalForFocus, until } from "./browser.mjs";
import { fakePad } from "./fake_pad.mjs";
import { Feeder } from "./feeder.mjs";

let browser;
let feeder;
let page;

before(async () => {
  browser = await launch();
});
after(() => browser.close());
beforeEach(async () => {
  feeder = await Feeder.start(0, { fps: 12 });
});
afterEach(async () => {
  const complaints = page?.complaints ?? [];
  await page?.context().close();
  await feeder.close();
  assert.deepEqual(complaints, [], "the browser complained");
});

const open = async (options) => {
  page = await openPage(browser, feeder.url, options);
  await until(page, (f) => f.picture !== null && f.base !== null, "robot and picture");
  return page;
};
const moved = () => feeder.robot.drives.filter((d) => d.twist.linear !== 0 || d.twist.angular !== 0);
const standing = () => feeder.robot.twist.linear === 0 && feeder.robot.twist.angular === 0;
const settle = (ms) => new Promise((next) => setTimeout(next, ms));

test("drives while a key is held, with the age, the echo and the picture that was seen", async () => {
  await open();
  await arm(page);
  await hold(page, "KeyW");
  await until(page, (f) => f.base.pose.x > 0.1, "it drives");
  await page.keyboard.up("KeyW");
  await until(page, (f) => !f.moving && f.mode === "armed", "it stands");
  const one = moved().at(-1);
  assert.equal(one.twist.linear, 0.4);
  assert.ok(one.age_ms < 50, `${one.age_ms}`);
  assert.ok(one.echo_us !== 0 && one.picture > 0);
  const gaps = moved().slice(1).map((d, i) => d.at - moved()[i].at);
  assert.ok(gaps.sort((a, b) => a - b)[gaps.length >> 1] < 80, "about every 50 ms");
  assert.deepEqual(feeder.robot.drives.at(-1).twist, { linear: 0, angular: 0 });
});

test("nothing moves before arming", async () => {
  await open();
  await page.keyboard.down("KeyW");
  await settle(300);
  await page.keyboard.up("KeyW");
  assert.equal(feeder.robot.drives.length, 0);
});

test("blur stops, disarms and says why; the key that stayed down moves nothing afterwards", async () => {
  await open();
  const focus = await rivalForFocus(page);
  await arm(page);
  await hold(page, "KeyW");
  const returned = await focus.lose();
  const f = await until(page, (now) => now.mode === "disarmed", "disarmed");
  assert.match(f.ended, /lost focus/);
  assert.ok(standing());
  assert.equal(feeder.robot.ends.at(-1).reason, 5); // focus_lost
  assert.match(await page.locator(".ended").innerText(), /lost focus/);
  const count = moved().length;
  await returned();
  await page.locator("button.next", { hasText: "Arm" }).click();
  await until(page, (now) => now.armed, "armed again");
  await page.keyboard.down("KeyW"); // Playwright sends it as a repeat: the key never came up
  await settle(300);
  assert.equal(moved().length, count);
});

test("focus lost while the arming is under way: nothing is armed behind the person's back", async () => {
  await open();
  const focus = await rivalForFocus(page);
  feeder.armDelay = 1500;
  await page.locator("button.next", { hasText: "Take control and arm" }).click();
  await until(page, (f) => f.holds && f.busy === "Arming", "arming is under way");
  const returned = await focus.lose();
  await settle(feeder.armDelay + 300);
  assert.equal(feeder.robot.mode, "disarmed");
  assert.equal(feeder.robot.ends.at(-1).reason, 5); // focus_lost
  assert.ok(!(await facts(page)).armed);
  await returned();
});

test("while armed the space bar stops even from the name field; before, it is a blank", async () => {
  await open();
  const name = page.locator('input[type="text"]');
  await name.fill("Mia");
  await name.press("End");
  await name.press("Space");
  assert.equal(await name.inputValue(), "Mia ");
  await page.locator("cy-video").click();
  await arm(page);
  await name.focus();
  await page.keyboard.press("Space");
  await until(page, (f) => f.stop === "confirmed", "stopped");
});

test("set-points come as often as the station wishes", async () => {
  Object.assign(feeder, { period: 200, lifetime: 900 });
  await open();
  await arm(page);
  await hold(page, "KeyW");
  await until(page, () => moved().length > 8, "set-points");
  await page.keyboard.up("KeyW");
  const gaps = moved().slice(1).map((d, i) => d.at - moved()[i].at);
  assert.ok(gaps.sort((a, b) => a - b)[gaps.length >> 1] > 150, `${gaps}`);
});

test("stop by the button, by a watcher's space bar, and released by a person", async () => {
  await open();
  const watcher = await openPage(browser, feeder.url);
  try {
    await until(watcher, (f) => f.viewers === 2 && f.picture !== null, "both look on");
    await arm(page);
    await hold(page, "KeyW");
    feeder.robot.confirmAfter = 3000;
    await watcher.keyboard.press("Space");
    await watcher.locator("cy-stop .state", { hasText: "not confirmed" }).waitFor();
    assert.notEqual((await facts(watcher)).stop, "confirmed");
    assert.ok(standing());
    await until(page, (f) => f.stop === "confirmed" && !f.holds && !f.armed, "the driver lost control");
    await page.keyboard.up("KeyW");
    feeder.robot.confirmAfter = 100;
    await page.locator("button.release").click();
    await until(page, (f) => f.stop === "clear", "released");
    assert.ok(!(await facts(page)).armed, "releasing arms nothing");
    await arm(page);
    await page.locator("button.stop").click();
    await until(watcher, (f) => f.stop === "confirmed", "stopped by click");
  } finally {
    await watcher.context().close();
  }
});

test("two pages: one drives, the other asks and is handed control, disarmed", async () => {
  await open();
  const other = await openPage(browser, feeder.url);
  try {
    await until(other, (f) => f.viewers === 2, "both are here");
    await arm(page);
    await until(other, (f) => f.control.holder_name !== "", "it sees who drives");
    await other.keyboard.down("KeyW");
    await settle(250);
    await other.keyboard.up("KeyW");
    assert.equal(moved().length, 0);
    await other.locator("button.next", { hasText: "Ask for control" }).click();
    await page.locator(".wish button").click();
    const f = await until(other, (now) => now.holds, "it was handed over");
    assert.ok(!f.armed);
    await until(page, (now) => !now.holds && !now.armed, "and given away");
  } finally {
    await other.context().close();
  }
});

test("reconnects in place, disarmed", async () => {
  await open();
  await arm(page);
  await hold(page, "KeyW");
  const { port } = feeder;
  await feeder.close();
  const lost = await until(page, (f) => !f.connected, "the loss is seen");
  assert.ok(!lost.armed && !lost.moving);
  assert.match(lost.ended, /take control again/);
  await until(page, (f) => f.pictureAge > 600, "the picture ages");
  assert.equal(await page.locator(".frame.stale").count(), 1);
  feeder = new Feeder(feeder.wire, { fps: 12 });
  await feeder.listen(port);
  await until(page, (f) => f.connected && f.pictureAge < 500, "it is back");
  await settle(300);
  assert.equal(moved().length, 0, "the key that is still held moves nothing");
  assert.ok(!(await facts(page)).armed);
});

test("a stop pressed without a connection is sent when there is one", async () => {
  await open();
  const { port } = feeder;
  await feeder.close();
  await until(page, (f) => !f.connected, "the loss is seen");
  await page.keyboard.press("Space");
  assert.equal((await facts(page)).stop, "waiting");
  assert.match(await page.locator("cy-stop .state").innerText(), /NOT sent/);
  feeder = new Feeder(feeder.wire, { fps: 12 });
  await feeder.listen(port);
  await until(page, (f) => f.stop === "confirmed", "it arrived");
});

test("stopped is not called so when nobody can know it, and a stop pressed then is not lost", async () => {
  await open();
  await page.keyboard.press("Space");
  await until(page, (f) => f.stop === "confirmed", "stopped");
  feeder.link = "lost";
  const blind = feeder.robot.control;
  feeder.robot.control = () => new Uint8Array(); // and nothing comes from the robot
  await until(page, (f) => f.stop === "unknown", "the link is lost");
  assert.doesNotMatch(await page.locator("cy-stop .state").innerText(), /stands still/);
  assert.ok(await page.locator("button.release").isDisabled());
  feeder.link = "up";
  feeder.robot.control = blind;
  await until(page, (f) => f.stop === "confirmed", "it is heard again");
  const { port } = feeder;
  await feeder.close();
  await until(page, (f) => f.stop === "unknown", "the connection is lost");
  await page.keyboard.press("Space");
  assert.equal((await facts(page)).stop, "waiting");
  feeder = new Feeder(feeder.wire, { fps: 12 }); // meanwhile somebody has released it
  await feeder.listen(port);
  await until(page, (f) => f.stop === "confirmed" && f.connected, "it arrived");
  assert.ok(feeder.robot.latched);
});

test("an agent that began anew is followed at once", async () => {
  await open();
  await until(page, (f) => f.statusNumber > 15, "a while of statuses");
  const { wire } = feeder;
  const old = feeder.robot;
  feeder.session = 2;
  feeder.robot = new old.constructor(wire);
  feeder.robot.pose.x = 1.5;
  feeder.report();
  const f = await until(page, (now) => now.base.pose.x === 1.5, "the new figures");
  assert.ok(f.statusNumber <= 12, `${f.statusNumber}`);
  await arm(page);
  await hold(page, "KeyW");
  await page.keyboard.up("KeyW");
});

test("a keyframe that came before its codec was known is asked for again", async () => {
  feeder.codeclessKeys = 1;
  page = await openPage(browser, feeder.url);
  await until(page, (f) => f.painted > 0, "a picture");
  assert.ok(feeder.views.filter((v) => v.keyframes.length > 0).length >= 2, JSON.stringify(feeder.views));
});

test("a picture that waited on its way to the page is as old as it is", async () => {
  await open();
  feeder.pictureDelay = 250; // the station had said its age before
  const f = await until(page, (now) => now.painted > 30, "pictures");
  const ages = await page.evaluate(() => window.cy.shown().slice(-5).map((p) => p.age));
  assert.ok(ages.every((age) => age >= 250 + feeder.pictureAge - 15), `${ages}, ${f.pictureAge}`);
});

test("a stale picture looks stale, locks driving, and unlocks only by a fresh press", async () => {
  await open();
  await arm(page);
  await hold(page, "KeyW");
  feeder.frozen = true;
  await until(page, (f) => f.lock !== null && !f.moving, "locked");
  assert.ok(standing());
  await page.locator(".frame.stale .words", { hasText: "The picture is" }).waitFor();
  feeder.frozen = false;
  await until(page, (f) => f.lock === null, "live again");
  await settle(250);
  assert.ok(standing(), "the key still held moves nothing");
  await page.keyboard.up("KeyW");
  await settle(120);
  await hold(page, "KeyW");
  await page.keyboard.up("KeyW");
});

test("driving without the picture is the person's own choice, and says so to the agent", async () => {
  await open();
  await arm(page);
  feeder.frozen = true;
  await until(page, (f) => f.lock !== null, "locked");
  await page.locator('input[type="checkbox"]').check();
  await page.locator("cy-video").click();
  await hold(page, "KeyW");
  await page.keyboard.up("KeyW");
  assert.equal(moved().at(-1).picture, 0);
  await until(page, (f) => !f.moving, "it stands");
  await page.locator("button.next", { hasText: "Disarm" }).click();
  await until(page, (f) => !f.armed, "disarmed");
  await page.locator("button.next", { hasText: "Arm" }).click();
  await until(page, (f) => f.armed && f.lock !== null, "chosen for one arming alone: it is locked again");
});

test("M-JPEG is shown too", async () => {
  feeder.codec = "mjpeg";
  await open();
  const f = await until(page, (now) => now.painted > 20, "pictures");
  assert.equal(f.late, 0);
});

test("pictures are painted in order, nearly all of them", async () => {
  await open();
  await until(page, (f) => f.painted > 40, "pictures");
  const shown = await page.evaluate(() => window.cy.shown().map((p) => p.number));
  assert.ok(shown.every((n, i) => i === 0 || n > shown[i - 1]), "in order");
  const f = await facts(page);
  assert.ok(shown.length / (shown.at(-1) - shown[0] + 1) > 0.8, `${shown.length} of ${shown.at(-1) - shown[0] + 1}, dropped ${f.dropped}, late ${f.late}`);
  assert.ok(feeder.shown.length > 0.8 * shown.length, "and reported");
});

test("a gamepad drives, repeats nothing out of range, and stops when unplugged", async () => {
  await open({ init: fakePad });
  await page.evaluate(() => window.fakePad.plug());
  await until(page, (f) => f.pad === "ready", "the pad is seen");
  await arm(page);
  await push(page, 0, -1);
  assert.equal((await facts(page)).source, "pad");
  await page.evaluate(() => window.fakePad.unplug());
  const f = await until(page, (now) => now.mode === "disarmed", "unplugged: disarmed");
  assert.match(f.ended, /gamepad is gone/);
  assert.ok(standing());
  assert.equal(feeder.robot.ends.at(-1).reason, 7); // gamepad_lost

  await page.evaluate(() => window.fakePad.plug());
  await until(page, (now) => now.pad === "ready", "plugged again");
  await page.locator("button.next", { hasText: "Arm" }).click();
  await until(page, (now) => now.armed, "armed");
  await push(page, 0, -1);
  await page.evaluate(() => window.fakePad.freeze());
  const g = await until(page, (now) => now.mode === "disarmed", "a repeated value is no intent");
  assert.match(g.ended, /nothing new/);
});

test("the stick on the screen is held by its pointer, and its loss stops", async () => {
  await open();
  await arm(page);
  const box = await page.locator("cy-stick svg").boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, y - 60, { steps: 4 });
  await until(page, (f) => f.source === "stick", "it drives");
  await page.mouse.move(x + 700, y - 700); // far outside: the pointer is captured
  await settle(150);
  assert.ok((await facts(page)).moving);
  await page.mouse.up();
  await until(page, (f) => !f.moving && f.mode === "armed", "let go, it stands");
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, y - 60);
  await until(page, (f) => f.moving, "it drives again");
  await page.locator("cy-stick svg").dispatchEvent("pointercancel", { pointerId: 1 });
  const f = await until(page, (now) => now.mode === "disarmed", "cancelled");
  assert.match(f.ended, /interrupted/);
  await page.mouse.up();
});

test("trouble with the controller is told, with its step", async () => {
  await open();
  feeder.broadcast(feeder.wire.encode(feeder.wire.DeviceState, feeder.robot.device("waiting", "SYNC1", "No answer to SYNC1. Is the robot switched on?")));
  await page.locator(".device", { hasText: "SYNC1" }).waitFor();
  assert.match(await page.locator(".device").innerText(), /Is the robot switched on/);
  assert.match(await page.locator("button.next").innerText(), /not ready/);
});

test("no overlap and no sideways scrolling on small screens", async () => {
  for (const [width, height] of [[1440, 900], [800, 1280], [390, 800]]) {
    await open({ width, height });
    const seen = await page.evaluate(() => ({
      sideways: document.documentElement.scrollWidth > window.innerWidth,
      stop: (() => {
        const b = document.querySelector("cy-app").shadowRoot.querySelector("cy-stop").getBoundingClientRect();
        return b.top >= 0 && b.bottom <= window.innerHeight && b.width > 200;
      })(),
    }));
    assert.deepEqual(seen, { sideways: false, stop: true }, `${width}x${height}`);
    if (width !== 390) await page.context().close();
  }
});
