// The page without its looks: the store, the connection, the input, the stop, wired together.
// Everything on the screen is made from this object, and every button calls one of its methods.
import { type Conditions, Drive, type Inputs, type Interruption, type Order, periodFor, turnFor } from "./input/drive.js";
import { Keys } from "./input/keys.js";
import { Pad, padsNow } from "./input/pad.js";
import { Stick } from "./input/stick.js";
import type { StopPress } from "./input/stop.js";
import { Stops } from "./input/stops.js";
import { lockFrom } from "./link/bands.js";
import { Commands, type Answer } from "./link/commands.js";
import { Socket } from "./link/socket.js";
import { Store } from "./link/store.js";
import { Player, type Painted } from "./video/player.js";
import { type Body, type Message, bodyOf, encode } from "./wire/codec.js";
import {
  AgentLink, Arm, Disarm, DisarmReason, GrantLease, Motors, type Notice, NoticeLevel, PageDrive, PageHello,
  PagePing, PageShown, PageView, ReleaseLease, ReleaseStop, RequestLease, ResetOdometry, SonarPower, Stop, type Wish,
} from "./wire/messages.js";

export interface Ended {
  text: string;
  at: number;
}
export interface ShownNotice extends Notice {
  at: number;
}

const reasons: Record<Interruption, number> = {
  focus: DisarmReason.focus_lost,
  hidden: DisarmReason.page_hidden,
  pad: DisarmReason.gamepad_lost,
  pointer: DisarmReason.focus_lost,
  person: DisarmReason.disarmed_by_a_person,
  frozen: DisarmReason.set_points_stale,
};

const usualSpeed = 0.4; // m/s, until the person chooses
const unknownLimits = { linear: 0.5, angular: 1.0 };
const comfortableTurn = 1.75; // rad/s; a P3-DX could do more, its driver could not

export class Page {
  readonly store = new Store();
  readonly keys = new Keys();
  readonly pad = new Pad();
  readonly stick = new Stick();
  readonly drive = new Drive();
  readonly canvas = document.createElement("canvas");
  readonly player: Player;
  readonly socket: Socket;
  private readonly commands: Commands;

  /** m/s at full deflection */
  speed = usualSpeed;
  person = "";
  /** the person has said that they drive without looking through the camera; for this arming alone */
  withoutPicture = false;
  /** what a long action is doing now; empty: nothing */
  busy = "";
  /** why driving ended, or an action failed */
  ended: Ended | null = null;
  notices: ShownNotice[] = [];
  closedWhy = "";
  painted: Painted | null = null;
  readonly shown: Painted[] = [];
  readonly paintListeners = new Set<(canvas: HTMLCanvasElement, painted: Painted) => void>();
  /** Called when something changed that should be seen at once. */
  onChange: () => void = () => {};

  private readonly stops = new Stops();
  private driveNumber = 0;
  private readonly inputAt = { keys: 0, stick: 0 };
  private wasArmed = false;
  private pingedAt = -Infinity;
  private viewed = 0;
  private resume = "";
  private hidden = document.visibilityState === "hidden";

  constructor(url: string, person: string) {
    this.person = person;
    this.socket = new Socket(url, {
      onOpen: () => this.onOpen(),
      onMessage: (data) => this.store.onData(data, performance.now()),
      onClosed: (why) => this.onClosed(why),
    });
    this.commands = new Commands((data) => this.socket.send(data));
    this.player = new Player(this.canvas, {
      onPainted: (painted) => this.onPainted(painted),
      onKeyframeWanted: (stream) => this.sendView([stream]),
    });
    this.store.onPicture = (picture, now, captured) => {
      if (picture.stream === this.viewed) this.player.onPicture(picture, now, captured);
    };
    this.store.onEnded = (ended) => this.commands.onEnded(ended);
    this.store.onNotice = (notice) => this.onNotice(notice);
    this.store.onHello = (hello) => {
      this.resume = hello.resume;
      this.viewed = 0;
      this.drive.period = periodFor(hello.drive_period_ms, hello.drive_lifetime_ms);
      this.onChange();
    };
    this.store.onControl = (control) => {
      this.stops.of(control.resource).onControl({
        latched: control.stop_latched,
        confirmed: control.stop_confirmed,
        revision: control.revision,
      });
      this.onChange();
    };
    this.store.onNewAgent = () => this.stops.onNewAgent();
    this.store.onInventory = ({ robots }) => this.stops.onRobots(robots.map((r) => r.id));
  }

