import { ageOf, PartKind, partOf } from "../link/store.js";
import type { Mount } from "../wire/messages.js";
import { CyCanvas, colours, font, robotPath, unknownFootprint } from "./canvas.js";
import { define } from "./element.js";
import { html } from "lit";

const reach = 3.2; // m shown around the robot
const beam = (15 * Math.PI) / 180; // half of a disc's main lobe
const fadeOver = 1500; // ms until a disc's echo is no longer shown
const touching = 0.4; // m
const close = 1.0; // m

/** What each sonar disc hears, where it stands and looks, paler as it ages. Forward is up. */
class CySonar extends CyCanvas {
  override get heading() {
    return "Sonar";
  }
  override get note() {
    const reading = this.page.store.facts?.sonar;
    const sonar = reading?.value;
    if (!sonar) return "";
    if ((ageOf(reading, performance.now()) ?? 0) > fadeOver) return html`<span class="red">nothing recent</span>`;
    if (!sonar.enabled) return html`<span class="amber">off</span>`;
    if (sonar.silent) return html`<span class="red">on, but silent</span>`;
    const ranges = sonar.discs.filter((d) => d.heard).map((d) => d.range);
    return ranges.length ? `nearest ${Math.min(...ranges).toFixed(2)} m` : "nothing heard";
  }
  override buttons() {
    const sonar = this.page.store.facts?.sonar?.value;
    if (!sonar || !this.page.store.iHold) return "";
    return html`<button class="small" @click=${() => this.page.sonar(!sonar.enabled)}>${sonar.enabled ? "Sonar off" : "Sonar on"}</button>`;
  }

  override draw(c: CanvasRenderingContext2D, width: number, height: number) {
    const { robot, facts } = this.page.store;
    const scale = Math.min(width, height) / 2 / reach;
    this.rings(c, width, height, scale);
    c.save();
    // The robot's frame in metres: x up, y left.
    c.transform(0, -scale, -scale, 0, width / 2, height / 2);
    const part = partOf(robot, PartKind.sonar);
    const sonar = facts?.sonar;
    if (part && sonar?.value.enabled) {
      const base = ageOf(sonar, performance.now()) ?? 0;
      part.elements.forEach((mount, i) => {
        const disc = sonar.value.discs[i];
        if (disc && disc.age_ms !== 0xffffffff)
          this.disc(c, mount, disc.range, disc.heard, base + disc.age_ms, 1 / scale);
      });
    }
    const { front, rear, half_width } = robot?.footprint ?? unknownFootprint;
    robotPath(c, front || 0.2, rear || 0.2, half_width || 0.2);
    c.fillStyle = colours.robot;
    c.strokeStyle = colours.edge;
    c.lineWidth = 1.5 / scale;
    c.fill();
    c.stroke();
    this.bumpers(c, scale);
    c.beginPath();
    c.moveTo(front - 0.05, 0);
    c.lineTo(front - 0.14, 0.06);
    c.lineTo(front - 0.14, -0.06);
    c.fillStyle = colours.heading;
    c.fill();
    c.restore();
    this.labels(c, width, height, scale);
  }

  private rings(c: CanvasRenderingContext2D, width: number, height: number, scale: number) {
    c.strokeStyle = colours.grid;
    for (let r = 1; r <= 3; ++r) {
      c.beginPath();
      c.arc(width / 2, height / 2, r * scale, 0, 2 * Math.PI);
      c.stroke();
    }
  }

  private labels(c: CanvasRenderingContext2D, width: number, height: number, scale: number) {
    c.fillStyle = colours.label;
    c.font = font;
    c.textAlign = "left";
    for (let r = 1; r <= 3; ++r) c.fillText(`${r} m`, width / 2 + r * scale * 0.71 + 3, height / 2 + r * scale * 0.71 + 9);
  }

  private disc(c: CanvasRenderingContext2D, mount: Mount, range: number, heard: boolean, age: number, pixel: number) {
    const fresh = Math.max(0, 1 - age / fadeOver);
    if (fresh === 0) return;
    const shown = Math.min(range, reach * 1.5);
    const colour = !heard ? "90, 110, 130" : range < touching ? colours.touch : range < close ? colours.near : colours.far;
    c.beginPath();
    c.moveTo(mount.x, mount.y);
    c.arc(mount.x, mount.y, shown, mount.yaw - beam, mount.yaw + beam);
    c.closePath();
    c.fillStyle = `rgba(${colour}, ${(heard ? 0.2 : 0.06) * fresh})`;
    c.fill();
    if (!heard) return;
    c.beginPath();
    c.arc(mount.x, mount.y, shown, mount.yaw - beam, mount.yaw + beam);
    c.strokeStyle = `rgba(${colour}, ${fresh})`;
    c.lineWidth = 3 * pixel;
    c.stroke();
  }

  private bumpers(c: CanvasRenderingContext2D, scale: number) {
    const { robot, facts } = this.page.store;
    const pressed = facts?.bumper?.value.pressed ?? 0;
    partOf(robot, PartKind.bumper)?.elements.forEach((mount, i) => {
      if ((pressed & (1 << i)) === 0) return;
      c.beginPath();
      c.arc(mount.x, mount.y, 7 / scale, 0, 2 * Math.PI);
      c.fillStyle = `rgb(${colours.touch})`;
      c.fill();
    });
  }
}
define("cy-sonar", CySonar);
