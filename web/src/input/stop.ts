// One press of Stop, from the finger to the agent's word that the robot stands.
//
// Pressing never fails and needs nothing: without a connection the stop is kept and sent the
// moment there is one. It is repeated until the agent has latched it, and it is called confirmed
// only when the agent says so.

export type StopState =
  | "clear" // nothing latched
  | "waiting" // pressed here, and there is no connection to send it on
  | "sent" // pressed here: not confirmed
  | "latched" // the agent has latched a stop: not confirmed
  | "confirmed"; // latched, and measured standing still

export interface StopFacts {
  latched: boolean;
  confirmed: boolean;
  revision: number;
}

const repeatAfter = 400; // ms

export class StopPress {
  state: StopState = "clear";
  /** what the last answer said against it */
  trouble = "";
  private sentAt = -Infinity;
  private accepted = false;

  /** True: send a stop now. */
  press(now: number, connected: boolean): boolean {
    if (this.state !== "latched" && this.state !== "confirmed") this.state = connected ? "sent" : "waiting";
    this.trouble = "";
    this.accepted = false;
    if (connected) this.sentAt = now;
    return connected;
  }

  /** True: send it again. */
  tick(now: number, connected: boolean): boolean {
    if (this.state !== "sent" && this.state !== "waiting") return false;
    if (!connected) {
      this.state = "waiting";
      this.accepted = false;
      return false;
    }
    if (this.state === "sent" && (this.accepted || now - this.sentAt < repeatAfter)) return false;
    this.state = "sent";
    this.sentAt = now;
    return true;
  }

  onEnded(applied: boolean, text: string): void {
    this.accepted ||= applied;
    this.trouble = applied ? "" : text;
  }

  onControl(facts: StopFacts): void {
    if (facts.latched) {
      this.state = facts.confirmed ? "confirmed" : "latched";
      this.trouble = "";
      this.accepted = false;
    } else if (this.state === "latched" || this.state === "confirmed" || (this.state === "sent" && this.accepted)) {
      this.state = "clear"; // released by somebody
      this.accepted = false;
    }
  }
}
