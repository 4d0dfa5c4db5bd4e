import { html } from "lit";
import { PartKind, partOf } from "../link/store.js";
import type { Pose2 } from "../wire/messages.js";
import { CyCanvas, colours, font, robotPath, unknownFootprint } from "./canvas.js";
import { define } from "./element.js";
import { degrees } from "./format.js";

const echoes = 4000; // remembered points
const tooFar = 4; // m: far echoes say little about where
const tooOld = 150; // ms: an echo heard when the robot was elsewhere

/** Where the robot has been by its own odometry, and what its sonars heard on the way. */
class CyMap extends CyCanvas {
  private points: { x: number; y: number }[] = [];
  private epoch = -1;
  private seen = -1;
  private robotSeen = 0;
  private scale = 60; // pixels a metre, as wide as the way so far needs

  override get heading() {
    return "Way";
  }
  override get note() {
    const base = this.page.store.facts?.base?.value;
    if (!base) return "";
    return `${base.pose.x.toFixed(2)}, ${base.pose.y.toFixed(2)} m · ${degrees(base.pose.yaw)}`;
  }
  override buttons() {
    if (!this.page.store.iHold || this.page.store.armed) return "";
    return html`<button class="small" @click=${() => this.page.resetOdometry()}>Pose to zero</button>`;
  }

  override draw(c: CanvasRenderingContext2D, width: number, height: number) {
    const { store } = this.page;
    const base = store.facts?.base?.value;
    if (!base) return;
    this.listen(base.pose, base.odometry_epoch);
    const frame = this.fit(base.pose, width, height);
    this.grid(c, frame, width, height);
    c.save();
    // Odometry's frame in metres: x right, y up.
    c.transform(this.scale, 0, 0, -this.scale, width / 2 - frame.x * this.scale, height / 2 + frame.y * this.scale);
    const dot = 2.5 / this.scale;
    this.points.forEach((p, i) => {
      c.fillStyle = `rgba(${colours.far}, ${0.15 + 0.55 * (i / this.points.length)})`;
      c.fillRect(p.x - dot / 2, p.y - dot / 2, dot, dot);
    });
    c.beginPath();
    for (const p of store.trail) c.lineTo(p.x, p.y);
    c.lineTo(base.pose.x, base.pose.y);
    c.strokeStyle = colours.trail;
    c.lineWidth = 2 / this.scale;
    c.lineJoin = "round";
    c.stroke();
    c.translate(base.pose.x, base.pose.y);
    c.rotate(base.pose.yaw);
    const { front, rear, half_width } = store.robot?.footprint ?? unknownFootprint;
    robotPath(c, front || 0.2, rear || 0.2, half_width || 0.2);
    c.fillStyle = colours.robot;
    c.strokeStyle = colours.edge;
    c.lineWidth = 1.5 / this.scale;
    c.fill();
    c.stroke();
    c.beginPath();
    c.moveTo(0, 0);
    c.lineTo(front + 0.18, 0);
    c.strokeStyle = colours.heading;
    c.lineWidth = 2.5 / this.scale;
    c.stroke();
    c.restore();
  }

  /** Adds what the sonars heard since the last drawing, at the pose they heard it. */
  private listen(pose: Pose2, epoch: number) {
    const { facts, robot, selected } = this.page.store;
    if (epoch !== this.epoch || selected !== this.robotSeen) this.points = [];
    this.epoch = epoch;
    this.robotSeen = selected;
    const sonar = facts?.sonar?.value;
    const part = partOf(robot, PartKind.sonar);
    if (!facts || facts.number === this.seen || !sonar?.enabled || !part) return;
    this.seen = facts.number;
    const [cos, sin] = [Math.cos(pose.yaw), Math.sin(pose.yaw)];
    part.elements.forEach((mount, i) => {
      const disc = sonar.discs[i];
      if (!disc?.heard || disc.age_ms > tooOld || disc.range > tooFar) return;
      const x = mount.x + disc.range * Math.cos(mount.yaw);
      const y = mount.y + disc.range * Math.sin(mount.yaw);
      this.points.push({ x: pose.x + cos * x - sin * y, y: pose.y + sin * x + cos * y });
    });
    if (this.points.length > echoes) this.points.splice(0, this.points.length - echoes);
  }

  /** Zooms out as far as the way needs, smoothly, and no further in than 60 pixels a metre. */
  private fit(pose: Pose2, width: number, height: number): { x: number; y: number } {
    let [left, right, low, high] = [pose.x - 1.5, pose.x + 1.5, pose.y - 1.5, pose.y + 1.5];
    for (const p of this.page.store.trail) {
      left = Math.min(left, p.x - 0.7);
      right = Math.max(right, p.x + 0.7);
      low = Math.min(low, p.y - 0.7);
      high = Math.max(high, p.y + 0.7);
    }
    const wanted = Math.min(60, width / (right - left), height / (high - low));
    this.scale += (wanted - this.scale) * 0.25;
    return { x: (left + right) / 2, y: (low + high) / 2 };
  }

  private grid(c: CanvasRenderingContext2D, centre: { x: number; y: number }, width: number, height: number) {
    const step = this.scale > 25 ? 1 : this.scale > 8 ? 5 : 20;
    c.strokeStyle = colours.grid;
    c.lineWidth = 1;
    c.beginPath();
    const [w, h] = [width / 2 / this.scale, height / 2 / this.scale];
    for (let x = Math.ceil((centre.x - w) / step) * step; x <= centre.x + w; x += step) {
      const at = width / 2 + (x - centre.x) * this.scale;
      c.moveTo(at, 0);
      c.lineTo(at, height);
    }
    for (let y = Math.ceil((centre.y - h) / step) * step; y <= centre.y + h; y += step) {
      const at = height / 2 - (y - centre.y) * this.scale;
      c.moveTo(0, at);
      c.lineTo(width, at);
    }
    c.stroke();
    c.fillStyle = colours.label;
    c.font = font;
    c.textAlign = "left";
    c.fillText(`grid ${step} m`, 2, height - 4);
  }
}
define("cy-map", CyMap);
export { CyMap };
