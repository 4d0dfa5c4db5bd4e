// The page and the real programs: a key in a browser, the wheels of a simulated Pioneer.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { readFileSync, writeFileSync } from "node:fs";
import { arm, facts, hold, launch, rivalForFocus, openPage, push, until } from "../page/browser.mjs";
import { fakePad } from "../page/fake_pad.mjs";
import { csp } from "../page/feeder.mjs";
import { RealTab } from "./real_tab.mjs";
import { House, missing } from "../../../tools/house/house.mjs";

const skip = missing ? `not built: ${missing}` : false;
process.once("SIGTERM", () => process.exit(1));
let browser;
let house;
let page;

before(async () => {
  if (skip) return;
  browser = await launch();
  house = await House.start();
});
after(async () => {
  await browser?.close();
  await house?.close();
});
beforeEach(async () => {
  if (skip) return;
  page = await openPage(browser, house.url, { init: fakePad });
  await until(page, (f) => f.device?.phase === 4 && f.picture !== null && f.pictureAge < 300, "robot and picture", 30_000);
});
afterEach(async () => {
  if (skip) return;
  const f = await facts(page);
  if (f.stop !== "clear") {
    await until(page, (now) => now.stop === "confirmed", "the stop is confirmed");
    await page.locator("button.release").click();
    await until(page, (now) => now.stop === "clear", "released");
  }
  const complaints = page.complaints;
  await page.context().close();
  assert.deepEqual(complaints, [], "the browser complained");
});

const stands = (f) => f.base !== null && Math.abs(f.base.twist.linear) < 0.02 && Math.abs(f.base.twist.angular) < 0.05;
const drives = (f) => f.base !== null && (Math.abs(f.base.twist.linear) > 0.1 || Math.abs(f.base.twist.angular) > 0.2);

test("the station's policy is the one that the page is tested under", { skip }, async () => {
  const answer = await fetch(house.url);
  assert.equal(answer.headers.get("content-security-policy"), csp(new URL(house.url).host));
});

test("drives with keys, and stands when they are let go", { skip }, async () => {
  await arm(page);
  await hold(page, "KeyA");
  await until(page, drives, "it turns");
  await page.keyboard.up("KeyA");
  await until(page, (f) => stands(f) && f.mode === "armed", "it stands");
  const f = await facts(page);
  assert.ok(f.base.motors && f.link === "up" && f.power.voltage > 10 && f.sonar.discs.length >= 8);
});

// Whoever is first says why: the page, or the agent, which hears nothing from a page that sleeps.
const reasons = (f) => `${f.ended}; ${f.control.why}`;

test("blur stops", { skip }, async () => {
  const focus = await rivalForFocus(page);
  await arm(page);
  await hold(page, "KeyA");
  await until(page, drives, "it turns");
  const returned = await focus.lose();
  assert.equal(await page.evaluate(() => document.visibilityState), "visible");
  const f = await until(page, (now) => now.mode === "disarmed" && stands(now), "disarmed and standing");
  assert.match(reasons(f), /lost focus|no fresh set-point/);
  await returned();
  await page.keyboard.up("KeyA");
});

test("a hidden page stops", { skip }, async () => {
  await arm(page);
  await hold(page, "KeyA");
  await until(page, drives, "it turns");
  await page.evaluate(() => {
    Object.defineProperty(document, "visibilityState", { configurable: true, get: () => "hidden" });
    document.dispatchEvent(new Event("visibilitychange"));
  });
  const f = await until(page, (now) => now.mode === "disarmed" && stands(now), "disarmed and standing");
  assert.match(f.ended, /hidden/);
  await page.keyboard.up("KeyA");
});

test("another tab in front of the page stops", { skip }, async () => {
  const tab = await RealTab.open(browser, house.url);
  let other;
  try {
    await tab.until((f) => f.device?.phase === 4 && f.pictureAge < 300, "robot and picture", 30_000);
    await tab.drive("KeyA", drives);
    other = await RealTab.open(browser, "about:blank");
    await until(page, (f) => stands(f) && f.mode === "disarmed", "disarmed and standing, as a watcher sees it");
    assert.equal(await tab.evaluate("document.visibilityState"), "hidden");
    await tab.front();
    const f = await tab.until((now) => now.pictureAge < 300, "it looks again");
    assert.match(reasons(f), /lost focus|hidden|no fresh set-point/);
    await new Promise((next) => setTimeout(next, 500));
    assert.ok(stands(await facts(page)), "the key that is still held moves nothing");
    await tab.key("keyUp", "KeyA");
  } finally {
    await other?.close();
    await tab.close();
  }
});

