// A real Chromium for the tests, and the few gestures they need.
import { chromium } from "playwright-core";

export const executablePath = process.env.CY_CHROMIUM ?? "/usr/bin/chromium";

export async function launch() {
  return chromium.launch({
    executablePath,
    headless: true,
    args: ["--no-sandbox", "--disable-gpu"],
  });
}

/** A page at `url`, with whatever it complains of kept in `complaints`. */
export async function openPage(browser, url, { width = 1440, height = 900, init } = {}) {
  const context = await browser.newContext({ viewport: { width, height } });
  const page = await context.newPage();
  page.complaints = [];
  page.on("pageerror", (error) => page.complaints.push(String(error)));
  page.on("console", (m) => {
    if (m.type() === "error" && !m.text().includes("WebSocket connection")) page.complaints.push(m.text());
  });
  if (init) await page.addInitScript(init);
  await page.goto(url);
  return page;
}

/** Another page beside this one. `lose()` gives it the focus, while this one stays visible, and returns
    how to end that. Opened before: on a busy machine a new page takes a while. */
export async function rivalForFocus(page) {
  const session = await page.context().newCDPSession(page);
  const other = await page.context().newPage();
  await page.bringToFront();
  const lose = async () => {
    // Playwright's pages pretend to have the focus always.
    await session.send("Emulation.setFocusEmulationEnabled", { enabled: false });
    await other.bringToFront();
    return async () => {
      await other.close();
      await page.bringToFront();
      await session.send("Emulation.setFocusEmulationEnabled", { enabled: true });
      await session.detach();
    };
  };
  return { lose };
}

const text = (facts) => JSON.stringify(facts, (_, value) => (typeof value === "bigint" ? Number(value) : value), 1);

export const facts = (page) => page.evaluate(() => window.cy.facts());

/** Asks `look` until `holds` of its answer; says what was true instead. */
export async function watch(look, holds, what, limit = 15_000) {
  const end = Date.now() + limit;
  let last;
  while (Date.now() < end) {
    last = await look();
    if (holds(last)) return last;
    await new Promise((next) => setTimeout(next, 40));
  }
  throw new Error(`not within ${limit} ms: ${what}\n${text(last)}`);
}

export const until = (page, holds, what, limit) => watch(() => facts(page), holds, what, limit);

export async function arm(page) {
  await page.locator("button.next", { hasText: "Take control and arm" }).click();
  return until(page, (f) => f.armed && f.lock === null, "armed");
}

/** Presses a key until the page says that it drives: on a busy machine a picture may just be stale. */
export async function hold(page, key, limit = 15_000) {
  const end = Date.now() + limit;
  while (Date.now() < end) {
    await page.keyboard.down(key);
    for (let i = 0; i < 20; ++i) {
      if ((await facts(page)).moving) return;
      await new Promise((next) => setTimeout(next, 40));
    }
    await page.keyboard.up(key);
    await new Promise((next) => setTimeout(next, 150));
  }
  throw new Error(`${key} moves nothing: ${text(await facts(page))}`);
}

/** Pushes the (fake) gamepad's stick until the page says that it drives, letting go in between: after
    a lock, as by a picture that was late for a moment, only a fresh push counts. */
export async function push(page, x, y, limit = 15_000) {
  const end = Date.now() + limit;
  while (Date.now() < end) {
    await page.evaluate(([px, py]) => window.fakePad.push(px, py), [x, y]);
    for (let i = 0; i < 20; ++i) {
      if ((await facts(page)).moving) return;
      await new Promise((next) => setTimeout(next, 40));
    }
    await page.evaluate(() => window.fakePad.push(0, 0));
    await new Promise((next) => setTimeout(next, 150));
  }
  throw new Error(`the stick moves nothing: ${text(await facts(page))}`);
}
