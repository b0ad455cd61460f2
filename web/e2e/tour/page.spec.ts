import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { web } from "../harness/build";
import { kept, pictures, taking } from "./picture";
import { firstRun, work } from "./stops";

const stops = { ...firstRun, ...work };
const names = Object.keys(stops).sort();
const routes = new Set(Object.values(stops).map((s) => s.route));
const read = (path: string) => readFile(join(web, path), "utf8");

test("every page of the web UI has a picture", async () => {
  const written = await read("src/app/App.tsx");
  const pages = [...written.matchAll(/<Route path="([^"]+)">\s*(\S*)/g)]
    .filter((m) => !m[2]!.includes("<Redirect"))
    .map((m) => m[1]!);
  expect(pages.length).toBeGreaterThan(8);
  const parts = [...(await read("src/app/settingsParts.ts")).matchAll(/^const for\w+ = \[(.*)\]/gm)].flatMap((m) =>
    [...m[1]!.matchAll(/"(\w+)"/g)].map((p) => `/settings/${p[1]}`),
  );
  expect(parts.length).toBeGreaterThan(8);
  const wanted = [...pages.filter((p) => p !== "/settings/:part?"), ...parts];
  expect(
    wanted.filter((p) => !routes.has(p)),
    "pages without a stop in e2e/tour/stops.ts",
  ).toEqual([]);
});

test.skipIf(taking)("docs/tour.md shows every picture, and there are no others", async () => {
  const page = await read("../docs/tour.md");
  expect([...page.matchAll(/!\[[^\]]+\]\(tour\/([\w-]+)\.webp\)/g)].map((m) => m[1]!).sort()).toEqual(names);
  expect((await readdir(pictures)).sort()).toEqual(names.map((n) => `${n}.webp`).sort());
  expect((await readdir(kept)).sort()).toEqual(names.map((n) => `${n}.txt`).sort());
});

test.skipIf(taking)("the pictures are small", async () => {
  const sizes = await Promise.all(
    (await readdir(pictures)).map(async (name) => (await stat(join(pictures, name))).size),
  );
  expect(sizes.reduce((sum, n) => sum + n, 0)).toBeLessThan(1_600_000);
});