test("two pages: one drives, the other watches and stops by the space bar", { skip }, async () => {
  const watcher = await openPage(browser, house.url);
  try {
    await until(watcher, (f) => f.viewers === 2 && f.picture !== null, "both look on");
    await arm(page);
    await until(watcher, (f) => f.control.holder_name !== "" && !f.holds, "it sees who drives");
    await hold(page, "KeyA");
    await until(watcher, drives, "both see it turn");
    await watcher.keyboard.press("Space");
    await until(watcher, (f) => f.stop === "confirmed" && stands(f), "stopped and confirmed");
    await until(page, (f) => !f.holds && !f.armed && f.stop !== "clear", "the driver lost control");
    await page.keyboard.up("KeyA");
  } finally {
    await watcher.context().close();
  }
});

test("Stop by a click", { skip }, async () => {
  await arm(page);
  await hold(page, "KeyA");
  await until(page, drives, "it turns");
  await page.locator("button.stop").click();
  await until(page, (f) => f.stop === "confirmed" && stands(f), "stopped and confirmed");
  await page.keyboard.up("KeyA");
});

test("an unplugged gamepad stops", { skip }, async () => {
  await page.evaluate(() => window.fakePad.plug());
  await until(page, (f) => f.pad === "ready", "the pad is seen");
  await arm(page);
  await push(page, -1, 0);
  await until(page, drives, "it turns");
  await page.evaluate(() => window.fakePad.unplug());
  const f = await until(page, (now) => now.mode === "disarmed" && stands(now), "disarmed and standing");
  assert.match(f.ended, /gamepad is gone/);
});

test("a killed camera leaves a picture that looks stale, and comes back", { skip }, async () => {
  await arm(page);
  await house.kill("cy-camera");
  await until(page, (f) => f.lock !== null, "driving is locked");
  await page.locator(".frame.stale").waitFor();
  house.startCamera();
  await until(page, (f) => f.pictureAge < 300 && f.lock === null, "the picture is live again", 20_000);
});

test("a station that was started again: in place, disarmed", { skip }, async () => {
  await arm(page);
  await hold(page, "KeyA");
  await until(page, drives, "it turns");
  await house.kill("cy-station");
  await until(page, (f) => !f.connected && !f.armed, "the loss is seen");
  await house.startStation();
  const f = await until(page, (now) => now.connected && now.link === "up" && stands(now), "it is back, the robot stands", 20_000);
  assert.ok(!f.armed && !f.holds);
  await page.keyboard.up("KeyA");
});

test("a frozen station stops the robot; thawed, it moves nothing by what it held", { skip }, async () => {
  await arm(page);
  await hold(page, "KeyA");
  await until(page, drives, "it turns");
  const station = house.programs.get("cy-station");
  station.kill("SIGSTOP");
  try {
    const speed = () => Math.abs(house.status().robots[0].base.angular_rad_s);
    for (const end = Date.now() + 10_000; speed() > 0.05; ) assert.ok(Date.now() < end, "the robot stands");
  } finally {
    station.kill("SIGCONT");
  }
  const f = await until(page, (now) => now.connected && now.link === "up" && now.mode === "disarmed", "it is back, disarmed", 20_000);
  assert.ok(!f.armed);
  await page.keyboard.up("KeyA");
  await page.locator("button.next").click(); // "Arm", or with control asked for anew, as long as it was frozen
  await until(page, (now) => now.armed && now.lock === null, "armed by a person");
  await hold(page, "KeyA");
  await until(page, drives, "it turns again");
  await page.keyboard.up("KeyA");
});

test("an agent that was started again is followed, and can be driven", { skip }, async () => {
  const before = await until(page, (f) => f.statusNumber > 20, "a while of statuses");
  await house.kill("cy-agent");
  await until(page, (f) => f.link === "lost" || f.link === "gone", "the loss is seen", 20_000);
  assert.match(await page.locator("cy-link .rows").first().innerText(), /Round trip\s+unknown/); // and not the last, in green
  const settings = readFileSync(house.path("agent.toml"), "utf8");
  writeFileSync(house.path("agent.toml"), settings.replace("127.0.0.1:0", `127.0.0.1:${house.agentPort}`));
  house.spawn("cy-agent", ["--config", house.path("agent.toml")]);
  const f = await until(page, (now) => now.link === "up" && now.device?.phase === 4 && now.statusNumber !== before.statusNumber, "it is back", 60_000);
  assert.ok(!f.armed && !f.holds);
  await until(page, (now) => now.pictureAge < 300, "the picture is live", 30_000);
  await arm(page);
  await hold(page, "KeyA");
  await until(page, drives, "it turns");
  await page.keyboard.up("KeyA");
});
