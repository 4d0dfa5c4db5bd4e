// window.cy: what the page knows, for tests, benches and curious people. Read-only: it drives
// nothing, and nothing in the page depends on it.
import type { Page } from "./page.js";
import { AgentLinkNames, ModeNames } from "./wire/messages.js";
import type { Painted } from "./video/player.js";

export interface Diagnosis {
  /** A snapshot of now. */
  facts(): Record<string, unknown>;
  /** The last 600 pictures that were painted, oldest first. */
  shown(): readonly Painted[];
  /** Calls back right after each picture is on the canvas; returns how to end that. */
  onPainted(listener: (canvas: HTMLCanvasElement, painted: Painted) => void): () => void;
}

declare global {
  interface Window {
    cy?: Diagnosis;
  }
}

export function expose(page: Page): void {
  const { store } = page;
  window.cy = Object.freeze({
    facts: () => ({
      connected: page.connected,
      link: store.link ? AgentLinkNames[store.link.state] : null,
      rtt: store.link?.rtt_ms ?? null,
      loss: store.link?.loss ?? null,
      loop: store.link?.loop_ms ?? null,
      viewer: store.hello?.viewer ?? null,
      robot: store.robot?.name ?? null,
      device: store.deviceNow,
      base: store.facts?.base?.value ?? null,
      statusNumber: store.facts?.number ?? null,
      sonar: store.facts?.sonar?.value ?? null,
      power: store.facts?.power?.value ?? null,
      control: store.controlNow,
      mode: store.controlNow ? (ModeNames[store.controlNow.mode] ?? "unknown") : null,
      holds: store.iHold,
      armed: store.armed,
      moving: page.drive.moving,
      source: page.drive.source,
      lock: page.lock(),
      stop: page.stopPress.state,
      ended: page.ended?.text ?? null,
      busy: page.busy,
      pad: page.pad.view.state,
      viewers: store.viewers?.viewers.length ?? 0,
      stream: store.stream,
      pictureAge: page.pictureAge(),
      picture: page.painted?.number ?? null,
      painted: page.shown.length,
      pictureTrouble: page.player.trouble,
      dropped: page.player.dropped,
      late: page.player.late,
      malformed: store.malformed,
      unknown: store.unknown,
    }),
    shown: () => [...page.shown],
    onPainted: (listener: (canvas: HTMLCanvasElement, painted: Painted) => void) => {
      page.paintListeners.add(listener);
      return () => page.paintListeners.delete(listener);
    },
  });
}
