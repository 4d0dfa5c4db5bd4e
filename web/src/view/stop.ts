import { css, html, nothing } from "lit";
import { CyElement, define, look } from "./element.js";

/** Always there, for every viewer, without a question. */
class CyStop extends CyElement {
  static override styles = [
    look,
    css`
      .stop {
        width: 100%;
        min-height: 84px;
        border-radius: 14px;
        border: 2px solid #ff7a70;
        background: linear-gradient(#e2372d, #b91d15);
        color: white;
        font-size: 30px;
        font-weight: 700;
        letter-spacing: 0.02em;
        line-height: 1.1;
        touch-action: none;
        box-shadow: 0 2px 10px #0008;
      }
      .stop:hover:not(:disabled) {
        border-color: white;
      }
      .stop small {
        display: block;
        font-size: 12.5px;
        font-weight: 500;
        letter-spacing: 0;
        opacity: 0.9;
        margin-top: 3px;
      }
      .latched .stop {
        background: #4c1411;
        border-color: var(--red);
      }
      .state {
        display: flex;
        gap: 8px;
        align-items: center;
        justify-content: space-between;
        margin-top: 8px;
        padding: 8px 10px 8px 12px;
        border-radius: 8px;
        border: 1px solid var(--red);
        background: #35100e;
      }
      .state b {
        display: block;
      }
      .state.unsure {
        animation: blink 0.8s steps(2, jump-none) infinite alternate;
      }
      .state button {
        white-space: nowrap;
      }
      @keyframes blink {
        to {
          background: #661812;
        }
      }
      @media (max-width: 1000px) {
        .all {
          display: flex;
          gap: 10px;
          align-items: stretch;
        }
        .stop {
          min-height: 64px;
          flex: 1;
        }
        .state {
          margin-top: 0;
          flex: 1.2;
        }
      }
    `,
  ];

  // On the press itself: a click would wait for the release.
  private press = (event: PointerEvent) => {
    if (event.button !== 0) return;
    event.preventDefault();
    this.page.stop("Stop on the page");
  };
  // Enter on the focused button, and assistive technology, come without a pointer.
  private keyed = (event: MouseEvent) => {
    if (event.detail === 0) this.page.stop("Stop on the page");
  };

  override render() {
    const { stopPress } = this.page;
    const { state } = stopPress;
    return html`<div class="all ${state === "clear" ? "" : "latched"}">
      <button class="stop" aria-keyshortcuts="Space" @pointerdown=${this.press} @click=${this.keyed}>
        Stop<small>one press, or the space bar</small>
      </button>
      ${state === "clear" ? nothing : this.latch()}
    </div>`;
  }

  private latch() {
    const { stopPress, store, busy } = this.page;
    const control = store.controlNow;
    const by = control?.stop_latched && control.stopped_by ? ` by ${control.stopped_by}` : "";
    const text = {
      clear: "",
      waiting: "Stop NOT sent: no connection to the station",
      sent: "Stop sent: not confirmed",
      latched: `Stopped${by}: not confirmed`,
      confirmed: `Stopped${by}`,
      unknown: "It was stopped when last heard of",
    }[stopPress.state];
    const more = {
      clear: "",
      waiting: "It will be sent when there is one. Use the stop on the robot.",
      sent: stopPress.trouble || "Waiting for the agent's answer.",
      latched: "The robot has not yet been measured standing still.",
      confirmed: "Latched. Confirmed: the robot stands still.",
      unknown: "There is no link to the robot: somebody may have released it since.",
    }[stopPress.state];
    const sure = stopPress.state === "confirmed";
    return html`<div class="state ${sure ? "" : "unsure"}" role="alert">
      <span><b>${text}</b><span class="muted">${more}</span></span>
      ${control?.stop_latched
        ? html`<button class="release" ?disabled=${!sure || busy !== "" || !this.page.connected} @click=${() => this.page.releaseStop()}>Release</button>`
        : nothing}
    </div>`;
  }
}
define("cy-stop", CyStop);
