// What the page knows, made only from the station's messages and the times they came.
import { type Body, Malformed, type Message, as, walk } from "../wire/codec.js";
import {
  BaseState, BumperState, ControlState, DeviceState, DisarmReason, Holding, Inventory, LinkReport, Mode, Notice,
  PageEnded, PagePong, PartKind, Picture, PowerState, type RobotInfo, RobotStatus, SonarState, StationHello,
  StreamInfo, TaskState, Viewers,
} from "../wire/messages.js";
import { AgentClock, Echo, Recent } from "./stamps.js";

/** A part's state, and how old it is: `age` at `at`, growing since. ms, the page's clock */
export interface Reading<T> {
  value: T;
  origin: number;
  age: number;
  at: number;
}

export interface RobotFacts {
  /** counts up within one session with the agent */
  number: number;
  session: number;
  at: number;
  base: Reading<BaseState> | null;
  sonar: Reading<SonarState> | null;
  bumper: Reading<BumperState> | null;
  power: Reading<PowerState> | null;
}

export interface TrailPoint {
  x: number;
  y: number;
  yaw: number;
}

const trailLength = 4000;
const trailStep = 0.02; // m

export class Store {
  hello: StationHello | null = null;
  inventory: Inventory | null = null;
  readonly devices = new Map<number, DeviceState>();
  readonly robots = new Map<number, RobotFacts>();
  readonly control = new Map<number, ControlState>();
  readonly tasks = new Map<number, TaskState>();
  readonly holds = new Set<number>();
  readonly streams = new Map<number, StreamInfo>();
  link: LinkReport | null = null;
  viewers: Viewers | null = null;
  trail: TrailPoint[] = [];
  trailEpoch = -1;
  readonly echo = new Echo();
  readonly clock = new AgentClock();
  /** page to station and back. ms */
  readonly stationRtt = new Recent();
  /** the robot that this page looks at */
  selected = 0;
  malformed = 0;
  unknown = 0;

  private session = 0;

  /** `captured`: the time of its capture on the page's clock. */
  onPicture: (picture: Picture, now: number, captured: number) => void = () => {};
  onEnded: (ended: PageEnded) => void = () => {};
  onNotice: (notice: Notice) => void = () => {};
  onControl: (control: ControlState) => void = () => {};
  /** The first words of the station, on every connection. */
  onHello: (hello: StationHello) => void = () => {};
  onInventory: (inventory: Inventory) => void = () => {};
  /** From here on the agent may be another one. */
  onNewAgent: () => void = () => {};

  get robot(): RobotInfo | null {
    return this.inventory?.robots.find((r) => r.id === this.selected) ?? null;
  }
  get facts(): RobotFacts | null {
    return this.robots.get(this.selected) ?? null;
  }
  get controlNow(): ControlState | null {
    return this.control.get(this.selected) ?? null;
  }
  get deviceNow(): DeviceState | null {
    const device = this.robot?.device ?? 0;
    return this.devices.get(device) ?? null;
  }
  get iHold(): boolean {
    return this.holds.has(this.selected);
  }
  get armed(): boolean {
    const mode = this.controlNow?.mode;
    return this.iHold && (mode === Mode.armed || mode === Mode.driving);
  }
  /** The picture to drive by: of this robot, else of none. */
  get stream(): StreamInfo | null {
    const all = [...this.streams.values()].sort((a, b) => a.stream - b.stream);
    return all.find((s) => s.robot === this.selected) ?? all.find((s) => s.robot === 0) ?? null;
  }

  /** What was true only while connected. What was seen last stays on the screen, ageing. */
  onClosed(): void {
    this.hello = null;
    this.link = null;
    this.holds.clear();
    this.echo.forget();
    this.stationRtt.clear();
    for (const [id, control] of this.control) {
      if (control.mode === Mode.armed || control.mode === Mode.driving)
        this.control.set(id, { ...control, mode: Mode.disarmed, reason: DisarmReason.link_lost });
    }
  }

  /** An agent that began anew counts, stamps and grants anew. Its robot's figures age until it tells. */
  private forgetAgent(): void {
    ++this.session;
    this.control.clear();
    this.tasks.clear();
    this.echo.forget();
    this.clock.forget();
    this.onNewAgent();
  }

  onData(data: Uint8Array, now: number): void {
    try {
      for (const raw of walk(data)) this.route(raw, now);
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      ++this.malformed;
    }
  }

