import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { web } from "../harness/build";
import { sizesOf } from "./graph";
import { figures } from "./figures";

const dist = join(web, "dist");
const session = /\/SessionPage-/;
const desktop = /\/DesktopPage-/;
const apps = /\/AppWindow-/;

test("what the pages weigh", () => {
  const sizes = sizesOf(dist);
  const [largest, page] = Object.entries(sizes.lazy).sort((a, b) => b[1] - a[1])[0] ?? ["none", 0];
  figures({ first_load_kib: sizes.first.kib, largest_lazy: largest, largest_lazy_kib: page, all_kib: sizes.all });
  expect(sizes.first.kib, `the first load: ${sizes.first.files.join(", ")}`).toBeLessThanOrEqual(160);
  expect(sizes.first.files.length).toBeGreaterThanOrEqual(3); // the page, a script, a style
  expect(Object.keys(sizes.lazy).length).toBeGreaterThanOrEqual(5);
  // Beyond the first load; parts of a session count what the session itself brings.
  for (const [file, kib] of Object.entries(sizes.lazy)) if (!desktop.test(file) && !apps.test(file)) expect(kib, file).toBeLessThanOrEqual(120); // these have all of a session with windows, and are measured below
  expect(sizes.all).toBeLessThanOrEqual(2048);
  // The one exception: what draws diagrams, which comes with the first diagram that is shown.
  const diagrams = readdirSync(join(dist, "assets")).filter((f) => /^diagrams-.*\.bin$/.test(f));
  expect(diagrams).toHaveLength(1);
  const drawing = statSync(join(dist, "assets", diagrams[0]!)).size / 1024;
  figures({ diagrams_kib: drawing });
  expect(drawing, diagrams[0]).toBeLessThanOrEqual(400);
});

test("the desktop adds little to a session, and nothing before it is opened", () => {
  const sizes = sizesOf(dist);
  const more = sizes.beyond(desktop, session);
  figures({ desktop_kib: more, windows_kib: sizes.beyond(/\/Desk-/, session) });
  expect(more).toBeLessThanOrEqual(60);
  expect(more).toBeGreaterThan(5); // it is in a file of its own
});

test("apps add little to a window, and nothing before one is opened", () => {
  const more = sizesOf(dist).beyond(apps, /\/Desk-/);
  figures({ apps_kib: more });
  expect(more).toBeLessThanOrEqual(10);
  expect(more).toBeGreaterThan(2); // it is in a file of its own
});

test("nothing in the page is inline", () => {
  const html = readFileSync(join(dist, "index.html"), "utf8");
  expect(html).not.toMatch(/<script(?![^>]*\bsrc=)[^>]*>|<style|\sstyle=|\son\w+=|javascript:|https?:\/\//i);
});
