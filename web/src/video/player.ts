// Paints a stream's pictures on a canvas, each the moment it is decoded: H.264 by WebCodecs,
// M-JPEG picture by picture. Newest wins; nothing waits in a queue to be shown later.
import type { Picture } from "../wire/messages.js";
import { PictureGate } from "./gate.js";

export interface Painted {
  stream: number;
  number: number;
  capture_us: number;
  /** capture to paint. ms */
  age: number;
  /** arrival to paint. ms */
  decode: number;
  /** the page's clock: when it was painted, and when it would have had age zero. ms */
  at: number;
  capturedAt: number;
  width: number;
  height: number;
}

export interface PlayerEvents {
  onPainted(painted: Painted): void;
  onKeyframeWanted(stream: number): void;
}

interface Waiting {
  picture: Picture;
  arrived: number;
  captured: number;
}

/** More than this in the decoder, and it cannot keep up: drop until the next keyframe. */
const queueLimit = 8;

export class Player {
  trouble = "";
  dropped = 0;
  late = 0;
  private readonly gate = new PictureGate();
  private decoder: VideoDecoder | null = null;
  private codec = "";
  private readonly inside = new Map<number, Waiting>();
  private busy = false;
  private next: Waiting | null = null;
  private hidden = false;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly events: PlayerEvents,
  ) {}

  /** `captured`: when it was, on the page's clock. */
  onPicture(picture: Picture, now: number, captured: number): void {
    if (this.hidden) return;
    const jpeg = picture.codec_string === "mjpeg";
    const verdict = this.gate.admit(picture, jpeg);
    if (verdict === "late") ++this.late;
    if (verdict !== "decode") {
      ++this.dropped;
      this.ask(picture.stream, now);
      return;
    }
    const waiting = { picture, arrived: now, captured };
    if (jpeg) this.showJpeg(waiting);
    else this.decode(waiting, now);
  }

  /** Pictures stop while nobody can see them, and begin again with a keyframe. */
  hide(hidden: boolean): void {
    if (hidden === this.hidden) return;
    this.hidden = hidden;
    this.gate.broke();
    this.next = null;
    if (hidden) this.close();
  }

  private ask(stream: number, now: number): void {
    if (this.gate.ask(now)) this.events.onKeyframeWanted(stream);
  }

  // ---- H.264 and what else WebCodecs knows

  private decode(waiting: Waiting, now: number): void {
    const { picture } = waiting;
    if (!this.ready(picture) || !this.decoder) {
      ++this.dropped;
      if (typeof VideoDecoder === "undefined") return; // a keyframe would not help
      this.gate.broke(); // what builds on this one waits for a keyframe, too
      this.ask(picture.stream, now);
      return;
    }
    if (this.decoder.decodeQueueSize > queueLimit) {
      // What is inside is still painted; what comes waits for a keyframe.
      this.trouble = "this computer cannot decode as fast as pictures come";
      ++this.dropped;
      this.gate.broke();
      this.ask(picture.stream, now);
      return;
    }
    this.inside.set(picture.number, waiting);
    this.decoder.decode(
      new EncodedVideoChunk({
        type: picture.key ? "key" : "delta",
        timestamp: picture.number, // its name on the way out; WebCodecs never looks at its meaning
        data: picture.data,
      }),
    );
  }

  private ready(picture: Picture): boolean {
    const codec = picture.codec_string;
    if (this.decoder && this.decoder.state === "configured" && (codec === this.codec || !codec)) return true;
    if (!codec || !picture.key) return false;
    if (typeof VideoDecoder === "undefined") {
      this.trouble = "this browser has no WebCodecs; choose M-JPEG, or use Chromium";
      return false;
    }
    this.close();
    this.codec = codec;
    const decoder = new VideoDecoder({
      output: (frame) => this.onFrame(frame),
      error: (error) => {
        if (decoder === this.decoder) this.fail(picture.stream, performance.now(), error.message);
      },
    });
    this.decoder = decoder;
    // Annex B: no description. The decoder hands out each frame at once.
    decoder.configure({ codec, optimizeForLatency: true });
    return true;
  }

  private onFrame(frame: VideoFrame): void {
    const waiting = this.inside.get(frame.timestamp);
    if (waiting) {
      // What went in before this one will not come out any more.
      for (const number of this.inside.keys()) {
        this.inside.delete(number);
        if (number === frame.timestamp) break;
      }
      this.paint(frame, frame.displayWidth, frame.displayHeight, waiting);
    }
    frame.close();
  }

  private fail(stream: number, now: number, why: string): void {
    this.trouble = why;
    this.close();
    this.gate.broke();
    this.ask(stream, now);
  }

  private close(): void {
    if (this.decoder && this.decoder.state !== "closed") this.decoder.close();
    this.decoder = null;
    this.inside.clear();
  }

  // ---- M-JPEG: one in work, the newest waits, the rest is dropped

  private showJpeg(waiting: Waiting): void {
    if (this.busy) {
      if (this.next) ++this.dropped;
      this.next = waiting;
      return;
    }
    this.busy = true;
    // A copy: the picture is a window on its message.
    const blob = new Blob([waiting.picture.data.slice()], { type: "image/jpeg" });
    createImageBitmap(blob)
      .then(
        (bitmap) => {
          if (!this.hidden) this.paint(bitmap, bitmap.width, bitmap.height, waiting);
          bitmap.close();
        },
        () => {
          ++this.dropped;
          this.trouble = "a picture was broken";
        },
      )
      .finally(() => {
        this.busy = false;
        const next = this.next;
        this.next = null;
        if (next) this.showJpeg(next);
      });
  }

  // ---- both

  private paint(image: CanvasImageSource, width: number, height: number, { picture, arrived, captured }: Waiting): void {
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    const context = this.canvas.getContext("2d", { alpha: false });
    if (!context) return;
    context.drawImage(image, 0, 0, width, height);
    this.trouble = "";
    const at = performance.now();
    this.events.onPainted({
      stream: picture.stream,
      number: picture.number,
      capture_us: picture.capture_us,
      age: at - captured,
      decode: at - arrived,
      at,
      capturedAt: captured,
      width,
      height,
    });
  }
}
