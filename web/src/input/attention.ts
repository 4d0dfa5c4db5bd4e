// Hands the browser's events to the page, and notices every way of losing the person.
import type { Page } from "../page.js";
import { isDriveKey } from "./keys.js";

function isTyping(event: Event): boolean {
  const target = event.composedPath()[0];
  return target instanceof HTMLInputElement && target.type === "text";
}

export function attach(page: Page): void {
  // Capture: before a focused button or slider makes something else of the key.
  window.addEventListener(
    "keydown",
    (event) => {
      const typing = isTyping(event);
      // While armed the space bar stops wherever the focus is: a name can wait.
      if (event.code === "Space" && (!typing || page.store.armed)) {
        event.preventDefault();
        if (!event.repeat) page.stop("space bar");
        return;
      }
      if (typing) return;
      if (event.ctrlKey || event.metaKey || event.altKey || !isDriveKey(event.code)) return;
      event.preventDefault();
      if (page.keys.down(event.code, event.repeat)) page.onInput("keys", event.timeStamp);
    },
    true,
  );
  window.addEventListener(
    "keyup",
    (event) => {
      // A button that has the focus would be pressed by the end of the space bar's way.
      if (event.code === "Space" && !isTyping(event)) event.preventDefault();
      if (page.keys.up(event.code)) page.onInput("keys", event.timeStamp);
    },
    true,
  );
  window.addEventListener("blur", () => page.interrupt("focus", "the page lost focus"));
  document.addEventListener("visibilitychange", () => {
    const hidden = document.visibilityState === "hidden";
    if (hidden) page.interrupt("hidden", "the page was hidden");
    page.setHidden(hidden);
  });
  window.addEventListener("pagehide", () => {
    page.interrupt("hidden", "the page was left");
    page.socket.close();
  });
  window.addEventListener("pageshow", () => page.socket.reopen(performance.now()));
  // The pad's own event comes at once; polling would see it a tick later.
  window.addEventListener("gamepaddisconnected", () => page.tick());
  window.addEventListener("contextmenu", (event) => {
    // A long touch on the stick is no question for a menu.
    if (page.stick.held) event.preventDefault();
  });
}
