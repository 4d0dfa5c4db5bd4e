// bench glass: how old a picture is when it stands on the canvas of a real browser. Starts the
// world with a simulated robot, the agent, the camera and the station on loopback, opens the page
// headless, and reads the bar code that the world draws into every picture back from the canvas.
import { closeSync, openSync, readFileSync, readSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { launch, openPage, until } from "../web/test/page/browser.mjs";
import { bootOffset, monotonic, Offset } from "../tools/house/clock.mjs";
import { House, missing } from "../tools/house/house.mjs";

const help = `Usage: ./dev bench glass [--seconds N] [--quick] [--json FILE]

  --seconds N    measure so long (default 20)
  --quick        4 seconds: to see that it runs
  --json FILE    also write {"bench": "glass", "rows": [...]}`;

const targets = {
  p50_ms: 25,
  p95_ms: 45,
  decoded_p50_ms: 12,
  decoded_p95_ms: 25,
  agent_cpu_pct: 10,
  agent_rss_mb: 60,
  camera_cpu_pct: 35,
  sim_cpu_pct: 20,
};
const painted_share = 0.995;
const settle_ms = 3000;
const under_way_ms = 1000; // for the last pictures to be painted

const sleep = (ms) => new Promise((next) => setTimeout(next, ms));
/** The page's performance.now() to CLOCK_MONOTONIC, by asking it often. ms */
async function pageOffset(page, rounds = 200) {
  const offset = new Offset();
  for (let i = 0; i < rounds; ++i) {
    const before = monotonic();
    const there = await page.evaluate(() => performance.now());
    const after = monotonic();
    // Chromium cuts the page's clock to 0.1 ms, give or take as much.
    offset.bound(before - there - 0.1, after - there + 0.1);
  }
  return offset;
}

/** Runs in the page: notes each painted picture's mark. */
function watchMarks() {
  const bits = (image) => {
    const c = image.width / 80;
    const level = [];
    for (let i = 0; i < 128; i++) {
      const x0 = (1 + (i % 64) + 0.25) * c;
      const y0 = (1 + (i >> 6) + 0.25) * c;
      let sum = 0;
      let n = 0;
      for (let y = Math.floor(y0); y < Math.max(y0 + c / 2, Math.floor(y0) + 1); y++)
        for (let x = Math.floor(x0); x < Math.max(x0 + c / 2, Math.floor(x0) + 1); x++, n++)
          sum += image.data[4 * (y * image.width + x) + 1];
      level.push(sum / n);
    }
    const mean = (want) => {
      let s = 0;
      for (let i = 0; i < 16; i++) if (((0xa5c3 >> (15 - i)) & 1) === want) s += level[i];
      return s / 8;
    };
    if (mean(0) - mean(1) < 40) return null;
    const middle = (mean(0) + mean(1)) / 2;
    return level.map((l) => (l < middle ? 1n : 0n));
  };
  const readMark = (image) => {
    const all = bits(image);
    if (!all) return null;
    const take = (at, count) => all.slice(at, at + count).reduce((v, b) => (v << 1n) | b, 0n);
    let crc = 0xffff;
    for (let i = 16; i < 112; i++) {
      const top = (crc >> 15) ^ Number(all[i]);
      crc = ((crc << 1) & 0xffff) ^ (top ? 0x1021 : 0);
    }
    if (take(0, 16) !== 0xa5c3n || take(112, 16) !== BigInt(crc)) return null;
    return { frame: Number(take(16, 32)), capturedMs: Number(take(48, 64)) / 1000 };
  };
  window.glass = { marks: [], unreadable: 0 };
  window.cy.onPainted((canvas, painted) => {
    // The strip cannot be read before it is drawn; only then does the clock count.
    const strip = canvas.getContext("2d").getImageData(0, 0, canvas.width, Math.ceil(canvas.width / 20));
    const at = performance.now();
    const mark = readMark(strip);
    if (mark) window.glass.marks.push({ ...mark, at, decoded: painted.at, arrived: painted.at - painted.decode });
    else ++window.glass.unreadable;
  });
}

/** How many pictures the world has published, from its frame port's header (media/port's layout.hpp). */
function publishedPictures(path) {
  const file = openSync(path, "r");
  try {
    const count = Buffer.alloc(8);
    readSync(file, count, 0, 8, 56);
    return Number(count.readBigUInt64LE());
  } finally {
    closeSync(file);
  }
}

function cpuSeconds(pid) {
  const words = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ");
  return (Number(words[11]) + Number(words[12])) / 100;
}
function rssMb(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;
}
function quantile(values, q) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)];
}

