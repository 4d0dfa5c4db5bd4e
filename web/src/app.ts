// The page: everything in its place, drawn by one clock.
import { css, html, nothing } from "lit";
import { attach } from "./input/attention.js";
import { expose } from "./diagnose.js";
import { Page } from "./page.js";
import { CyElement, define, look } from "./view/element.js";
import { ms } from "./view/format.js";
import { stateBand } from "./view/link.js";
import "./view/control.js";
import "./view/map.js";
import "./view/sonar.js";
import "./view/state.js";
import "./view/stick.js";
import "./view/stop.js";
import "./view/video.js";
import { AgentLinkNames, NoticeLevelNames } from "./wire/messages.js";

/** Figures need no more redraws than this; what must be seen at once is drawn at once. ms */
const redrawEvery = 90;

class CyApp extends CyElement {
  static override styles = [
    look,
    css`
      :host {
        height: 100vh;
        height: 100dvh;
      }
      .app {
        display: grid;
        height: 100%;
        gap: var(--gap);
        padding: 0 var(--gap) var(--gap);
        grid-template-columns: minmax(0, 1fr) clamp(220px, 20vw, 330px) 332px;
        grid-template-rows: 46px minmax(0, 1fr) minmax(0, 0.62fr) auto;
        grid-template-areas: "head head head" "video sonar side" "video map side" "state state side";
      }
      header {
        grid-area: head;
        display: flex;
        align-items: center;
        gap: 16px;
        min-width: 0;
        white-space: nowrap;
      }
      header b {
        font-size: 16px;
      }
      .grow {
        flex: 1;
        min-width: 0;
        overflow: hidden;
        text-overflow: ellipsis;
      }
      .pill {
        border: 1px solid currentColor;
        border-radius: 99px;
        padding: 1px 10px;
        font-size: 12.5px;
      }
      header input {
        font: inherit;
        width: 120px;
        color: var(--text);
        background: var(--panel);
        border: 1px solid var(--line);
        border-radius: 7px;
        padding: 3px 8px;
      }
      cy-video {
        grid-area: video;
      }
      cy-sonar {
        grid-area: sonar;
      }
      cy-map {
        grid-area: map;
      }
      cy-state {
        grid-area: state;
      }
      .side {
        grid-area: side;
        display: flex;
        flex-direction: column;
        gap: var(--gap);
        min-height: 0;
        overflow-y: auto;
      }
      .side > * {
        flex: none;
      }
      .notices {
        position: fixed;
        left: 50%;
        top: 52px;
        transform: translateX(-50%);
        display: grid;
        gap: 6px;
        z-index: 3;
        max-width: 80vw;
      }
      .notice {
        background: var(--raised);
        border: 1px solid var(--line);
        border-left: 4px solid var(--accent);
        border-radius: 8px;
        padding: 8px 14px;
        box-shadow: 0 4px 18px #000a;
      }
      .notice.warning {
        border-left-color: var(--amber);
      }
      .notice.error {
        border-left-color: var(--red);
      }
      @media (max-width: 1000px) {
        :host {
          height: auto;
        }
        .app {
          height: auto;
          padding-bottom: 96px;
          grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
          grid-template-rows: 46px auto;
          grid-template-areas: "head head" "video video" "side side" "sonar map" "state state";
        }
        cy-video {
          aspect-ratio: 4 / 3;
          max-height: 56vh;
          width: 100%;
        }
        cy-sonar,
        cy-map {
          height: 300px;
        }
        .side {
          display: grid;
          grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
          overflow: visible;
          align-items: start;
        }
        cy-stop {
          position: fixed;
          inset: auto 0 0;
          z-index: 2;
          padding: 10px;
          background: #0c1015ee;
          border-top: 1px solid var(--line);
        }
        .station {
          display: none;
        }
      }
      @media (max-width: 620px) {
        .side,
        .app {
          grid-template-columns: minmax(0, 1fr);
        }
        .app {
          grid-template-areas: "head" "video" "side" "sonar" "map" "state";
        }
        .optional {
          display: none;
        }
      }
    `,
  ];

