// A tab of the browser's own, not one of Playwright's: those pretend to be visible and focused always.
import { watch } from "../page/browser.mjs";

export class RealTab {
  static async open(browser, url) {
    const root = await browser.newBrowserCDPSession();
    const { targetId } = await root.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await root.send("Target.attachToTarget", { targetId, flatten: false });
    const tab = new RealTab(root, targetId, sessionId);
    await tab.send("Page.navigate", { url }); // answers once the new document is there
    return tab;
  }

  constructor(root, targetId, sessionId) {
    Object.assign(this, { root, targetId, sessionId, asked: 0, waiting: new Map() });
    root.on("Target.receivedMessageFromTarget", (event) => {
      if (event.sessionId !== sessionId) return;
      const answer = JSON.parse(event.message);
      this.waiting.get(answer.id)?.(answer);
      this.waiting.delete(answer.id);
    });
  }

  /** One command of the DevTools protocol in this tab. */
  async send(method, params = {}) {
    const id = ++this.asked;
    const answered = new Promise((next) => this.waiting.set(id, next));
    const message = JSON.stringify({ id, method, params });
    await this.root.send("Target.sendMessageToTarget", { sessionId: this.sessionId, message });
    const { error, result } = await answered;
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, returnByValue: true });
    if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
    return result.value;
  }

  /** What window.cy knows; its 64-bit numbers as plain ones. */
  async facts() {
    const text = await this.evaluate(
      "window.cy ? JSON.stringify(window.cy.facts(), (_, v) => (typeof v === 'bigint' ? Number(v) : v)) : '{}'",
    );
    return JSON.parse(text);
  }

  until(holds, what, limit) {
    return watch(() => this.facts(), holds, what, limit);
  }

  /** Clicks the middle of the one element of the page that fits, by a real mouse event. */
  async click(selector) {
    const [x, y] = await this.evaluate(`(() => {
      const find = (root) => root.querySelector(${JSON.stringify(selector)}) ??
        [...root.querySelectorAll("*")].map((e) => e.shadowRoot && find(e.shadowRoot)).find(Boolean);
      const box = find(document).getBoundingClientRect();
      return [box.x + box.width / 2, box.y + box.height / 2];
    })()`);
    for (const type of ["mousePressed", "mouseReleased"])
      await this.send("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1 });
  }

  key(type, code) {
    const key = code.slice(3).toLowerCase();
    return this.send("Input.dispatchKeyEvent", { type, code, key, text: type === "keyDown" ? key : undefined });
  }

  /** Asks `look` of the facts for a while; false when it does not come to that. */
  async sees(look, limit) {
    for (const end = Date.now() + limit; Date.now() < end; await new Promise((next) => setTimeout(next, 40)))
      if (look(await this.facts())) return true;
    return false;
  }

  /** Takes control, arms, and holds the key until `drives` says so; begins again where a busy machine let a
      click, the arming or a set-point pass. */
  async drive(code, drives) {
    await this.front();
    for (let n = 0; n < 10; ++n) {
      if (!(await this.facts()).armed) await this.click("button.next");
      if (await this.sees((f) => f.armed && f.lock === null, 2000)) {
        await this.key("keyDown", code);
        if (await this.sees(drives, 2000)) return;
        await this.key("keyUp", code);
      }
    }
    throw new Error(`it does not drive: ${JSON.stringify(await this.facts())}`);
  }

  front() {
    return this.root.send("Target.activateTarget", { targetId: this.targetId });
  }

  async close() {
    await this.root.send("Target.closeTarget", { targetId: this.targetId });
    await this.root.detach();
  }
}
