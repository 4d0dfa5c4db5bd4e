import { css, html } from "lit";
import { CyElement, look } from "./element.js";

/** A drawing that fills its place, sharp on every screen; the units on it are CSS pixels. */
export abstract class CyCanvas extends CyElement {
  static override styles = [
    look,
    css`
      :host {
        height: 100%;
      }
      .panel {
        display: flex;
        flex-direction: column;
        min-height: 0;
      }
      .place {
        position: relative;
        flex: 1;
        min-height: 0;
      }
      canvas {
        position: absolute;
        inset: 0;
        width: 100%;
        height: 100%;
      }
      .buttons {
        position: absolute;
        right: 0;
        bottom: 0;
      }
    `,
  ];

  abstract get heading(): string;
  abstract get note(): unknown;
  abstract draw(context: CanvasRenderingContext2D, width: number, height: number): void;
  buttons(): unknown {
    return "";
  }

  override render() {
    return html`<div class="panel">
      <h2>${this.heading}<span>${this.note}</span></h2>
      <div class="place"><canvas role="img" aria-label=${this.heading}></canvas><div class="buttons">${this.buttons()}</div></div>
    </div>`;
  }

  override updated() {
    const canvas = this.renderRoot.querySelector("canvas");
    if (!canvas) return;
    const { clientWidth: width, clientHeight: height } = canvas;
    const scale = window.devicePixelRatio || 1;
    const [w, h] = [Math.round(width * scale), Math.round(height * scale)];
    if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
    const context = canvas.getContext("2d");
    if (!context || w === 0 || h === 0) return;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    this.draw(context, width, height);
  }
}

export const colours = {
  grid: "#202935",
  label: "#8594a5",
  robot: "#33404f",
  edge: "#b9c6d4",
  heading: "#5aa9ff",
  trail: "#5aa9ff",
  far: "70, 196, 107",
  near: "227, 169, 44",
  touch: "255, 93, 85",
};

export const font = '11px "DejaVu Sans", system-ui, sans-serif';

/** The robot's outline about the origin, x forward: the context's frame in metres. */
export function robotPath(context: CanvasRenderingContext2D, front: number, rear: number, half: number): void {
  const corner = Math.min(half, front) * 0.45;
  context.beginPath();
  context.moveTo(front, half - corner);
  context.lineTo(front, corner - half);
  context.lineTo(front - corner, -half);
  context.lineTo(-rear + corner, -half);
  context.lineTo(-rear, corner - half);
  context.lineTo(-rear, half - corner);
  context.lineTo(-rear + corner, half);
  context.lineTo(front - corner, half);
  context.closePath();
}

/** What is drawn while the robot has not said how large it is. m */
export const unknownFootprint = { front: 0.2, rear: 0.2, half_width: 0.2, radius: 0.3 };
