import { css, html } from "lit";
import { CyElement, define, look } from "./element.js";

/** A stick for finger or mouse: held is driving, let go is standing. */
class CyStick extends CyElement {
  static override styles = [
    look,
    css`
      svg {
        display: block;
        width: 100%;
        height: 100%;
        touch-action: none;
        cursor: grab;
        user-select: none;
      }
      .off {
        opacity: 0.35;
        cursor: not-allowed;
      }
    `,
  ];

  private place(event: PointerEvent): [number, number] {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    const reach = (Math.min(box.width, box.height) / 2) * 0.72;
    return [(event.clientX - box.x - box.width / 2) / reach, (event.clientY - box.y - box.height / 2) / reach];
  }
  private down = (event: PointerEvent) => {
    if (event.button !== 0 || !this.page.store.armed) return;
    event.preventDefault();
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    if (this.page.stick.start(event.pointerId, ...this.place(event))) this.page.onInput("stick", event.timeStamp);
  };
  private move = (event: PointerEvent) => {
    if (!this.page.stick.held) return;
    this.page.stick.move(event.pointerId, ...this.place(event));
    this.page.onInput("stick", event.timeStamp);
  };
  private up = (event: PointerEvent) => {
    this.page.stick.end(event.pointerId);
    this.page.onInput("stick", event.timeStamp);
  };
  private cancel = (event: PointerEvent) => {
    if (this.page.stick.cancel(event.pointerId))
      this.page.interrupt("pointer", "the touch on the stick was interrupted");
  };

  override render() {
    const { stick, store } = this.page;
    const x = 50 - stick.axes.left * 30;
    const y = 50 - stick.axes.forward * 30;
    return html`<svg
      viewBox="0 0 100 100"
      class=${store.armed ? "" : "off"}
      role="application"
      aria-label="Stick: hold and push to drive"
      @pointerdown=${this.down}
      @pointermove=${this.move}
      @pointerup=${this.up}
      @pointercancel=${this.cancel}
      @lostpointercapture=${this.cancel}
    >
      <circle cx="50" cy="50" r="46" fill="var(--raised)" stroke="var(--line)" />
      <path d="M50 9l5 7H45zM50 91l5-7H45zM9 50l7-5v10zM91 50l-7-5v10z" fill="var(--muted)" />
      <circle cx=${x} cy=${y} r="17" fill=${stick.held ? "var(--accent)" : "#3a4757"} stroke="#0006" />
    </svg>`;
  }
}
define("cy-stick", CyStick);
