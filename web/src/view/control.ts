import { css, html, nothing } from "lit";
import { shortName } from "../page.js";
import { DevicePhase, Mode, ModeNames, RoleNames } from "../wire/messages.js";
import { CyElement, define, look } from "./element.js";
import { speed, turn } from "./format.js";

/** Who drives, and the one next step for whoever sits here: take control and arm, then hold. */
class CyControl extends CyElement {
  static override styles = [
    look,
    css`
      .panel {
        display: flex;
        flex-direction: column;
        gap: 8px;
      }
      h2 {
        margin: 0;
      }
      .next {
        width: 100%;
        padding: 11px;
        font-size: 16px;
      }
      .said {
        border-left: 3px solid var(--amber);
        background: var(--raised);
        border-radius: 0 8px 8px 0;
        padding: 6px 10px;
        overflow-wrap: anywhere;
      }
      .hint {
        color: var(--muted);
        font-size: 12.5px;
        margin: 0;
      }
      .wish {
        display: flex;
        justify-content: space-between;
        align-items: center;
        gap: 8px;
      }
      .hands {
        display: grid;
        grid-template-columns: 1fr 124px;
        gap: 12px;
        align-items: center;
      }
      cy-stick {
        width: 124px;
        height: 124px;
      }
      label {
        display: grid;
        gap: 3px;
        color: var(--muted);
        font-size: 12.5px;
      }
      label b {
        color: var(--text);
        font-size: 15px;
        font-variant-numeric: tabular-nums;
      }
      input[type="range"] {
        width: 100%;
        accent-color: var(--accent);
        height: 24px;
        margin: 0;
      }
      input[type="checkbox"] {
        accent-color: var(--amber);
        margin: 0 6px 0 0;
      }
      .check {
        display: flex;
        align-items: center;
      }
    `,
  ];

  override render() {
    const { page } = this;
    const { store } = page;
    const control = store.controlNow;
    const mode = control ? (ModeNames[control.mode] ?? "unknown") : "unknown";
    return html`<div class="panel">
      <h2>
        Control
        <span class="mode ${store.armed ? "green" : ""}">${store.armed ? mode : control ? mode : ""}</span>
      </h2>
      <div class="holder">${this.holder()}</div>
      ${this.nextStep()} ${this.said()} ${this.wishes()} ${this.hands()}
      <div class="buttons">${this.more()}</div>
    </div>`;
  }

  private holder() {
    const { store } = this.page;
    const control = store.controlNow;
    if (store.iHold) return html`<b>You have control</b>`;
    if (!control) return html`<span class="muted">nothing heard of the robot yet</span>`;
    if (control.holder_name || control.lease !== 0)
      return html`<b>${control.holder_name || "somebody"}</b> has control <span class="muted">(${RoleNames[control.holder_role] ?? "unknown"})</span>`;
    return html`<span class="muted">Nobody has control</span>`;
  }

  private nextStep() {
    const { page } = this;
    const { store } = page;
    const control = store.controlNow;
    const button = (text: string, act: () => void, ready = true, inviting = ready) =>
      html`<button class="next ${inviting ? "primary" : ""}" ?disabled=${!ready || page.busy !== ""} @click=${act}>${page.busy ? `${page.busy}…` : text}</button>`;
    if (!page.connected) return button("Not connected", () => {}, false);
    if (page.stopPress.state === "unknown") return button("The robot is not heard", () => {}, false);
    if (page.stopPress.state !== "clear") return button("Stopped: release it first", () => {}, false);
    if (store.armed) return button("Disarm", () => page.disarm(), true, false);
    if (!control || store.deviceNow?.phase !== DevicePhase.ready) return button("The robot is not ready", () => {}, false);
    if (store.iHold) return button("Arm", () => void page.armNow());
    if (control.lease !== 0) return button("Ask for control", () => void page.askForControl());
    return button("Take control and arm", () => void page.takeControl());
  }

  private said() {
    const { page } = this;
    const control = page.store.controlNow;
    if (page.ended) return html`<div class="said ended" role="alert">${page.ended.text}</div>`;
    if (page.store.armed) return html`<p class="hint">Hold W A S D, the arrows, a gamepad's stick or the stick below. Let go to stand.</p>`;
    if (page.store.iHold && control?.why) return html`<div class="said">${control.why}</div>`;
    if (control?.mode === Mode.task || control?.mode === Mode.policy)
      return html`<div class="said">${control.why || `The robot moves by itself: ${ModeNames[control.mode]}`}</div>`;
    return nothing;
  }

  private wishes() {
    const { page } = this;
    const wishes = page.store.controlNow?.wishes ?? [];
    if (wishes.length === 0) return nothing;
    if (!page.store.iHold) return html`<div class="muted">Waiting for control: ${wishes.map((w) => w.name || "somebody").join(", ")}</div>`;
    return wishes.map(
      (w) => html`<div class="wish said">
        <span><b>${w.name || "Somebody"}</b> ${w.why || "would like to drive"}</span>
        <button class="small" @click=${() => void page.grant(w)}>Hand over</button>
      </div>`,
    );
  }

  private hands() {
    const { page } = this;
    const full = page.fullSpeed;
    return html`<div class="hands">
      <div>
        <label>
          Speed when held fully
          <b>${speed(full.linear)} · ${turn(full.angular)}</b>
          <input type="range" min="0.05" step="0.05" max=${page.limits.linear.toFixed(2)} .value=${String(full.linear)}
            @input=${(e: Event) => this.choose(Number((e.target as HTMLInputElement).value))}
            @change=${(e: Event) => (e.target as HTMLElement).blur()} />
        </label>
        ${this.pad()} ${this.picture()}
      </div>
      <cy-stick .page=${page}></cy-stick>
    </div>`;
  }
  private choose(value: number) {
    this.page.speed = value;
    this.page.onChange();
  }

  private pad() {
    const { state, name, standard } = this.page.pad.view;
    if (state === "none") return html`<p class="hint">no gamepad</p>`;
    const ready = standard ? "ready, B stops" : "ready, any button stops";
    const text = { "centre it": "centre its stick once", ready, stale: "says nothing new: centre it" }[state];
    return html`<p class="hint" title=${name}>${shortName(name) || "gamepad"}: ${text}</p>`;
  }

  private picture() {
    const { page } = this;
    if (!page.store.stream || !page.store.iHold) return nothing;
    return html`<label class="check">
      <span><input type="checkbox" .checked=${page.withoutPicture}
        @change=${(e: Event) => this.without((e.target as HTMLInputElement).checked)} />drive without picture</span>
    </label>`;
  }
  private without(on: boolean) {
    this.page.withoutPicture = on;
    this.page.onChange();
  }

  private more() {
    const { page } = this;
    if (!page.store.iHold || !page.connected) return nothing;
    const on = page.store.facts?.base?.value.motors;
    return html`
      ${on === undefined ? nothing : html`<button class="small" ?disabled=${page.store.armed || page.busy !== ""} @click=${() => void page.motors(!on)}>${on ? "Motors off" : "Motors on"}</button>`}
      <button class="small" @click=${() => void page.giveUpControl()}>Give up control</button>
    `;
  }
}
define("cy-control", CyControl);
