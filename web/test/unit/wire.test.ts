import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  type Body, type Message, Malformed, as, bodyOf, bool, decode, encode, message, optional, struct, text, u16, u32,
  u8, vector, walk,
} from "../../src/wire/codec.js";
import { Drive, HeadState, PageDrive, PagePong, TaskState, messages } from "../../src/wire/messages.js";

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const bytesOf = (digits: string) => new Uint8Array(Buffer.from(digits, "hex"));

/** A decoded value as tools/wire_ts/json.hpp writes it. */
function plain(value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Uint8Array) return hex(value);
  if (Array.isArray(value)) return value.map(plain);
  if (value !== null && typeof value === "object")
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, plain(v)]));
  return value;
}

interface Golden {
  name: string;
  type: number;
  hex: string;
  value: unknown;
}
const golden = readFileSync("test/unit/golden.jsonl", "utf8").trim().split("\n").map((l) => JSON.parse(l) as Golden);

test("every message that C++ wrote reads the same here and goes back to the same bytes", () => {
  const known = new Map<number, Message<object>>(messages.map((m) => [m.type, m as unknown as Message<object>]));
  assert.ok(golden.length >= messages.length);
  for (const g of golden) {
    const codec = known.get(g.type);
    assert.ok(codec, g.name);
    assert.equal(codec.title, g.name);
    const [raw] = [...walk(bytesOf(g.hex))] as [Body];
    assert.equal(raw.type, g.type);
    const value = decode(codec, raw.payload);
    assert.deepEqual(plain(value), g.value, g.name);
    assert.equal(hex(encode(codec, value)), g.hex, g.name);
  }
});

test("a message cut anywhere is an older one or malformed, never a crash", () => {
  const known = new Map<number, Message<object>>(messages.map((m) => [m.type, m as unknown as Message<object>]));
  for (const g of golden) {
    const [raw] = [...walk(bytesOf(g.hex))] as [Body];
    for (let cut = 0; cut < raw.payload.length; ++cut) {
      try {
        decode(known.get(g.type)!, raw.payload.subarray(0, cut));
      } catch (error) {
        assert.ok(error instanceof Malformed, `${g.name}: ${String(error)}`);
      }
    }
  }
});

test("no two messages share a type or a name", () => {
  assert.equal(new Set(messages.map((m) => m.type)).size, messages.length);
  assert.equal(new Set(messages.map((m) => m.title)).size, messages.length);
});

interface Inner {
  a: number;
  name: string;
}
const Inner = struct<Inner>({ a: u16, name: text });
const OldInner = struct<{ a: number }>({ a: u16 });
const Holder = message<{ part: Inner; after: number }>(0xc002, "status", "holder", { part: Inner, after: u8 }, { after: 7 });
const OldHolder = message<{ part: { a: number }; after: number }>(0xc002, "status", "holder", { part: OldInner, after: u8 });

test("the same bytes as the C++ golden test", () => {
  assert.deepEqual(
    encode(Holder, { part: { a: 0x0102, name: "ab" }, after: 9 }),
    new Uint8Array([0x02, 0xc0, 7, 5, 0x02, 0x01, 2, 0x61, 0x62, 9]),
  );
});

test("an older reader skips what it does not know", () => {
  const [raw] = [...walk(encode(Holder, { part: { a: 3, name: "new" }, after: 9 }))] as [Body];
  assert.deepEqual(as(OldHolder, raw), { part: { a: 3 }, after: 9 });
});

test("an older writer leaves defaults, those of C++", () => {
  assert.deepEqual(decode(Holder, new Uint8Array([2, 3, 0])), { part: { a: 3, name: "" }, after: 7 });
  assert.equal(decode(HeadState, new Uint8Array()).zoom, 1);
  assert.equal(TaskState.of().fraction, -1);
  assert.equal(decode(PagePong, new Uint8Array([0, 0, 0, 0, 0, 0, 0, 0x40])).stamp, 2);
});

test("faults are named", () => {
  const why = (run: () => unknown) => {
    try {
      run();
    } catch (error) {
      return error instanceof Malformed ? error.why : String(error);
    }
    return "nothing";
  };
  const list = struct<{ items: number[] }>({ items: vector(u32) });
  const flag = struct<{ on: boolean | null }>({ on: optional(bool) });
  assert.equal(why(() => decode(flag, new Uint8Array([2]))), "bad flag");
  assert.equal(why(() => decode(list, new Uint8Array([0xff, 0xff, 0x03]))), "bad count");
  assert.equal(why(() => decode(list, new Uint8Array([0xff, 0xff, 0xff, 0xff, 0x01]))), "bad varint");
  assert.equal(why(() => decode(list, new Uint8Array([1, 0]))), "truncated");
  assert.equal(why(() => [...walk(new Uint8Array([1, 0, 5, 1]))]), "truncated");
});

test("a body carries a message through those who do not know it", () => {
  const body = bodyOf(Drive, { twist: { linear: 0.5, angular: -1 } });
  assert.deepEqual(as(Drive, body)?.twist, { linear: 0.5, angular: -1 });
  assert.equal(as(PageDrive, body), null);
});
