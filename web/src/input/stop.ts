// One robot's stop: the press made here, from the finger to the agent's word that it has it, and
// the latch as the agent tells of it.
//
// Pressing never fails and needs nothing: without a connection the stop is kept and sent the
// moment there is one, whatever was latched when the agent was last heard. It is repeated until the
// agent has it, and called confirmed only while the agent says so.

export type StopState =
  | "clear" // nothing latched
  | "waiting" // pressed here, and there is no connection to send it on
  | "sent" // pressed here: not confirmed
  | "latched" // the agent has latched a stop: not confirmed
  | "confirmed" // latched, and measured standing still
  | "unknown"; // was latched when the agent was last heard; it may have been released since

export interface StopFacts {
  latched: boolean;
  confirmed: boolean;
  revision: number;
}

const repeatAfter = 400; // ms

export class StopPress {
  /** what the last answer said against it */
  trouble = "";
  /** counts the presses: an answer is of one of them */
  number = 0;
  private pressed: { sent: boolean; sentAt: number; accepted: boolean; known: number } | null = null;
  private latch: "none" | "latched" | "confirmed" = "none";
  /** the agent was not heard since it told of the latch */
  private doubtful = false;
  private revision = 0;

  get state(): StopState {
    if (this.pressed && !this.pressed.sent) return "waiting";
    if (this.latch !== "none" && !this.doubtful) return this.latch;
    if (this.pressed) return "sent";
    return this.latch === "none" ? "clear" : "unknown";
  }

  /** True: send a stop now. */
  press(now: number, connected: boolean): boolean {
    ++this.number;
    this.pressed = { sent: connected, sentAt: now, accepted: false, known: this.revision };
    this.trouble = "";
    return connected;
  }

  /** `heard`: there is a link to the agent. True: send it again. */
  tick(now: number, connected: boolean, heard: boolean): boolean {
    if (!connected || !heard) this.doubtful = true;
    const press = this.pressed;
    if (!press) return false;
    if (!connected) {
      press.sent = press.accepted = false;
      return false;
    }
    if (press.accepted || (press.sent && now - press.sentAt < repeatAfter)) return false;
    Object.assign(press, { sent: true, sentAt: now, known: this.revision });
    return true;
  }

  onEnded(number: number, applied: boolean, text: string): void {
    if (!this.pressed || number !== this.number) return;
    this.pressed.accepted ||= applied;
    this.trouble = applied ? "" : text;
  }

  onControl({ latched, confirmed, revision }: StopFacts): void {
    this.latch = !latched ? "none" : confirmed ? "confirmed" : "latched";
    this.doubtful = false;
    this.revision = revision;
    // A state from before the press says nothing of it.
    if (this.pressed?.accepted && revision > this.pressed.known) this.pressed = null;
  }

  /** The agent may have begun anew: it counts anew, and has no stop of before. */
  onNewAgent(): void {
    this.revision = 0;
    this.doubtful = true;
    if (this.pressed?.accepted) this.pressed = null;
    else if (this.pressed) this.pressed.known = 0;
  }
}
