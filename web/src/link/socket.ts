// The page's connection to its station: opens again by itself, for as long as the page lives.
import { Backoff } from "./backoff.js";

export type SocketState = "connecting" | "open" | "waiting";

export interface SocketEvents {
  onOpen(): void;
  onMessage(data: Uint8Array): void;
  onClosed(why: string): void;
}

/** A station that says nothing for so long is not there, whatever TCP believes. ms */
const silenceLimit = 3000;
/** Bytes that may wait in the browser before what is said again anyway is left out: about a second
 * of set-points and reports. What waits there is older than it says. */
const queueLimit = 4096;

export class Socket {
  state: SocketState = "waiting";
  /** ms, the page's clock: when the next try begins, in state waiting */
  retryAt = 0;
  private socket: WebSocket | null = null;
  private heardAt = 0;
  private readonly backoff = new Backoff();

  constructor(
    private readonly url: string,
    private readonly events: SocketEvents,
  ) {}

  /** Call a few times a second. */
  tick(now: number): void {
    if (this.state === "waiting" && now >= this.retryAt) this.open(now);
    else if (this.state !== "waiting" && now - this.heardAt > silenceLimit) this.ended("the station is silent");
  }

  /** False: there is no connection. However much waits, this is sent: a stop is. */
  send(data: Uint8Array<ArrayBuffer>): boolean {
    if (this.state !== "open" || !this.socket) return false;
    this.socket.send(data);
    return true;
  }
  /** Sends what a newer one will replace: a set-point, a ping, a report. Not while much waits. */
  offer(data: Uint8Array<ArrayBuffer>): boolean {
    return this.socket !== null && this.socket.bufferedAmount <= queueLimit && this.send(data);
  }

  close(): void {
    this.drop();
    this.state = "waiting";
    this.retryAt = Infinity;
  }
  /** After close(): a page that came back from the history. */
  reopen(now: number): void {
    if (this.retryAt === Infinity) this.retryAt = now;
  }

  private open(now: number): void {
    this.state = "connecting";
    this.heardAt = now;
    const socket = new WebSocket(this.url);
    this.socket = socket;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.state = "open";
      this.heardAt = performance.now();
      this.events.onOpen();
    };
    socket.onmessage = (event) => {
      this.heardAt = performance.now();
      this.backoff.reset();
      if (event.data instanceof ArrayBuffer) this.events.onMessage(new Uint8Array(event.data));
    };
    socket.onclose = (event) => this.ended(event.reason || "the connection to the station was lost");
  }

  private ended(why: string): void {
    this.drop();
    this.state = "waiting";
    this.retryAt = performance.now() + this.backoff.next(Math.random());
    this.events.onClosed(why);
  }

  private drop(): void {
    if (!this.socket) return;
    this.socket.onopen = this.socket.onmessage = this.socket.onclose = null;
    this.socket.close();
    this.socket = null;
  }
}
