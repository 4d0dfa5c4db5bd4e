// A robot for the page's tests: wheels, sonars in a room, a lease, arming and a latched stop.
// It keeps the agent's rules as far as the page can see them, and records what reached it.
const room = { left: -3, right: 4, low: -2.5, high: 2.5 }; // m, walls around the origin
const lifetime = 1500; // ms; longer than a real agent's, so that a busy test machine disarms nothing

const ring = [90, 50, 30, 10, -10, -30, -50, -90, -90, -130, -150, -170, 170, 150, 130, 90].map((degrees) => {
  const yaw = (degrees * Math.PI) / 180;
  return { x: 0.16 * Math.cos(yaw), y: 0.14 * Math.sin(yaw), z: 0.2, roll: 0, pitch: 0, yaw };
});

export class ScriptedRobot {
  constructor(wire) {
    this.wire = wire;
    this.started = performance.now();
    this.pose = { x: 0, y: 0, yaw: 0.4 };
    this.twist = { linear: 0, angular: 0 };
    this.motors = false;
    this.sonar = true;
    this.mode = "disarmed";
    this.why = "the agent has just begun: take control, then arm";
    this.holder = null; // { viewer, person }
    this.wishes = [];
    this.latched = null; // { by, confirmed }
    this.revision = 1;
    this.number = 0;
    this.until = 0;
    this.loop = 0;
    this.drives = []; // every PageDrive that arrived, with its time
    this.ends = []; // every disarm, with reason
    this.disarmedBy = 0; // the newest: an arm sent before it is overtaken
    this.confirmAfter = 150; // ms from a stop to its confirmation
  }
  get stamp() {
    return Math.floor((performance.now() - this.started) * 1000 + 1_000_000) >>> 0;
  }

  // ---- what the page asks

  command(viewer, person, raw, token) {
    const { wire } = this;
    const refused = (refusal, text) => ({ ending: wire.Ending.refused, refusal, text });
    const applied = { ending: wire.Ending.applied, refusal: 0, text: "" };
    const mine = this.holder?.viewer === viewer;
    ++this.revision;
    switch (raw.type) {
      case wire.RequestLease.type:
        if (this.holder && !mine) {
          this.wishes = [...this.wishes.filter((w) => w.viewer !== viewer), { viewer, person }];
          return refused(wire.Refusal.busy, `${this.holder.person} has control; they see that you ask for it`);
        }
        this.holder = { viewer, person };
        this.disarm("control was taken: arm to drive");
        return applied;
      case wire.ReleaseLease.type:
        if (mine) this.release("control was given up");
        return applied;
      case wire.GrantLease.type: {
        const wish = wire.decode(wire.GrantLease, raw.payload);
        const next = this.wishes.find((w) => w.viewer === wish.person);
        if (!mine || !next) return refused(wire.Refusal.no_lease, "");
        this.holder = next;
        this.wishes = [];
        this.disarm("control was handed over: arm to drive");
        return applied;
      }
      case wire.Arm.type:
        if (this.latched) return refused(wire.Refusal.stop_latched, "");
        if (!mine) return refused(wire.Refusal.no_lease, "");
        if (token < this.disarmedBy) return refused(wire.Refusal.too_old, "");
        this.mode = "armed";
        this.why = "";
        this.motors = true;
        return applied;
      case wire.Disarm.type: {
        const { reason, why } = wire.decode(wire.Disarm, raw.payload);
        this.ends.push({ reason, why, at: performance.now() });
        this.disarmedBy = token;
        if (mine) this.disarm(why);
        return applied;
      }
      case wire.Stop.type: {
        const { why } = wire.decode(wire.Stop, raw.payload);
        const latched = { by: person, confirmed: false, why };
        this.latched ??= latched;
        this.stand();
        this.release("the stop was pressed");
        setTimeout(() => {
          latched.confirmed = true;
          ++this.revision;
        }, this.confirmAfter);
        return applied;
      }
      case wire.ReleaseStop.type:
        if (this.latched && !this.latched.confirmed) return refused(wire.Refusal.not_ready, "");
        this.latched = null;
        this.disarm("the stop was released: take control, then arm");
        return applied;
      case wire.Motors.type:
        this.motors = wire.decode(wire.Motors, raw.payload).on;
        return applied;
      case wire.SonarPower.type:
        this.sonar = wire.decode(wire.SonarPower, raw.payload).on;
        return applied;
      default:
        return refused(wire.Refusal.unknown_command, "this robot does not know that");
    }
  }

  drive(viewer, drive) {
    const now = performance.now();
    this.drives.push({ viewer, at: now, ...drive });
    if (this.holder?.viewer !== viewer || (this.mode !== "armed" && this.mode !== "driving")) return;
    this.twist = drive.twist;
    this.loop = ((this.stamp - drive.echo_us) >>> 0) / 1000;
    this.until = now + lifetime - drive.age_ms;
    const standing = drive.twist.linear === 0 && drive.twist.angular === 0;
    this.mode = standing ? "armed" : "driving";
  }

  leave(viewer) {
    if (this.holder?.viewer === viewer) this.release("their page went away");
  }

