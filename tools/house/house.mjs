// The real programs, each started as a person would start it, on free ports, in a folder of their
// own. Everything that knows a command line or a configuration file stands here.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
export const bin = process.env.CY_BIN ?? join(process.env.CY_BUILD_DIR ?? join(root, "build", "dev"), "bin");
const needed = ["cy", "cy-sim", "cy-agent", "cy-camera", "cy-station"];

/** What is not built, or "": then the tests can run. */
export const missing = needed.filter((name) => !existsSync(join(bin, name))).join(", ");

const sleep = (ms) => new Promise((next) => setTimeout(next, ms));

async function fileText(path, program, limit = 20_000) {
  for (const end = Date.now() + limit; Date.now() < end; await sleep(30)) {
    if (program.exitCode !== null) throw new Error(`${program.spawnfile} ended with ${program.exitCode}\n${program.said}`);
    if (existsSync(path)) {
      const text = readFileSync(path, "utf8");
      if (text.endsWith("\n")) return text;
    }
  }
  throw new Error(`${program.spawnfile} did not write ${path}\n${program.said}`);
}

function freePort() {
  return new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

async function answers(url, program, limit = 20_000) {
  for (const end = Date.now() + limit; Date.now() < end; await sleep(50)) {
    if (program.exitCode !== null) throw new Error(`cy-station ended with ${program.exitCode}\n${program.said}`);
    try {
      if ((await fetch(url)).ok) return;
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // not listening yet
    }
  }
  throw new Error(`no page at ${url}\n${program.said}`);
}

export class House {
  /** `sim` and `camera`: more words for cy-sim and cy-camera; `source`: a camera other than the world's. */
  static async start({ sim = [], camera = [], source } = {}) {
    const house = new House();
    house.simWords = sim;
    house.cameraWords = camera;
    house.source = source ?? house.source;
    try {
      await house.startAll();
    } catch (error) {
      await house.close();
      throw error;
    }
    return house;
  }

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), "cy-e2e-"));
    this.programs = new Map();
    this.simWords = [];
    this.cameraWords = [];
    this.source = `world:${this.path("eye")}`;
  }
  path(name) {
    return join(this.folder, name);
  }

  async startAll() {
    this.run("cy", ["keygen", this.path("agent.key")]);
    this.run("cy", ["keygen", this.path("station.key")]);
    this.run("cy", ["trust", "--file", this.path("trusted"), "operator", this.path("station.key.pub"), "bench"]);

    const sim = this.spawn("cy-sim", [
      "--robot", "p3dx-sh:0", "--profile", "ideal", "--camera", this.path("eye"), "--port-file", this.path("robots"),
      "--trace", this.path("trace"), ...this.simWords,
    ]);
    const robot = (await fileText(this.path("robots"), sim)).trim().split(/\s+/)[1];

    writeFileSync(
      this.path("agent.toml"),
      [
        "[agent]",
        'name = "bench"',
        'listen = "127.0.0.1:0"',
        'key_file = "agent.key"',
        'trust_file = "trusted"',
        'socket = "cameras.sock"',
        'port_file = "agent.port"',
        "real_time = false",
        "[[robot]]",
        'name = "ada"',
        'driver = "arcos"',
        `address = "${robot}"`,
        "",
      ].join("\n"),
    );
    const agent = this.spawn("cy-agent", ["--config", this.path("agent.toml")]);
    this.agentPort = (await fileText(this.path("agent.port"), agent)).trim();
    this.startCamera();
    this.stationPort = await freePort();
    this.url = `http://127.0.0.1:${this.stationPort}/`;
    await this.startStation();
  }

  startCamera() {
    return this.spawn("cy-camera", [
      "--source", this.source, "--agent", this.path("cameras.sock"), "--stream", "1", "--robot", "1",
      "--name", "front", ...this.cameraWords,
    ]);
  }

  async startStation() {
    const station = this.spawn("cy-station", [
      "--name", "bench", "--listen", `127.0.0.1:${this.stationPort}`, "--web", join(root, "web", "dist"),
      "--agent", `127.0.0.1:${this.agentPort}`, "--agent-key", this.path("agent.key.pub"), "--key", this.path("station.key"),
    ]);
    await answers(this.url, station);
  }

  /** What `cy status --json` says, asked beside the station. */
  status() {
    const reach = ["--agent", `127.0.0.1:${this.agentPort}`, "--agent-key", this.path("agent.key.pub"), "--key", this.path("station.key")];
    return JSON.parse(this.run("cy", ["status", ...reach, "--for", "0.3", "--json"]));
  }

  run(name, words) {
    const { status, stderr, stdout } = spawnSync(join(bin, name), words, { encoding: "utf8", timeout: 10_000 });
    if (status !== 0) throw new Error(`${name} ${words.join(" ")} ended with ${status}\n${stdout}${stderr}`);
    return stdout;
  }

  spawn(name, words) {
    const program = spawn(join(bin, name), words, { cwd: this.folder, stdio: ["ignore", "pipe", "pipe"] });
    program.said = "";
    const end = () => program.kill("SIGKILL"); // whatever ends the tests ends what they started
    process.once("exit", end);
    program.once("exit", () => process.off("exit", end));
    for (const stream of [program.stdout, program.stderr])
      stream.on("data", (text) => (program.said = (program.said + text).slice(-20_000)));
    this.programs.set(name, program);
    return program;
  }

  async kill(name, signal = "SIGKILL") {
    const program = this.programs.get(name);
    this.programs.delete(name);
    if (!program || program.exitCode !== null || program.signalCode !== null) return;
    const ended = new Promise((done) => program.once("exit", done));
    program.kill(signal);
    await Promise.race([ended, sleep(5000).then(() => program.kill("SIGKILL"))]);
    await ended;
  }

  async close() {
    for (const name of ["cy-station", "cy-camera", "cy-agent", "cy-sim"]) await this.kill(name, "SIGTERM");
    rmSync(this.folder, { recursive: true, force: true });
  }
}
