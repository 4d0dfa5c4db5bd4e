// Recordings are MCAP: a reader that nobody here wrote reads ours.
import mcap from "@mcap/core";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { bin } from "../../../tools/house/house.mjs";

const { McapIndexedReader, McapStreamReader } = mcap;
const program = join(bin, "record_sample");
const skip = existsSync(program) ? false : "not built: record_sample";

function sample(...words) {
  const folder = mkdtempSync(join(tmpdir(), "cy-mcap-"));
  try {
    const path = join(folder, "sample.mcap");
    const { status, stderr } = spawnSync(program, [path, ...words], { encoding: "utf8", timeout: 10_000 });
    assert.equal(status, 0, stderr);
    return new Uint8Array(readFileSync(path));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function streamed(bytes) {
  const reader = new McapStreamReader({ validateCrcs: true });
  reader.append(bytes);
  const messages = [];
  for (let record; (record = reader.nextRecord()); ) if (record.type === "Message") messages.push(record);
  return messages;
}

async function indexed(bytes) {
  const readable = {
    size: async () => BigInt(bytes.length),
    read: async (offset, size) => bytes.subarray(Number(offset), Number(offset + size)),
  };
  const reader = await McapIndexedReader.Initialize({ readable });
  const messages = [];
  for await (const message of reader.readMessages()) messages.push(message);
  return messages;
}

test("a recording is read whole, streamed and by its index", { skip }, async () => {
  const bytes = sample();
  const messages = streamed(bytes);
  assert.ok(messages.length > 10);
  assert.equal((await indexed(bytes)).length, messages.length);
  assert.ok(messages.every((m, i) => i === 0 || m.logTime >= messages[i - 1].logTime));
});

test("a snapshot of the black box is a recording", { skip }, async () => {
  const bytes = sample("--black-box");
  assert.equal((await indexed(bytes)).length, streamed(bytes).length);
});

test("a recording that was cut off is read up to its last whole chunk", { skip }, () => {
  const whole = streamed(sample()).length;
  const cut = streamed(sample("--cut")).length;
  assert.ok(cut > 0 && cut <= whole, `${cut} of ${whole}`);
});
