// A scripted station for the page's own tests: serves web/dist as the real one does and speaks its
// protocol for a scripted robot. Also for looking at the page without building anything else:
//
//   node test/page/feeder.mjs [port]
import { createServer } from "node:http";
import { existsSync, readFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { WebSocketServer } from "ws";
import { ScriptedRobot } from "./scripted_robot.mjs";
import { loadWire } from "./wire.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, "..", "..", "dist");
/** The station's own; test/e2e/drive.test.mjs compares them. */
export const csp = (host) =>
  `default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self' ws://${host}; ` +
  "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const kinds = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };

/** The pictures of an Annex B stream: each begins with a parameter set or a slice. */
export function picturesOf(stream) {
  const starts = [];
  for (let i = 0; i + 3 < stream.length; ++i)
    if (stream[i] === 0 && stream[i + 1] === 0 && stream[i + 2] === 1) starts.push(i > 0 && stream[i - 1] === 0 ? i - 1 : i);
  const pictures = [];
  let from = 0;
  for (const [n, start] of starts.entries()) {
    const header = stream[start] === 0 && stream[start + 2] === 0 ? start + 4 : start + 3;
    const type = stream[header] & 0x1f;
    if (type !== 1 && type !== 5) continue;
    const end = starts[n + 1] ?? stream.length;
    pictures.push({ data: stream.subarray(from, end), key: type === 5 });
    from = end;
  }
  return pictures;
}

export class Feeder {
  static async start(port = 0, options = {}) {
    const wire = await loadWire();
    const feeder = new Feeder(wire, options);
    await feeder.listen(port);
    return feeder;
  }

  constructor(wire, { codec = "h264", fps = 30 } = {}) {
    this.fps = fps;
    this.wire = wire;
    this.robot = new ScriptedRobot(wire);
    this.codec = codec;
    this.frozen = false; // no pictures
    this.pictureAge = 12; // ms
    this.pictureDelay = 0; // ms that a picture waits between the station and the page's own turn
    this.codeclessKeys = 0; // so many keyframes come before their codec is known
    this.armDelay = 0; // ms
    this.lifetime = 300; // ms, of a set-point
    this.period = 50; // ms between set-points
    this.session = 1;
    this.rtt = 6;
    this.link = "up";
    this.views = [];
    this.shown = [];
    this.pages = new Map();
    this.viewer = 0;
    this.frame = 0;
    const clip = readFileSync(join(here, "clip", "clip.h264"));
    this.clip = picturesOf(clip);
    this.stills = [1, 2].map((n) => readFileSync(join(here, "clip", `still${n}.jpg`)));
  }

  async listen(port) {
    this.http = createServer((request, response) => {
      const path = new URL(request.url, "http://x").pathname;
      const file = join(dist, path === "/" ? "index.html" : path);
      if (!file.startsWith(dist) || !existsSync(file)) return void response.writeHead(404).end();
      response.writeHead(200, {
        "content-type": kinds[extname(file)] ?? "application/octet-stream",
        "content-security-policy": csp(request.headers.host),
        "cache-control": "no-store",
      });
      response.end(readFileSync(file));
    });
    this.ws = new WebSocketServer({ server: this.http, path: "/ws" });
    this.ws.on("connection", (socket) => this.onPage(socket));
    await new Promise((ready) => this.http.listen(port, "127.0.0.1", ready));
    this.port = this.http.address().port;
    this.url = `http://127.0.0.1:${this.port}/`;
    this.timers = [
      setInterval(() => this.robot.step(0.02), 20),
      setInterval(() => this.broadcast(this.robot.status()), 100),
      setInterval(() => this.report(), 250),
      setInterval(() => this.picture(), 1000 / this.fps),
      setInterval(() => this.broadcast(this.robot.control()), 150),
    ];
  }

  async close() {
    for (const timer of this.timers) clearInterval(timer);
    for (const socket of this.ws.clients) socket.terminate();
    this.ws.close();
    await new Promise((done) => this.http.close(done));
  }

  broadcast(...messages) {
    const data = Buffer.concat(messages);
    for (const [socket, page] of this.pages) if (page.hello) socket.send(data);
  }

  onPage(socket) {
    const page = { viewer: ++this.viewer, hello: null };
    this.pages.set(socket, page);
    socket.on("message", (data) => {
      for (const raw of this.wire.walk(new Uint8Array(data))) this.onMessage(socket, page, raw);
    });
    socket.on("close", () => {
      this.pages.delete(socket);
      this.robot.leave(page.viewer);
      this.viewers();
    });
  }

  onMessage(socket, page, raw) {
    const { wire, robot } = this;
    if (raw.type === wire.PageHello.type) {
      page.hello = wire.decode(wire.PageHello, raw.payload);
      socket.send(
        Buffer.concat([
          wire.encode(wire.StationHello, {
            viewer: page.viewer, person: page.viewer, name: "bench", software: "CyLib 0.1.0", resume: `r${page.viewer}`,
            drive_lifetime_ms: this.lifetime, drive_period_ms: this.period,
          }),
          robot.inventory(),
          this.streamInfo(),
          robot.control(),
        ]),
      );
      this.viewers();
      this.report();
      return;
    }
    if (!page.hello) return;
    if (raw.type === wire.PageDrive.type) robot.drive(page.viewer, wire.decode(wire.PageDrive, raw.payload));
    else if (raw.type === wire.PagePing.type) {
      const { stamp } = wire.decode(wire.PagePing, raw.payload);
      socket.send(wire.encode(wire.PagePong, { stamp, agent_clock_us: robot.stamp, echo_us: robot.stamp }));
    } else if (raw.type === wire.PageView.type) {
      page.view = wire.decode(wire.PageView, raw.payload);
      this.views.push({ viewer: page.viewer, ...page.view });
      if (page.view.keyframes.length > 0) this.frame += (this.clip.length - (this.frame % this.clip.length)) % this.clip.length;
    } else if (raw.type === wire.PageShown.type) this.shown.push(wire.decode(wire.PageShown, raw.payload));
    else if (raw.type === wire.PageCommand.type) {
      const { token, what } = wire.decode(wire.PageCommand, raw.payload);
      const execute = () => {
        const end = robot.command(page.viewer, page.hello.person, what, token);
        socket.send(wire.encode(wire.PageEnded, { token, ...end }));
        this.broadcast(robot.control());
        this.viewers();
      };
      if (what.type === wire.Arm.type && this.armDelay > 0) setTimeout(execute, this.armDelay);
      else execute();
    }
  }

  viewers() {
    const { wire } = this;
    const viewers = [...this.pages.values()].filter((p) => p.hello).map((p) => ({ viewer: p.viewer, person: p.hello.person, hidden: false }));
    this.broadcast(wire.encode(wire.Viewers, { viewers, driver: this.robot.holder?.person ?? "" }));
    for (const [socket, page] of this.pages)
      socket.send(wire.encode(wire.Holding, { robot: 1, holds: this.robot.holder?.viewer === page.viewer }));
  }

  report() {
    const { wire, robot } = this;
    const driving = robot.mode === "driving";
    this.broadcast(
      wire.encode(wire.LinkReport, {
        state: wire.AgentLink[this.link], why: this.link === "up" ? "" : "no heartbeat for 0.6 s", address: "127.0.0.1:7441",
        rtt_ms: this.rtt, jitter_ms: 0.4, loss: 0.002, loop_ms: driving ? robot.loop : null, agent_clock_us: robot.stamp,
        in_rate: 180_000, out_rate: 3_200,
        session: this.session,
        counters: [wire.Counter.of({ reason: "replayed", count: 2n }), wire.Counter.of({ reason: "video: frame given up", count: 5n })],
      }),
    );
  }

  streamInfo(trouble = "") {
    return this.wire.encode(this.wire.StreamInfo, {
      stream: 1, name: "front", robot: 1, codec: this.codec, codec_string: this.codec === "h264" ? "avc1.42C00D" : "mjpeg",
      width: 320, height: 240, fps: 30, running: trouble === "", trouble,
    });
  }

  picture() {
    const number = this.frame++ + 1;
    if (this.frozen) return;
    const still = this.codec === "mjpeg";
    const { data, key } = still ? { data: this.stills[number % 2], key: true } : this.clip[(number - 1) % this.clip.length];
    const { wire, robot } = this;
    const watched = [...this.pages.values()].some((page) => page.view);
    const codec = key && watched && this.codeclessKeys > 0 && this.codeclessKeys-- ? "" : "avc1.42C00D";
    const message = wire.encode(wire.Picture, {
      stream: 1, number, capture_us: (robot.stamp - this.pictureAge * 1000) >>> 0, age_us: this.pictureAge * 1000,
      key, clean: true, codec_string: still ? "mjpeg" : codec, data: new Uint8Array(data),
    });
    const send = () => {
      for (const [socket, page] of this.pages) if (page.view?.streams.includes(1) && !page.view.hidden) socket.send(message);
    };
    if (this.pictureDelay > 0) setTimeout(send, this.pictureDelay);
    else send();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const feeder = await Feeder.start(Number(process.argv[2] ?? 0));
  console.log(feeder.url);
}
