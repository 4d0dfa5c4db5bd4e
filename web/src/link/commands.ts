// Events on their way: each gets a token, and exactly one answer.
import { type Body, encode } from "../wire/codec.js";
import { Ending, PageCommand, type PageEnded, RefusalNames } from "../wire/messages.js";

export interface Answer {
  applied: boolean;
  text: string;
}

const answerLimit = 6000; // ms; the station's own deadline is shorter

export class Commands {
  private token = 0;
  private readonly waiting = new Map<number, { until: number; done: (answer: Answer) => void }>();

  constructor(private readonly send: (data: Uint8Array<ArrayBuffer>) => boolean) {}

  run(robot: number, what: Body, now: number): Promise<Answer> {
    const token = ++this.token;
    if (!this.send(encode(PageCommand, { token, robot, what })))
      return Promise.resolve({ applied: false, text: "not sent: there is no connection to the station" });
    return new Promise((done) => this.waiting.set(token, { until: now + answerLimit, done }));
  }

  onEnded(ended: PageEnded): void {
    this.finish(ended.token, { applied: ended.ending === Ending.applied, text: textOf(ended) });
  }
  onClosed(): void {
    for (const token of [...this.waiting.keys()])
      this.finish(token, { applied: false, text: "the connection was lost before an answer came" });
  }
  tick(now: number): void {
    for (const [token, { until }] of [...this.waiting])
      if (now > until) this.finish(token, { applied: false, text: "no answer came; look what the robot does" });
  }

  private finish(token: number, answer: Answer): void {
    const one = this.waiting.get(token);
    this.waiting.delete(token);
    one?.done(answer);
  }
}

function textOf(ended: PageEnded): string {
  if (ended.text) return ended.text;
  switch (ended.ending) {
    case Ending.applied:
      return "";
    case Ending.refused:
      return `refused: ${RefusalNames[ended.refusal] ?? "for a reason this page does not know"}`;
    case Ending.expired_unsent:
      return "it could not be sent in time";
    case Ending.expired_maybe_applied:
      return "no answer from the agent: it may have been applied";
    default:
      return "replaced by a newer one";
  }
}
