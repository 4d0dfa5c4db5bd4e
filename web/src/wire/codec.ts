// Messages to bytes and back, by the rules of core/wire/include/cy/wire/codec.hpp.
//
// A message is   type u16 · size varint · fields.   Numbers are little-endian; a struct is a varint
// size and its fields; fields are only ever appended: what ends between two fields leaves the rest
// at its default, what comes after the known ones is skipped. Decoding is bounded by the bytes at
// hand and yields a whole value or throws Malformed, never half.

export type Fault = "truncated" | "bad varint" | "bad count" | "bad flag";

export class Malformed extends Error {
  constructor(readonly why: Fault) {
    super(why);
  }
}

/** A message inside a message, of any type. */
export interface Body {
  type: number;
  payload: Uint8Array;
}

export class Reader {
  private at = 0;
  private readonly view: DataView;

  constructor(private readonly data: Uint8Array) {
    this.view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  }
  get done(): boolean {
    return this.at === this.data.length;
  }
  get left(): number {
    return this.data.length - this.at;
  }

  varint(): number {
    let n = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.view.getUint8(this.take(1));
      n |= (byte & 0x7f) << shift;
      if (byte < 0x80) return n;
    }
    throw new Malformed("bad varint");
  }
  /** A window on the bytes, not a copy. */
  raw(size: number): Uint8Array {
    const from = this.take(size);
    return this.data.subarray(from, from + size);
  }
  number<T>(size: number, load: (view: DataView, at: number) => T): T {
    return load(this.view, this.take(size));
  }

  private take(size: number): number {
    if (this.left < size) throw new Malformed("truncated");
    const from = this.at;
    this.at += size;
    return from;
  }
}

export class Writer {
  private data = new Uint8Array(64);
  private view = new DataView(this.data.buffer);
  private at = 0;

  varint(n: number): void {
    while (n >= 0x80) {
      this.byte((n & 0x7f) | 0x80);
      n >>>= 7;
    }
    this.byte(n);
  }
  raw(bytes: Uint8Array): void {
    const from = this.grow(bytes.length);
    this.data.set(bytes, from);
  }
  number<T>(size: number, value: T, store: (view: DataView, at: number, value: T) => void): void {
    const from = this.grow(size);
    store(this.view, from, value);
  }
  /** What was written; valid until the next write. */
  bytes(): Uint8Array {
    return this.data.subarray(0, this.at);
  }

  private byte(n: number): void {
    const from = this.grow(1);
    this.data[from] = n;
  }
  // May replace `data` and `view`: call it before naming either.
  private grow(size: number): number {
    const from = this.at;
    this.at += size;
    if (this.at > this.data.length) {
      const larger = new Uint8Array(Math.max(this.at, 2 * this.data.length));
      larger.set(this.data.subarray(0, from));
      this.data = larger;
      this.view = new DataView(larger.buffer);
    }
    return from;
  }
}

/** How one type of value stands on the wire. */
export interface Codec<T> {
  read(r: Reader): T;
  write(w: Writer, value: T): void;
  /** What a field of an older writer reads as. */
  empty(): T;
}

/** A codec of a struct, which can also stand without its size: as a message's payload. */
export interface StructCodec<T> extends Codec<T> {
  readFields(r: Reader): T;
  writeFields(w: Writer, value: T): void;
  /** A value with defaults where nothing is said. */
  of(values?: Partial<T>): T;
}

export interface Message<T> extends StructCodec<T> {
  readonly type: number;
  readonly family: string;
  readonly title: string;
}

function plain<T>(
  size: number,
  zero: T,
  load: (view: DataView, at: number) => T,
  store: (view: DataView, at: number, value: T) => void,
): Codec<T> {
  return {
    read: (r) => r.number(size, load),
    write: (w, value) => w.number(size, value, store),
    empty: () => zero,
  };
}

export const u8 = /* @__PURE__ */ plain(1, 0, (v, at) => v.getUint8(at), (v, at, n: number) => v.setUint8(at, n));
export const i8 = /* @__PURE__ */ plain(1, 0, (v, at) => v.getInt8(at), (v, at, n: number) => v.setInt8(at, n));
export const u16 = /* @__PURE__ */ plain(2, 0, (v, at) => v.getUint16(at, true), (v, at, n: number) => v.setUint16(at, n, true));
export const i16 = /* @__PURE__ */ plain(2, 0, (v, at) => v.getInt16(at, true), (v, at, n: number) => v.setInt16(at, n, true));
export const u32 = /* @__PURE__ */ plain(4, 0, (v, at) => v.getUint32(at, true), (v, at, n: number) => v.setUint32(at, n, true));
export const i32 = /* @__PURE__ */ plain(4, 0, (v, at) => v.getInt32(at, true), (v, at, n: number) => v.setInt32(at, n, true));
export const u64 = /* @__PURE__ */ plain(8, 0n, (v, at) => v.getBigUint64(at, true), (v, at, n: bigint) => v.setBigUint64(at, n, true));
export const i64 = /* @__PURE__ */ plain(8, 0n, (v, at) => v.getBigInt64(at, true), (v, at, n: bigint) => v.setBigInt64(at, n, true));
export const f32 = /* @__PURE__ */ plain(4, 0, (v, at) => v.getFloat32(at, true), (v, at, n: number) => v.setFloat32(at, n, true));
export const f64 = /* @__PURE__ */ plain(8, 0, (v, at) => v.getFloat64(at, true), (v, at, n: number) => v.setFloat64(at, n, true));