  // ---- time

  step(dt) {
    if (this.mode === "driving" && performance.now() > this.until) this.disarm("no fresh set-point in time: let go, then arm again");
    const { linear, angular } = this.twist;
    this.pose.yaw += angular * dt;
    const x = this.pose.x + linear * Math.cos(this.pose.yaw) * dt;
    const y = this.pose.y + linear * Math.sin(this.pose.yaw) * dt;
    this.stalled = x < room.left + 0.4 || x > room.right - 0.4 || y < room.low + 0.4 || y > room.high - 0.4;
    if (!this.stalled) Object.assign(this.pose, { x, y });
  }

  stand() {
    this.twist = { linear: 0, angular: 0 };
  }
  disarm(why) {
    this.stand();
    this.mode = "disarmed";
    this.why = why;
    ++this.revision;
  }
  release(why) {
    this.holder = null;
    this.disarm(why);
  }

  // ---- what the page is told

  inventory() {
    const at = (kind, id, elements = [], range_max = 0) =>
      this.wire.PartInfo.of({ id, kind: this.wire.PartKind[kind], name: kind, elements, range_max, mount: this.wire.Mount.of() });
    return this.wire.encode(this.wire.Inventory, {
      revision: 1,
      robots: [
        this.wire.RobotInfo.of({
          id: 1,
          device: 1,
          name: "ada",
          kind: "mobile",
          model: "Pioneer P3-DX (p3dx-sh)",
          footprint: { front: 0.21, rear: 0.24, half_width: 0.19, radius: 0.26 },
          limits: this.wire.BaseLimits.of({ linear: 1.2, angular: 5.2 }),
          parts: [
            at("base", 1),
            at("sonar", 2, ring, 5),
            at("bumper", 3, ring.filter((_, i) => i % 3 === 0)),
            at("power", 4),
          ],
        }),
      ],
      devices: [this.device()],
    });
  }
  device(phase = "ready", step = "", trouble = "") {
    return this.wire.DeviceState.of({ device: 1, phase: this.wire.DevicePhase[phase], step, trouble, attempt: trouble ? 3 : 0 });
  }

  range(mount) {
    const yaw = this.pose.yaw + mount.yaw;
    const [dx, dy] = [Math.cos(yaw), Math.sin(yaw)];
    const x = this.pose.x + mount.x * Math.cos(this.pose.yaw) - mount.y * Math.sin(this.pose.yaw);
    const y = this.pose.y + mount.x * Math.sin(this.pose.yaw) + mount.y * Math.cos(this.pose.yaw);
    const along = (d, from, low, high) => (d > 1e-6 ? (high - from) / d : d < -1e-6 ? (low - from) / d : Infinity);
    return Math.min(along(dx, x, room.left, room.right), along(dy, y, room.low, room.high));
  }

  status() {
    const { wire } = this;
    ++this.number;
    const part = (id, type, values) =>
      wire.PartReading.of({ part: id, origin: 0, age_ms: 8, state: wire.bodyOf(type, type.of(values)) });
    return wire.encode(wire.RobotStatus, {
      robot: 1,
      number: this.number,
      stamp_us: this.stamp,
      parts: [
        part(1, wire.BaseState, {
          pose: { ...this.pose },
          odometry_epoch: 1,
          twist: { ...this.twist },
          motors: this.motors,
          moving: this.twist.linear !== 0 || this.twist.angular !== 0,
          stall_left: this.stalled ?? false,
        }),
        part(2, wire.SonarState, {
          enabled: this.sonar,
          discs: ring.map((mount, i) => {
            const range = this.range(mount);
            return { range: Math.min(range, 5), heard: range < 5, age_ms: ((i * 40) + this.number * 100) % 320 };
          }),
        }),
        part(3, wire.BumperState, { pressed: this.stalled ? 1 : 0 }),
        part(4, wire.PowerState, { voltage: 12.6, fraction: null, charge: 1 }),
      ],
    });
  }

  control() {
    const { wire } = this;
    return wire.encode(wire.ControlState, {
      resource: 1,
      revision: this.revision,
      mode: this.latched ? (this.latched.confirmed ? wire.Mode.stopped : wire.Mode.stopping) : wire.Mode[this.mode],
      why: this.why,
      stop_latched: this.latched !== null,
      stop_confirmed: this.latched?.confirmed ?? false,
      stopped_by: this.latched?.by ?? "",
      lease: this.holder ? 7 : 0,
      holder_person: this.holder?.viewer ?? 0,
      holder_name: this.holder?.person ?? "",
      holder_role: 1,
      wishes: this.wishes.map((w) => wire.Wish.of({ station: 1, person: w.viewer, name: w.person, role: 1, why: "would like to drive" })),
      cap_linear: this.mode === "driving" ? 0.62 : 1.2,
      cap_angular: 1.5,
      cap_reason: this.mode === "driving" ? wire.CapReason.obstacle : wire.CapReason.robot_limits,
      guard_distance: this.mode === "driving" ? 1.35 : -1,
      loop_age_us: this.loop * 1000,
      lifetime_ms: this.mode === "driving" ? 300 : 0,
    });
  }
}
