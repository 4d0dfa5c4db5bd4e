// ./dev demo: the world, an agent, a camera and a station, and the page's address. With --check a
// real Chromium drives, looks, stops, loses the network and the camera, and says what it measured.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { House, missing } from "../house/house.mjs";

const check = process.argv.includes("--check");

/** The house with a network in the middle that can be pulled: station → cy emulate → agent. */
class DemoHouse extends House {
  async startStation() {
    if (!this.programs.has("cy")) await this.startNetwork();
    await super.startStation();
  }
  async startNetwork() {
    const file = this.path("network.port");
    const proxy = this.spawn("cy", ["emulate", "--listen", "127.0.0.1:0", "--to", `127.0.0.1:${this.agentPort}`,
      "clean", "--port-file", file]);
    for (const limit = Date.now() + 10_000; !(existsSync(file) && readFileSync(file, "utf8").endsWith("\n")); ) {
      if (proxy.exitCode !== null || Date.now() > limit) throw new Error(`cy emulate did not start\n${proxy.said}`);
      await new Promise((next) => setTimeout(next, 30));
    }
    this.agentPort = readFileSync(file, "utf8").trim();
  }
  /** A frozen proxy is a pulled cable: nothing comes through, nobody is told. */
  pullCable() {
    this.programs.get("cy").kill("SIGSTOP");
  }
  plugCable() {
    this.programs.get("cy").kill("SIGCONT");
  }
  async close() {
    if (this.programs.has("cy")) {
      this.plugCable();
      await this.kill("cy", "SIGTERM");
    }
    await super.close();
  }
}

if (missing) {
  console.error(`Not built: ${missing}. ./dev build makes them.`);
  process.exit(1);
}

const house = new DemoHouse();
let ending = false;
async function end(status) {
  if (ending) return;
  ending = true;
  await house.close();
  process.exit(status);
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => end(0));

try {
  await house.startAll();
} catch (error) {
  console.error(`The demo did not start: ${error.message}`);
  await end(1);
}

if (check) {
  const { runCheck } = await import("./check.mjs");
  await end(await runCheck(house));
} else {
  console.log(`\n  The page: ${house.url}\n`);
  console.log("  Take control and arm, then hold W A S D or the arrows; the space bar stops. Ctrl-C ends the demo.");
  if (process.env.DISPLAY || process.env.WAYLAND_DISPLAY)
    spawn("xdg-open", [house.url], { stdio: "ignore", detached: true }).on("error", () => {}).unref();
  for (const [name, program] of house.programs)
    program.on("exit", (code, signal) => {
      if (ending || name === "cy-camera") return;
      console.error(`${name} has ended (${signal ?? code}):\n${program.said}`);
      end(1);
    });
}