export const bool: Codec<boolean> = {
  read(r) {
    const byte = u8.read(r);
    if (byte > 1) throw new Malformed("bad flag");
    return byte === 1;
  },
  write: (w, value) => u8.write(w, value ? 1 : 0),
  empty: () => false,
};

export const bytes: Codec<Uint8Array> = {
  read: (r) => r.raw(r.varint()),
  write(w, value) {
    w.varint(value.length);
    w.raw(value);
  },
  empty: () => new Uint8Array(0),
};

const decoder = /* @__PURE__ */ new TextDecoder();
const encoder = /* @__PURE__ */ new TextEncoder();
export const text: Codec<string> = {
  read: (r) => decoder.decode(bytes.read(r)),
  write: (w, value) => bytes.write(w, encoder.encode(value)),
  empty: () => "",
};

export const body: Codec<Body> = {
  read: (r) => ({ type: u16.read(r), payload: bytes.read(r) }),
  write(w, value) {
    u16.write(w, value.type);
    bytes.write(w, value.payload);
  },
  empty: () => ({ type: 0, payload: new Uint8Array(0) }),
};

export function vector<T>(of: Codec<T>): Codec<T[]> {
  return {
    read(r) {
      const count = r.varint();
      // Every element takes at least one byte, so this bounds the memory by the message.
      if (count > r.left) throw new Malformed("bad count");
      const all: T[] = [];
      for (let i = 0; i < count; ++i) all.push(of.read(r));
      return all;
    },
    write(w, value) {
      w.varint(value.length);
      for (const each of value) of.write(w, each);
    },
    empty: () => [],
  };
}

export function array<T>(of: Codec<T>, size: number): Codec<T[]> {
  return {
    read: (r) => Array.from({ length: size }, () => of.read(r)),
    write(w, value) {
      for (let i = 0; i < size; ++i) of.write(w, value[i] ?? of.empty());
    },
    empty: () => Array.from({ length: size }, () => of.empty()),
  };
}

export function optional<T>(of: Codec<T>): Codec<T | null> {
  return {
    read: (r) => (bool.read(r) ? of.read(r) : null),
    write(w, value) {
      bool.write(w, value !== null);
      if (value !== null) of.write(w, value);
    },
    empty: () => null,
  };
}

export type Fields<T> = { [K in keyof T]: Codec<T[K]> };

/** The order of `fields` is the order on the wire. */
export function struct<T extends object>(fields: Fields<T>, defaults: Partial<T> = {}): StructCodec<T> {
  const all = Object.entries(fields) as [keyof T, Codec<T[keyof T]>][];
  const of = (values: Partial<T> = {}): T => {
    const value = {} as T;
    for (const [name, codec] of all) value[name] = values[name] ?? defaults[name] ?? codec.empty();
    return value;
  };
  const codec: StructCodec<T> = {
    of,
    empty: () => of(),
    readFields(r) {
      const value = of();
      for (const [name, field] of all) {
        if (r.done) break;
        value[name] = field.read(r);
      }
      return value;
    },
    writeFields(w, value) {
      for (const [name, field] of all) field.write(w, value[name]);
    },
    read: (r) => codec.readFields(new Reader(r.raw(r.varint()))),
    write: (w, value) => bytes.write(w, payloadOf(codec, value)),
  };
  return codec;
}

export function message<T extends object>(
  type: number,
  family: string,
  title: string,
  fields: Fields<T>,
  defaults: Partial<T> = {},
): Message<T> {
  return { ...struct(fields, defaults), type, family, title };
}

function payloadOf<T>(of: StructCodec<T>, value: T): Uint8Array {
  const w = new Writer();
  of.writeFields(w, value);
  return w.bytes();
}

export function encode<T>(of: Message<T>, values: Partial<T> = {}): Uint8Array<ArrayBuffer> {
  const w = new Writer();
  u16.write(w, of.type);
  bytes.write(w, payloadOf(of, of.of(values)));
  return w.bytes().slice();
}

/** Throws Malformed. */
export function decode<T>(of: StructCodec<T>, payload: Uint8Array): T {
  return of.readFields(new Reader(payload));
}

export function bodyOf<T>(of: Message<T>, values: Partial<T> = {}): Body {
  return { type: of.type, payload: payloadOf(of, of.of(values)) };
}

/** The message in the body, if it is of this type. Throws Malformed. */
export function as<T>(of: Message<T>, raw: Body): T | null {
  return raw.type === of.type ? decode(of, raw.payload) : null;
}

/** The messages of a datagram or WebSocket message. Throws Malformed, after the whole ones. */
export function* walk(data: Uint8Array): Generator<Body> {
  const r = new Reader(data);
  while (!r.done) yield body.read(r);
}