  // ---- time and the connection

  /** From now on looks at everything, about every 50 ms. */
  run(): void {
    this.tick();
    setTimeout(() => this.run(), turnFor(this.drive.period));
  }

  tick(): void {
    const now = performance.now();
    this.socket.tick(now);
    this.commands.tick(now);
    this.followStream();
    this.readPads(now);
    this.driveTick(now);
    this.stopTick(now);
    const moving = this.drive.moving;
    if (this.connected && now - this.pingedAt >= (moving ? 50 : this.store.armed ? 100 : 500)) {
      this.pingedAt = now;
      this.socket.offer(encode(PagePing, { stamp: now }));
    }
    this.notices = this.notices.filter((n) => now - n.at < (n.level === NoticeLevel.info ? 8_000 : 20_000));
  }

  get connected(): boolean {
    return this.socket.state === "open" && this.store.hello !== null;
  }

  /** And the station has a link to the agent. */
  get linked(): boolean {
    const link = this.store.link?.state;
    return this.connected && (link === AgentLink.up || link === AgentLink.late);
  }

  private onOpen(): void {
    this.closedWhy = "";
    this.socket.send(encode(PageHello, { person: this.person, resume: this.resume }));
  }

  private onClosed(why: string): void {
    const wasArmed = this.store.armed;
    this.store.onClosed();
    this.commands.onClosed();
    this.forgetInput();
    this.driveTick(performance.now()); // what was driving ends now, and not at the next turn
    this.stopTick(performance.now());
    this.player.hide(true);
    this.player.hide(this.hidden);
    this.closedWhy = why;
    if (wasArmed) this.tell(`${why}; the robot stops by itself. After it is back: take control again`);
    this.onChange();
  }

  /** Asks for the pictures of what is looked at, whenever that has changed. */
  private followStream(): void {
    const stream = this.store.stream?.stream ?? 0;
    if (!this.connected || stream === this.viewed) return;
    // What was painted of the same stream stays, ageing; another stream's picture must not.
    if (this.painted && this.painted.stream !== stream) {
      this.painted = null;
      this.canvas.width = this.canvas.width; // clears it
    }
    this.viewed = stream;
    this.sendView(stream === 0 ? [] : [stream]);
  }
  private sendView(keyframes: number[]): void {
    const streams = this.viewed === 0 ? [] : [this.viewed];
    this.socket.send(encode(PageView, { streams, hidden: this.hidden, keyframes }));
  }

  // ---- pictures

  private onPainted(painted: Painted): void {
    this.painted = painted;
    this.shown.push(painted);
    if (this.shown.length > 600) this.shown.shift();
    this.socket.offer(
      encode(PageShown, {
        stream: painted.stream,
        number: painted.number,
        age_ms: painted.age,
        decode_ms: painted.decode,
      }),
    );
    for (const listener of this.paintListeners) listener(this.canvas, painted);
  }

  /** Age of what is on the screen. ms; null: there was never a picture */
  pictureAge(now = performance.now()): number | null {
    return this.painted ? now - this.painted.capturedAt : null;
  }

  // ---- driving

  get limits(): { linear: number; angular: number } {
    const limits = this.store.robot?.limits;
    return {
      linear: limits && limits.linear > 0 ? limits.linear : unknownLimits.linear,
      angular: Math.min(comfortableTurn, limits && limits.angular > 0 ? limits.angular : unknownLimits.angular),
    };
  }
  get fullSpeed(): { linear: number; angular: number } {
    const { linear, angular } = this.limits;
    const speed = Math.min(this.speed, linear);
    return { linear: speed, angular: angular * Math.max(0.3, speed / linear) };
  }