async function measure(house, page, seconds) {
  await until(page, (f) => f.picture !== null, "a picture is on the canvas", 30_000);
  await sleep(settle_ms);
  const boot = bootOffset();
  const before = await pageOffset(page);
  const pids = Object.fromEntries([...house.programs].map(([name, program]) => [name, program.pid]));
  const cpu = (name) => cpuSeconds(pids[name]);
  const names = ["cy-agent", "cy-camera", "cy-station", "cy-sim"];

  await page.evaluate(watchMarks);
  const first = publishedPictures(house.path("eye")) + 1;
  const began = monotonic();
  const cpuBefore = names.map(cpu);
  await sleep(seconds * 1000);
  const took = (monotonic() - began) / 1000;
  const cpuPct = names.map((name, i) => (100 * (cpu(name) - cpuBefore[i])) / took);
  const last = publishedPictures(house.path("eye"));
  await sleep(under_way_ms);
  const { marks: all, unreadable } = await page.evaluate(() => window.glass);
  const marks = all.filter((m) => m.frame >= first && m.frame <= last);
  if (marks.length < 2) throw new Error(`no marks on the canvas (${unreadable} pictures without a readable one)`);

  const toBoot = before.value + boot.value;
  const ages = marks.map((m) => m.at + toBoot - m.capturedMs);
  const decoded = marks.map((m) => m.decoded + toBoot - m.capturedMs);
  const arrived = marks.map((m) => m.arrived + toBoot - m.capturedMs);
  const late = marks.filter((m, i) => i > 0 && m.frame <= marks[i - 1].frame).length;
  return {
    net: "loopback",
    p50_ms: quantile(ages, 0.5),
    p95_ms: quantile(ages, 0.95),
    p99_ms: quantile(ages, 0.99),
    decoded_p50_ms: quantile(decoded, 0.5),
    decoded_p95_ms: quantile(decoded, 0.95),
    arrived_p50_ms: quantile(arrived, 0.5),
    arrived_p95_ms: quantile(arrived, 0.95),
    frames_sent: last - first + 1,
    frames_shown: new Set(marks.map((m) => m.frame)).size,
    out_of_order: late,
    unreadable,
    agent_cpu_pct: cpuPct[0],
    agent_rss_mb: rssMb(pids["cy-agent"]),
    camera_cpu_pct: cpuPct[1],
    station_cpu_pct: cpuPct[2],
    sim_cpu_pct: cpuPct[3],
    clock_error_ms: before.error + boot.error,
  };
}

function print(row) {
  for (const [key, value] of Object.entries(row))
    console.log(`  ${key.padEnd(18)} ${typeof value !== "number" || Number.isInteger(value) ? value : value.toFixed(2)}`);
  console.log("\ntargets");
  const line = (name, value, met) => console.log(`  ${name.padEnd(34)} ${value.padStart(8)}   ${met ? "met" : "MISSED"}`);
  for (const [key, most] of Object.entries(targets))
    line(`${key} ≤ ${most}`, row[key].toFixed(2), row[key] <= most);
  const share = row.frames_shown / row.frames_sent;
  line(`painted ≥ ${painted_share * 100} %`, `${(share * 100).toFixed(2)} %`, share >= painted_share);
  line("out of order = 0", String(row.out_of_order), row.out_of_order === 0);
}

async function main() {
  const { values } = parseArgs({
    options: {
      seconds: { type: "string", default: "20" },
      quick: { type: "boolean", default: false },
      json: { type: "string", default: "" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return console.log(help);
  const seconds = values.quick ? 4 : Number(values.seconds);
  if (!(seconds > 0)) throw new Error(`--seconds: '${values.seconds}' is no time`);
  if (missing) throw new Error(`not built: ${missing}`);

  const browser = await launch();
  try {
    const house = await House.start({ sim: ["--mark"] });
    try {
      const row = await measure(house, await openPage(browser, house.url), seconds);
      console.log(`640x480 at 30 pictures a second, ${seconds} s\n`);
      print(row);
      if (values.json) writeFileSync(values.json, JSON.stringify({ bench: "glass", rows: [row] }, null, 2) + "\n");
    } finally {
      await house.close();
    }
  } finally {
    await browser.close();
  }
}

main().catch((error) => {
  console.error(`bench glass: ${error.message}`);
  process.exitCode = 1;
});
