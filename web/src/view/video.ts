import { css, html, nothing } from "lit";
import { bandOf, lockFrom } from "../link/bands.js";
import { CyElement, define, look } from "./element.js";
import { ms } from "./format.js";

/** The picture, as large as there is room, and how old it is. A stale one cannot be taken for live. */
class CyVideo extends CyElement {
  static override styles = [
    look,
    css`
      :host {
        height: 100%;
      }
      .frame {
        position: relative;
        height: 100%;
        width: 100%;
        background: #05070a;
        border: 1px solid var(--line);
        border-radius: var(--radius);
        overflow: hidden;
        display: grid;
        place-items: center;
      }
      canvas {
        position: absolute;
        inset: 0;
        width: 100%;
        height: 100%;
        object-fit: contain;
        transition: filter 0.15s;
      }
      .stale canvas {
        filter: grayscale(1) brightness(0.55) blur(1px);
      }
      .stale .hatch {
        position: absolute;
        inset: 0;
        background: repeating-linear-gradient(-45deg, #ff5d5540 0 10px, transparent 10px 34px);
      }
      .stale.frame {
        border-color: var(--red);
        box-shadow: inset 0 0 0 3px var(--red);
      }
      .words {
        position: relative;
        max-width: 80%;
        padding: 12px 18px;
        text-align: center;
        background: #0a0e13e6;
        border: 1px solid var(--line);
        border-radius: 10px;
      }
      .stale .words {
        border-color: var(--red);
      }
      .words b {
        display: block;
        font-size: 19px;
      }
      .badges {
        position: absolute;
        left: 10px;
        right: 10px;
        top: 10px;
        display: flex;
        justify-content: space-between;
        pointer-events: none;
      }
      .badge {
        background: #0a0e13cc;
        border-radius: 7px;
        padding: 3px 9px;
        font-variant-numeric: tabular-nums;
        font-size: 13px;
      }
      .badge::before {
        content: "";
        display: inline-block;
        width: 8px;
        height: 8px;
        border-radius: 50%;
        background: currentColor;
        margin-right: 7px;
      }
      .badge.name::before {
        display: none;
      }
      .foot {
        position: absolute;
        inset: auto 10px 10px;
        display: flex;
        justify-content: space-between;
        align-items: end;
        gap: 10px;
        pointer-events: none;
      }
      .drive {
        background: #0a0e13cc;
        border-radius: 9px;
        padding: 6px 12px;
        font-size: 15px;
        font-weight: 600;
      }
      .drive.live {
        background: #0f3a1d;
        color: #b9f6cb;
      }
      .drive.locked {
        background: #4c1411;
        color: #ffd2ce;
      }
    `,
  ];

  override render() {
    const { page } = this;
    const { store } = page;
    const stream = store.stream;
    const age = page.pictureAge();
    const stale = stream !== null && age !== null && age > lockFrom;
    const words = this.words(age, stale);
    return html`<div class="frame ${stale ? "stale" : ""}">
      ${page.canvas}
      <div class="hatch"></div>
      ${words === nothing ? nothing : html`<div class="words" role="status">${words}</div>`}
      <div class="badges">
        <span class="badge name muted">${stream ? html`${stream.name} · ${stream.width}×${stream.height} px` : "camera"}</span>
        ${age === null ? nothing : html`<span class="badge age ${bandOf(age)}">picture ${ms(age)} old</span>`}
      </div>
      <div class="foot">${this.driveState()}<span></span></div>
    </div>`;
  }

  private words(age: number | null, stale: boolean) {
    const { page } = this;
    const stream = page.store.stream;
    const trouble = stream?.trouble || page.player.trouble;
    if (stale) return html`<b>The picture is ${ms(age)} old</b>${trouble || this.why()}`;
    if (age !== null) return nothing;
    if (!page.connected) return html`<b>No connection to the station</b>${page.closedWhy || "connecting…"}`;
    if (!stream) return html`<b>No camera</b><span class="muted">The agent has none for this robot; it can be driven without.</span>`;
    return html`<b>No picture yet</b>${trouble || `waiting for ${stream.name}`}`;
  }

  private why() {
    const { page } = this;
    if (!page.connected) return "the connection to the station was lost";
    if (page.withoutPicture) return "you chose to drive without it";
    return page.store.armed ? "driving is locked until it is live" : "it is not live";
  }

  private driveState() {
    const { page } = this;
    if (!page.store.armed) return nothing;
    const lock = page.lock();
    if (lock !== null) return html`<span class="drive locked">Locked: ${lock}</span>`;
    if (page.drive.moving) return html`<span class="drive live">Driving by ${sourceNames[page.drive.source!]}</span>`;
    if (page.drive.waitsForNeutral) return html`<span class="drive">Armed: let go of keys and sticks first</span>`;
    return html`<span class="drive">Armed: hold W A S D, the arrows, or a stick</span>`;
  }
}
const sourceNames = { keys: "keys", pad: "gamepad", stick: "stick on the screen" };
define("cy-video", CyVideo);