  /** Why nothing would move though armed. */
  lock(now = performance.now()): string | null {
    if (this.stopPress.state !== "clear") return "stopped";
    if (!this.linked) return "there is no link to the robot";
    if (!this.store.stream || this.withoutPicture) return null;
    const age = this.pictureAge(now);
    if (age === null) return "there is no picture yet";
    return age > lockFrom ? `the picture is ${(age / 1000).toFixed(1)} s old` : null;
  }

  private get conditions(): Conditions {
    const holds = this.store.iHold && this.connected;
    return { holds, armed: holds && this.store.armed, lock: this.lock(), ...this.fullSpeed };
  }

  private driveTick(now: number): void {
    const inputs: Inputs = {
      keys: { axes: this.keys.axes, at: this.inputAt.keys },
      pad: this.pad.view,
      stick: { axes: this.stick.axes, at: this.inputAt.stick },
    };
    const { conditions } = this;
    if (this.wasArmed && !conditions.armed) this.withoutPicture = false;
    this.wasArmed = conditions.armed;
    this.carryOut(this.drive.tick(now, inputs, conditions));
  }

  /** Something was pressed or let go, at `at` on the page's clock. */
  onInput(source: "keys" | "stick", at: number): void {
    this.inputAt[source] = at;
    this.driveTick(performance.now());
    this.onChange();
  }

  interrupt(interruption: Interruption, why: string): void {
    const armed = this.store.armed;
    this.carryOut(this.drive.interrupt(performance.now(), interruption, why, this.conditions));
    this.forgetInput();
    if (armed) this.tell(`Driving ended: ${why}`);
    this.onChange();
  }

  private forgetInput(): void {
    this.keys.clear();
    this.stick.clear();
    this.pad.recentre();
  }

  private carryOut(orders: Order[]): void {
    for (const one of orders) {
      if (one.order === "drive") {
        const data = encode(PageDrive, {
          robot: this.store.selected,
          twist: one.twist,
          age_ms: one.age,
          echo_us: this.store.echo.stamp,
          picture: this.withoutPicture ? 0 : (this.painted?.number ?? 0),
          number: ++this.driveNumber,
        });
        const stands = one.twist.linear === 0 && one.twist.angular === 0;
        if (stands) this.socket.send(data);
        else this.socket.offer(data);
      } else {
        if (one.interruption === "frozen") this.tell(`Driving ended: ${one.why}`);
        void this.command(bodyOf(Disarm, { reason: reasons[one.interruption], why: one.why }));
      }
    }
  }

  private readPads(now: number): void {
    const used = this.drive.source === "pad";
    const before = this.pad.view.name;
    const event = this.pad.sample(padsNow(), now, this.fullSpeed.linear);
    if (event === "stop") this.stop("button on the gamepad");
    if (event === "lost" && this.store.armed) this.interrupt("pad", `the gamepad is gone (${shortName(before)})`);
    if (event === "stale" && used) this.interrupt("pad", "the gamepad says nothing new; is it out of range?");
  }

  // ---- commands

  private command(what: Body, robot = this.store.selected): Promise<Answer> {
    return this.commands.run(robot, what, performance.now());
  }
  private async act<T>(type: Message<T>, values: Partial<T>, doing: string): Promise<boolean> {
    this.busy = doing;
    this.onChange();
    const answer = await this.command(bodyOf(type, values));
    this.busy = "";
    if (!answer.applied) this.tell(`${doing}: ${answer.text}`);
    this.onChange();
    return answer.applied;
  }

  /** Takes control and arms, one after the other. */
  async takeControl(): Promise<void> {
    if (this.busy) return;
    this.ended = null;
    if (!this.store.iHold) {
      if (!(await this.act(RequestLease, { why: "would like to drive" }, "Asking for control"))) return;
      if (!(await this.until(() => this.store.iHold, 2000, "Asking for control"))) return;
    }
    await this.armNow();
  }

