import { css, html, nothing } from "lit";
import { bandOf } from "../link/bands.js";
import { AgentLink, AgentLinkNames, ControlState } from "../wire/messages.js";
import { CyElement, define, look } from "./element.js";
import { ms, percent, rate, unknown } from "./format.js";

/** The way to the robot, in figures: how long, how sure, and what was dropped why. */
class CyLink extends CyElement {
  static override styles = [
    look,
    css`
      details {
        margin-top: 6px;
      }
      summary {
        cursor: pointer;
        color: var(--muted);
        font-size: 12.5px;
      }
      .counters {
        max-height: 150px;
        overflow: auto;
        font-size: 12.5px;
        padding-top: 4px;
      }
      .why {
        color: var(--muted);
        font-size: 12.5px;
        overflow-wrap: anywhere;
      }
    `,
  ];

  override render() {
    const { page } = this;
    const { link } = page.store;
    const measured = page.linked ? link : null; // what was measured last says nothing of a link that is not there
    const age = page.pictureAge();
    const loop = loopAge(page.store.controlNow, page.store.link?.loop_ms ?? null);
    const banded = (value: number | null | undefined) => html`<span class=${bandOf(value)}>${ms(value)}</span>`;
    return html`<div class="panel">
      <h2>Link <span class=${stateBand(link?.state)}>${page.connected ? (AgentLinkNames[link?.state ?? 0] ?? unknown) : "station not connected"}</span></h2>
      <div class="rows">
        <span>Age of picture</span>${banded(age)}
        <span>Loop age</span>${loop === null ? html`<span class="muted">not driving</span>` : banded(loop)}
        <span>Round trip</span>${banded(measured?.rtt_ms)}
        <span>Jitter · loss</span><span>${measured ? html`${ms(measured.jitter_ms)} · ${percent(measured.loss)}` : unknown}</span>
        <span>In · out</span><span>${link ? html`${rate(link.in_rate)} · ${rate(link.out_rate)}` : unknown}</span>
      </div>
      ${link?.why && link.state !== AgentLink.up ? html`<div class="why">${link.why}</div>` : nothing}
      ${this.details()}
    </div>`;
  }

  private details() {
    const { page } = this;
    const { link } = page.store;
    const shown = page.shown.slice(-60);
    const decode = shown.length ? shown.reduce((sum, p) => sum + p.decode, 0) / shown.length : null;
    const counters: [string, number | bigint][] = [
      ...(link?.counters ?? []).map((c): [string, bigint] => [c.reason, c.count]),
      ["page: pictures not decoded", page.player.dropped],
      ["page: late pictures", page.player.late],
      ["page: malformed messages", page.store.malformed],
    ];
    return html`<details>
      <summary>Timings and counters</summary>
      <div class="rows counters">
        <span>Agent</span><span>${link?.address || unknown}</span>
        <span>Page to station, round trip</span><span>${ms(page.store.stationRtt.median)}</span>
        <span>Arrival to paint</span><span>${ms(decode)}</span>
        ${counters.map(([reason, count]) => html`<span>${reason}</span><span>${count}</span>`)}
      </div>
    </details>`;
  }
}

/** The agent's own measure while it drives; what the station heard else. */
function loopAge(control: ControlState | null, heard: number | null): number | null {
  return heard ?? (control && control.loop_age_us > 0 && control.lifetime_ms > 0 ? control.loop_age_us / 1000 : null);
}

export function stateBand(state: number | undefined): string {
  if (state === AgentLink.up) return "green";
  return state === AgentLink.late || state === AgentLink.searching ? "amber" : state === undefined ? "muted" : "red";
}
define("cy-link", CyLink);
