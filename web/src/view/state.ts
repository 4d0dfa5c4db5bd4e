import { css, html, nothing, type TemplateResult } from "lit";
import { ageOf, PartKind, partOf } from "../link/store.js";
import { CapReason, CapReasonNames, ChargeNames, DevicePhase, DevicePhaseNames } from "../wire/messages.js";
import { CyElement, define, look } from "./element.js";
import { degrees, fixed, ms, speed, turn, unknown } from "./format.js";

/** Older than this, the robot's own figures are no longer called measured. ms */
const oldFrom = 300;

/** The robot in figures, each with its unit: measured, never what was commanded. */
class CyState extends CyElement {
  static override styles = [
    look,
    css`
      .tiles {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(150px, 1fr));
        gap: 8px;
      }
      .tile {
        background: var(--raised);
        border-radius: 8px;
        padding: 7px 10px;
        min-width: 0;
      }
      .tile b {
        display: block;
        font-size: 17px;
        font-weight: 600;
        font-variant-numeric: tabular-nums;
      }
      .tile small {
        display: block;
        color: var(--muted);
        font-size: 12px;
        overflow-wrap: anywhere;
      }
      .old b {
        opacity: 0.45;
      }
      .trouble {
        margin-top: 8px;
        padding: 7px 10px;
        border-left: 3px solid var(--amber);
        background: var(--raised);
        border-radius: 0 8px 8px 0;
      }
    `,
  ];

  override render() {
    const { store } = this.page;
    const age = ageOf(store.facts?.base, performance.now());
    const old = age === null || age > oldFrom;
    return html`<div class="panel">
      <h2>
        Robot
        <span class=${old ? "red" : ""}>${age === null ? "nothing measured yet" : html`measured ${ms(age)} ago`}</span>
      </h2>
      <div class="tiles ${old ? "old" : ""}">
        ${this.motion()} ${this.cap()} ${this.pose()} ${this.battery()} ${this.motors()} ${this.contact()}
      </div>
      ${this.device()}
    </div>`;
  }

  private tile(name: string, value: unknown, more: unknown = nothing, band = ""): TemplateResult {
    return html`<div class="tile"><small>${name}</small><b class=${band}>${value}</b><small>${more}</small></div>`;
  }

  private motion() {
    const base = this.page.store.facts?.base?.value;
    if (!base) return this.tile("Speed, measured", unknown);
    return this.tile("Speed, measured", speed(base.twist.linear), `turning ${turn(base.twist.angular)}`);
  }
  private cap() {
    const control = this.page.store.controlNow;
    if (!control) return this.tile("Speed limit", unknown);
    const by = CapReasonNames[control.cap_reason] ?? "a reason this page does not know";
    const guard = control.guard_distance >= 0 ? ` · obstacle at ${control.guard_distance.toFixed(2)} m` : "";
    const low = control.cap_reason !== CapReason.none && control.cap_reason !== CapReason.robot_limits;
    if (control.cap_reason === CapReason.none && control.cap_linear === 0)
      return this.tile("Speed limit", "none yet", "set while driving");
    const held = control.cap_reason === CapReason.none ? "not reached" : `by ${by}`;
    return this.tile("Speed limit", speed(control.cap_linear), `${held}${guard}`, low ? "amber" : "");
  }
  private pose() {
    const base = this.page.store.facts?.base?.value;
    if (!base) return this.tile("Pose, by odometry", unknown);
    const { x, y, yaw } = base.pose;
    return this.tile("Pose, by odometry", `${fixed(x, 2)}, ${fixed(y, 2)} m`, `heading ${degrees(yaw)}`);
  }
  private battery() {
    const power = this.page.store.facts?.power?.value;
    const charge = power && power.charge > 0 ? (ChargeNames[power.charge] ?? "") : "";
    const voltage = power?.voltage != null ? `${power.voltage.toFixed(1)} V` : unknown;
    const fraction = power?.fraction != null ? `${(power.fraction * 100).toFixed(0)} %` : "charge unknown";
    return this.tile("Battery", voltage, `${fraction}${power?.low ? " · low" : ""}${charge ? ` · ${charge}` : ""}`, power?.low ? "red" : "");
  }
  private motors() {
    const base = this.page.store.facts?.base?.value;
    if (!base) return this.tile("Motors", unknown);
    const more = base.stop_button ? "stop button on the robot is pressed" : base.moving ? "moving" : "standing";
    return this.tile("Motors", base.motors ? "on" : "off", more, base.stop_button ? "red" : base.motors ? "green" : "");
  }
  private contact() {
    const { facts, robot } = this.page.store;
    const base = facts?.base?.value;
    const sides = [base?.stall_left && "left", base?.stall_right && "right"].filter(Boolean).join(" and ");
    const part = partOf(robot, PartKind.bumper);
    const pressed = facts?.bumper?.value.pressed ?? 0;
    const hit = (part?.elements ?? []).flatMap((_, i) => (pressed & (1 << i) ? [i + 1] : []));
    const bumpers = !part ? "no bumpers" : hit.length ? `bumper ${hit.join(", ")} pressed` : "bumpers clear";
    const bad = sides !== "" || pressed !== 0;
    return this.tile("Stalls and bumpers", !base ? unknown : sides ? `${sides} wheel stalled` : pressed ? "contact" : "none", bumpers, bad ? "red" : "");
  }

  private device() {
    const device = this.page.store.deviceNow;
    if (!device || (device.phase === DevicePhase.ready && !device.trouble)) return nothing;
    return html`<div class="trouble device" role="status">
      <b>Controller: ${DevicePhaseNames[device.phase] ?? unknown}${device.step ? ` (${device.step})` : ""}</b>
      ${device.attempt > 0 ? html`<span class="muted">, try ${device.attempt}</span>` : nothing}
      ${device.trouble ? html`<div>${device.trouble}</div>` : nothing}
    </div>`;
  }
}
define("cy-state", CyState);