  async armNow(): Promise<void> {
    if (this.busy) return;
    this.ended = null;
    const away = () => document.hidden || !document.hasFocus();
    if (away()) {
      this.tell("Not armed: the page lost focus");
      return;
    }
    // Arming switches the motors on by itself.
    if (!(await this.act(Arm, { revision: this.store.controlNow?.revision ?? 0 }, "Arming"))) return;
    if (away()) {
      this.interrupt("focus", "the page lost focus");
      this.tell("Not armed: the page lost focus");
      return;
    }
    await this.until(() => this.store.facts?.base?.value.motors !== false || !this.store.armed, 4000, "Switching the motors on");
  }

  private async until(holds: () => boolean, limit: number, doing: string): Promise<boolean> {
    this.busy = doing;
    for (const end = performance.now() + limit; performance.now() < end; ) {
      if (holds()) break;
      await new Promise((next) => setTimeout(next, 30));
    }
    this.busy = "";
    if (!holds()) this.tell(`${doing}: it was accepted, but nothing changed`);
    return holds();
  }

  disarm(): void {
    this.interrupt("person", "disarmed here");
  }
  askForControl(): Promise<boolean> {
    return this.act(RequestLease, { why: "would like to drive" }, "Asking for control");
  }
  giveUpControl(): Promise<boolean> {
    this.interrupt("person", "control was given up here");
    return this.act(ReleaseLease, {}, "Giving up control");
  }
  grant(wish: Wish): Promise<boolean> {
    this.interrupt("person", `control was handed to ${wish.name}`);
    return this.act(GrantLease, { station: wish.station, person: wish.person }, "Handing over");
  }
  motors(on: boolean): Promise<boolean> {
    return this.act(Motors, { on }, on ? "Switching the motors on" : "Switching the motors off");
  }
  sonar(on: boolean): Promise<boolean> {
    return this.act(SonarPower, { on }, on ? "Switching the sonar on" : "Switching the sonar off");
  }
  resetOdometry(): Promise<boolean> {
    return this.act(ResetOdometry, {}, "Resetting the pose");
  }

  // ---- stop

  /** Of the robot that is looked at. */
  get stopPress(): StopPress {
    return this.stops.seen(this.store.selected);
  }

  stop(by: string): void {
    const now = performance.now();
    const robot = this.store.selected;
    const send = this.stops.of(robot).press(now, this.connected);
    this.drive.interrupt(now, "person", by, this.conditions); // its orders are not needed: a stop goes out
    this.forgetInput();
    if (send) this.sendStop(robot, by);
    this.onChange();
  }
  private stopTick(now: number): void {
    for (const robot of this.stops.tick(now, this.connected, this.linked)) this.sendStop(robot, "again, since it is not confirmed");
  }
  private sendStop(robot: number, by: string): void {
    const { number } = this.stops.of(robot);
    void this.command(bodyOf(Stop, { why: by }), robot).then((answer) => {
      this.stops.onEnded(robot, number, answer.applied, answer.text);
      this.onChange();
    });
  }
  releaseStop(): Promise<boolean> {
    return this.act(ReleaseStop, { revision: this.store.controlNow?.revision ?? 0 }, "Releasing the stop");
  }

  // ---- the rest

  setHidden(hidden: boolean): void {
    this.hidden = hidden;
    this.player.hide(hidden);
    this.sendView(!hidden && this.viewed !== 0 ? [this.viewed] : []);
  }

  /** After a change of name the station is greeted anew: it introduces the person to the agent. */
  rename(person: string): void {
    this.person = person;
    if (this.connected) this.onOpen();
  }

  tell(text: string): void {
    this.ended = { text, at: performance.now() };
    this.onChange();
  }
  private onNotice(notice: Notice): void {
    this.notices = [...this.notices.slice(-3), { ...notice, at: performance.now() }];
    this.onChange();
  }
}

/** "Xbox Wireless Controller (STANDARD GAMEPAD Vendor: 045e …)" without its brackets */
export function shortName(id: string): string {
  return id.replace(/\s*\(.*$/, "");
}