  override render() {
    const { page } = this;
    return html`<div class="app">
        ${this.head()}
        <cy-video .page=${page}></cy-video>
        <cy-sonar .page=${page}></cy-sonar>
        <cy-map .page=${page}></cy-map>
        <div class="side">
          <cy-stop .page=${page}></cy-stop>
          <cy-control .page=${page}></cy-control>
          <cy-link .page=${page}></cy-link>
        </div>
        <cy-state .page=${page}></cy-state>
      </div>
      <div class="notices" role="status">
        ${page.notices.map((n) => html`<div class="notice ${NoticeLevelNames[n.level] ?? ""}">${n.text}</div>`)}
      </div>`;
  }

  private head() {
    const { page } = this;
    const { store } = page;
    const { robot, viewers, hello, link } = store;
    const robots = store.inventory?.robots ?? [];
    const watching = viewers ? viewers.viewers.length : 0;
    return html`<header>
      <b>${robot ? robot.name || robot.model : "CyLib"}</b>
      <span class="muted grow">
        ${robot?.model ?? ""}<span class="station">${hello ? ` · station ${hello.name}` : ""}</span>
      </span>
      ${robots.length > 1
        ? html`<span class="buttons">${robots.map((r) => html`<button class="small" ?disabled=${r.id === store.selected || store.armed} @click=${() => this.select(r.id)}>${r.name}</button>`)}</span>`
        : nothing}
      ${watching > 1 ? html`<span class="muted viewers" title=${viewers!.viewers.map((v) => v.person).join(", ")}>${watching} looking on</span>` : nothing}
      <span class="pill connection ${page.connected ? stateBand(link?.state) : "red"}">${this.connection()}</span>
      <label class="muted optional">You: <input type="text" maxlength="40" aria-label="Your name" .value=${page.person} @change=${this.rename} /></label>
    </header>`;
  }

  private connection() {
    const { page } = this;
    if (page.connected) return `link ${AgentLinkNames[page.store.link?.state ?? 0] ?? "unknown"}`;
    const wait = page.socket.retryAt - performance.now();
    if (page.socket.state === "waiting" && wait > 500 && Number.isFinite(wait)) return `no station: again in ${ms(wait)}`;
    return "connecting to the station…";
  }

  private select(robot: number) {
    this.page.store.select(robot);
    this.page.onChange();
  }
  private rename = (event: Event) => {
    const field = event.target as HTMLInputElement;
    const name = field.value.trim().slice(0, 40) || "operator";
    field.value = name;
    field.blur();
    remember("person", name);
    this.page.rename(name);
  };

  /** Redraws everything that shows the page's state. */
  redraw() {
    this.requestUpdate();
    for (const element of this.renderRoot.querySelectorAll<CyElement>("cy-video, cy-sonar, cy-map, cy-stop, cy-control, cy-link, cy-state"))
      element.requestUpdate();
    const control = this.renderRoot.querySelector("cy-control") as CyElement | null;
    (control?.renderRoot?.querySelector("cy-stick") as CyElement | null | undefined)?.requestUpdate();
  }
}
define("cy-app", CyApp);

// A browser may forbid storage; the page works without.
function remembered(key: string): string | null {
  try {
    return localStorage.getItem(`cy.${key}`);
  } catch (error) {
    if (error instanceof DOMException) return null;
    throw error;
  }
}
function remember(key: string, value: string): void {
  try {
    localStorage.setItem(`cy.${key}`, value);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
  }
}

const url = new URL("ws", document.baseURI);
url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
const page = new Page(url.href, remembered("person") ?? "operator");
const speed = Number(remembered("speed"));
if (speed > 0) page.speed = speed;

const app = document.createElement("cy-app") as CyApp;
app.page = page;
document.body.append(app);

let dirty = true;
let drawnAt = 0;
let rememberedSpeed = page.speed;
page.onChange = () => (dirty = true);
const frame = (now: number) => {
  if (dirty || now - drawnAt >= redrawEvery) {
    dirty = false;
    drawnAt = now;
    app.redraw();
    if (page.speed !== rememberedSpeed) remember("speed", String((rememberedSpeed = page.speed)));
  }
  requestAnimationFrame(frame);
};
requestAnimationFrame(frame);
page.run();
attach(page);
expose(page);