  private route(raw: Body, now: number): void {
    const handler = this.handlers.get(raw.type);
    if (!handler) {
      ++this.unknown;
      return;
    }
    try {
      handler(raw, now);
    } catch (error) {
      // One bad message is dropped whole; those around it are sound.
      if (!(error instanceof Malformed)) throw error;
      ++this.malformed;
    }
  }

  private readonly handlers = new Map<number, (raw: Body, now: number) => void>();
  private on<T>(type: Message<T>, handle: (value: T, now: number) => void): void {
    this.handlers.set(type.type, (raw, now) => handle(as(type, raw)!, now));
  }

  constructor() {
    this.on(StationHello, (hello) => {
      if (!this.hello) this.forgetAgent(); // who knows what happened meanwhile
      this.hello = hello;
      this.onHello(hello);
    });
    this.on(Inventory, (inventory) => {
      this.inventory = inventory;
      for (const device of inventory.devices) this.devices.set(device.device, device);
      if (!inventory.robots.some((r) => r.id === this.selected)) this.select(inventory.robots[0]?.id ?? 0);
      this.onInventory(inventory);
    });
    this.on(DeviceState, (device) => this.devices.set(device.device, device));
    this.on(RobotStatus, (status, now) => this.onStatus(status, now));
    this.on(ControlState, (control) => {
      this.control.set(control.resource, control);
      this.onControl(control);
    });
    this.on(TaskState, (task) => this.tasks.set(task.resource, task));
    this.on(Holding, ({ robot, holds }) => (holds ? this.holds.add(robot) : this.holds.delete(robot)));
    this.on(StreamInfo, (stream) => this.streams.set(stream.stream, stream));
    this.on(Picture, (picture, now) => {
      // The station knows how old it was when it left, the clock how long it waited for this page.
      const age = Math.max(picture.age_us / 1000, this.clock.since(picture.capture_us, now) ?? 0);
      this.onPicture(picture, now, now - age);
    });
    this.on(LinkReport, (link) => {
      if (this.link && this.link.session !== link.session) {
        this.forgetAgent();
        this.trailEpoch = -1;
      }
      this.link = link;
    });
    this.on(PagePong, (pong, now) => {
      this.stationRtt.add(now - pong.stamp);
      this.echo.saw(pong.echo_us);
      this.clock.saw(pong.agent_clock_us, pong.stamp);
    });
    this.on(Viewers, (viewers) => (this.viewers = viewers));
    this.on(PageEnded, (ended) => this.onEnded(ended));
    this.on(Notice, (notice) => this.onNotice(notice));
  }

  select(robot: number): void {
    this.selected = robot;
    this.trail = [];
    this.trailEpoch = -1;
  }

  private onStatus(status: RobotStatus, now: number): void {
    const before = this.robots.get(status.robot);
    // A late one never overwrites a newer.
    if (before && before.session === this.session && ((status.number - before.number) | 0) <= 0) return;
    const facts: RobotFacts = {
      number: status.number, session: this.session, at: now, base: null, sonar: null, bumper: null, power: null,
    };
    for (const { origin, age_ms, state } of status.parts) {
      const reading = <T>(type: Message<T>): Reading<T> | null => {
        const value = as(type, state);
        return value === null ? null : { value, origin, age: age_ms, at: now };
      };
      facts.base ??= reading(BaseState);
      facts.sonar ??= reading(SonarState);
      facts.bumper ??= reading(BumperState);
      facts.power ??= reading(PowerState);
    }
    this.robots.set(status.robot, facts);
    this.echo.saw(status.stamp_us);
    if (status.robot === this.selected && facts.base) this.walk(facts.base.value);
  }

  private walk(base: BaseState): void {
    if (base.odometry_epoch !== this.trailEpoch) {
      this.trail = [];
      this.trailEpoch = base.odometry_epoch;
    }
    const last = this.trail.at(-1);
    const { x, y, yaw } = base.pose;
    if (last && Math.hypot(x - last.x, y - last.y) < trailStep) return;
    this.trail.push({ x, y, yaw });
    // Far back, every other point will do.
    if (this.trail.length > trailLength) this.trail = this.trail.filter((_, i, all) => i > all.length / 2 || i % 2 === 0);
  }
}

/** A reading's age now. ms */
export function ageOf(reading: { age: number; at: number } | null | undefined, now: number): number | null {
  return reading ? reading.age + (now - reading.at) : null;
}

export function partOf(robot: RobotInfo | null, kind: number): RobotInfo["parts"][number] | null {
  return robot?.parts.find((p) => p.kind === kind) ?? null;
}

export { PartKind };
