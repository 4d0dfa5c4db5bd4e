// What a person would try in the first five minutes, done by a real browser, with figures.
import { readFileSync } from "node:fs";
import { bootOffset, monotonic } from "../house/clock.mjs";
import { arm, facts, hold, launch, openPage, until } from "../../web/test/page/browser.mjs";

const ready = 4; // DevicePhase
const pause = (ms) => new Promise((next) => setTimeout(next, ms));
const stands = (f) => f.base && Math.abs(f.base.twist.linear) < 0.02 && Math.abs(f.base.twist.angular) < 0.05;
const quantile = (values, q) => [...values].sort((a, b) => a - b)[Math.floor(q * (values.length - 1))];

/** The controller's byte trace: [{t (ns of CLOCK_BOOTTIME), ev, …}]. */
const trace = (house) =>
  readFileSync(house.path("trace"), "utf8")
    .split("\n")
    .filter((line) => line.endsWith("}"))
    .map((line) => JSON.parse(line));

/** From `from` to the controller's being told to stand, and to its standing, in ms. */
function stopTimes(house, from) {
  const events = trace(house);
  const speed = { VEL: 0, RVEL: 0 };
  let told = NaN;
  for (const e of events) {
    if (e.ev !== "order") continue;
    if (e.name in speed) speed[e.name] = e.value;
    else if (e.name === "STOP" || e.name === "E_STOP") speed.VEL = speed.RVEL = 0;
    else continue;
    if (e.t / 1e6 < from) continue;
    if (speed.VEL === 0 && speed.RVEL === 0) {
      told = e.t / 1e6 - from;
      break;
    }
  }
  const rest = events.find((e) => e.t / 1e6 >= from && e.ev === "motion" && e.to === "resting");
  return { told, rest: rest ? rest.t / 1e6 - from : NaN };
}

/** Figures that are missing fail too. */
function bound(what, value, least, most) {
  if (!(value >= least && value <= most)) throw new Error(`${what}: ${value}, not within ${least} and ${most}`);
}

export async function runCheck(house) {
  const boot = bootOffset().value;
  const machineNow = () => monotonic() + boot; // the trace's clock
  const note = (what, value) => console.log(`  ${what.padEnd(58)} ${value}`);
  let browser;
  let step = "opening the page";
  try {
    browser = await launch();
    let page = await openPage(browser, house.url);
    step = "robot ready and a live picture";
    await until(page, (f) => f.device?.phase === ready && f.picture !== null && f.pictureAge < 300, step, 30_000);
    await pause(2000);
    const ages = await page.evaluate(() => window.cy.shown().slice(-50).map((p) => p.age));
    note("age of the picture, p50 / p95", `${quantile(ages, 0.5).toFixed(0)} / ${quantile(ages, 0.95).toFixed(0)} ms`);
    note("round trip station to agent", `${(await facts(page)).rtt.toFixed(2)} ms`);

    step = "taking control and arming";
    await arm(page);
    step = "driving with a key";
    const before = (await facts(page)).base.pose;
    await hold(page, "KeyA");
    await until(page, (f) => Math.abs(f.base.twist.angular) > 0.2, "it turns");
    await pause(700);
    await page.keyboard.up("KeyA");
    await until(page, stands, "it stands");
    await hold(page, "KeyW");
    await pause(1300);
    if (process.env.CY_SCREENSHOT) await page.screenshot({ path: process.env.CY_SCREENSHOT });
    await pause(200);
    await page.keyboard.up("KeyW");
    const f = await until(page, stands, "it stands");
    const way = Math.hypot(f.base.pose.x - before.x, f.base.pose.y - before.y);
    const turned = Math.abs(f.base.pose.yaw - before.yaw) * 57.3;
    note("driven by keys", `${way.toFixed(2)} m, turned ${turned.toFixed(0)}°`);
    bound("metres driven by a key", way, 0.1, 3);
    bound("degrees turned by a key", turned, 10, 350);
    note("sonars heard, battery", `${f.sonar.discs.filter((d) => d.heard).length} of ${f.sonar.discs.length}, ${f.power.voltage.toFixed(1)} V`);

    step = "stopping by the space bar";
    if (!(await facts(page)).armed) await arm(page);
    await hold(page, "KeyA");
    await until(page, (now) => Math.abs(now.base.twist.angular) > 0.2, "it turns");
    const pressed = machineNow();
    await page.keyboard.press("Space");
    await until(page, (now) => now.stop === "confirmed", "the stop is confirmed");
    await page.keyboard.up("KeyA");
    const byHand = stopTimes(house, pressed);
    note("Stop: controller told, robot standing", `${byHand.told.toFixed(0)} ms, ${byHand.rest.toFixed(0)} ms after the key`);
    bound("ms from the key to the controller's stop", byHand.told, 0, 250);
    bound("ms from the key to the robot's standing", byHand.rest, 0, 3000);
    await page.locator("button.release").click();
    await until(page, (now) => now.stop === "clear", "the stop is released");

    step = "pulling the network cable while driving";
    await arm(page);
    await hold(page, "KeyA");
    await until(page, (now) => Math.abs(now.base.twist.angular) > 0.2, "it turns");
    const pulled = machineNow();
    house.pullCable();
    await until(page, (now) => now.link === "lost" || now.link === "gone", "the page says that the link is lost");
    await page.keyboard.up("KeyA");
    await pause(500);
    const cut = stopTimes(house, pulled);
    note("cable pulled: controller told to stop after", `${cut.told.toFixed(0)} ms (bound 350)`);
    bound("ms from the cable to the controller's stop", cut.told, 0, 350);
    house.plugCable();
    const back = machineNow();
    await until(page, (now) => now.link === "up" && now.mode === "disarmed" && !now.armed && stands(now),
      "the link is up again, and the robot disarmed", 20_000);
    note("cable back: link up, disarmed", `${(machineNow() - back).toFixed(0)} ms`);

    step = "killing the camera";
    await house.kill("cy-camera");
    await until(page, (now) => now.pictureAge === null || now.pictureAge > 1000, "the picture grows old");
    await page.locator(".frame.stale").waitFor();
    house.startCamera();
    const started = machineNow();
    await until(page, (now) => now.pictureAge !== null && now.pictureAge < 300, "the picture is live again", 20_000);
    note("camera killed and started again: live picture after", `${(machineNow() - started).toFixed(0)} ms`);

    step = "the browser's own complaints";
    if (page.complaints.length > 0) throw new Error(page.complaints.join("\n"));
    console.log("\nEverything held.");
    return 0;
  } catch (error) {
    console.error(`\nFailed while ${step}: ${error.message}`);
    for (const [name, program] of house.programs) console.error(`--- ${name}\n${program.said.slice(-2000)}`);
    return 1;
  } finally {
    await browser?.close();
  }
}
