// Real footage, from the file to the painted canvas: Debian's opencv-doc has a street scene of 768x576
// at 10 pictures a second, as MPEG-4 in AVI.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, test } from "node:test";
import { launch, openPage, until } from "../page/browser.mjs";
import { House, missing } from "../../../tools/house/house.mjs";

const film = "/usr/share/doc/opencv-doc/examples/data/vtest.avi";
const skip = missing ? `not built: ${missing}` : existsSync(film) ? false : `no ${film}`;
process.once("SIGTERM", () => process.exit(1));

// What the footage shows: red, green and blue averaged over a grid of 4 x 3 fields and its first 300
// pictures, by `ffmpeg -vf scale=4:3:flags=area,format=rgb24`. People pass through: up to 15 levels
// away in any one picture; another matrix of colours takes some more.
const scene = [
  [126, 121, 84], [136, 132, 95], [145, 132, 113], [136, 123, 104],
  [104, 116, 78], [141, 153, 114], [178, 181, 175], [153, 156, 150],
  [56, 78, 7], [78, 100, 29], [84, 103, 52], [103, 122, 71],
];
const tolerance = 25;

let browser;
before(async () => {
  if (!skip) browser = await launch();
});
after(() => browser?.close());

/** Looks at the next `count` painted pictures: their size, field means, and how much each differs from the one before. */
const look = (page, count) =>
  page.evaluate(
    (wanted) =>
      new Promise((done) => {
        const small = new OffscreenCanvas(96, 72);
        const context = small.getContext("2d", { willReadFrequently: true });
        const seen = [];
        let before;
        const end = window.cy.onPainted((canvas, painted) => {
          context.drawImage(canvas, 0, 0, 96, 72);
          const { data } = context.getImageData(0, 0, 96, 72);
          const fields = Array.from({ length: 12 }, () => [0, 0, 0]);
          let changed = 0;
          for (let y = 0; y < 72; ++y)
            for (let x = 0; x < 96; ++x) {
              const at = (y * 96 + x) * 4;
              const field = fields[Math.floor(y / 24) * 4 + Math.floor(x / 24)];
              for (let c = 0; c < 3; ++c) field[c] += data[at + c] / (24 * 24);
              if (before && Math.abs(data[at + 1] - before[at + 1]) > 24) ++changed;
            }
          seen.push({ number: painted.number, width: canvas.width, height: canvas.height, fields, changed: before ? changed / (96 * 72) : 0 });
          before = data;
          if (seen.length === wanted) {
            end();
            done(seen);
          }
        });
      }),
    count,
  );

for (const codec of ["h264", "mjpeg"])
  test(`footage through ${codec} is what the page shows`, { skip }, async () => {
    const house = await House.start({ source: `file:${film}`, camera: ["--codec", codec] });
    const page = await openPage(browser, house.url);
    try {
      await until(page, (f) => f.painted > 3 && f.pictureAge < 500, "pictures", 30_000);
      const seen = await look(page, 40);
      for (const { width, height, fields } of seen) {
        assert.deepEqual([width, height], [768, 576]);
        fields.forEach((field, i) =>
          field.forEach((value, c) =>
            assert.ok(Math.abs(value - scene[i][c]) < tolerance, `field ${i}: ${field.map(Math.round)}, the footage has ${scene[i]}`),
          ),
        );
      }
      const numbers = seen.map((s) => s.number);
      assert.ok(numbers.every((n, i) => i === 0 || n > numbers[i - 1]), "in order");
      assert.ok(40 / (numbers.at(-1) - numbers[0] + 1) > 0.9, `40 of ${numbers.at(-1) - numbers[0] + 1}`);
      // People walk, the street stands.
      const changed = seen.slice(1).map((s) => s.changed);
      assert.ok(changed.filter((c) => c > 0.0005).length > 30, `it moves: ${changed}`);
      assert.ok(Math.max(...changed) < 0.1, `most of it stands: ${changed}`);
      assert.deepEqual(page.complaints, []);
    } finally {
      await page.context().close();
      await house.close();
    }
  });
