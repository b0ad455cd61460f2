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
const notebook = /\/NotebookPage-/;
const editor = /\/mount-/;
const language = /\/(?:python|markdown)-/; // of the editor, which is there before it

test("what the pages weigh", () => {
  const sizes = sizesOf(dist);
  const [largest, page] = Object.entries(sizes.lazy).sort((a, b) => b[1] - a[1])[0] ?? ["none", 0];
  figures({ first_load_kib: sizes.first.kib, largest_lazy: largest, largest_lazy_kib: page, all_kib: sizes.all });
  expect(sizes.first.kib, `the first load: ${sizes.first.files.join(", ")}`).toBeLessThanOrEqual(160);
  expect(sizes.first.files.length).toBeGreaterThanOrEqual(3); // the page, a script, a style
  expect(Object.keys(sizes.lazy).length).toBeGreaterThanOrEqual(5);
  // Beyond the first load; parts of a session count what the session itself brings.
  for (const [file, kib] of Object.entries(sizes.lazy))
    if (![desktop, apps, notebook, language].some((known) => known.test(file)))
      expect(kib, file).toBeLessThanOrEqual(120); // these have all of a session with windows, and are measured below
  // The exceptions: what draws diagrams and charts, each of which comes with the first one that is shown. See docs/notebooks.md.
  let drawing = 0;
  for (const [name, most] of Object.entries({ diagrams: 400, vega: 300, plotly: 490 })) {
    const files = readdirSync(join(dist, "assets")).filter((f) => f.startsWith(`${name}-`) && f.endsWith(".bin"));
    expect(files, name).toHaveLength(1);
    const kib = statSync(join(dist, "assets", files[0]!)).size / 1024;
    figures({ [`${name}_kib`]: kib });
    expect(kib, name).toBeLessThanOrEqual(most);
    drawing += kib;
  }
  expect(sizes.all - drawing).toBeLessThanOrEqual(1648);
});

test("the desktop adds little to a session, and nothing before it is opened", () => {
  const sizes = sizesOf(dist);
  const more = sizes.beyond(desktop, session);
  figures({ desktop_kib: more, windows_kib: sizes.beyond(/\/Desk-/, session) });
  expect(more).toBeLessThanOrEqual(60);
  expect(more).toBeGreaterThan(5); // it is in a file of its own
});

test("a notebook adds little to a session, and its editor comes by itself", () => {
  const sizes = sizesOf(dist);
  const page = sizes.beyond(notebook, session);
  const typing = sizes.beyond(editor, notebook);
  const python = sizes.beyond(/\/python-/, editor);
  figures({
    notebook_kib: page,
    editor_kib: typing,
    python_kib: python,
    markdown_kib: sizes.beyond(/\/markdown-/, editor),
  });
  expect(page).toBeLessThanOrEqual(40);
  expect(page).toBeGreaterThan(10); // it is in a file of its own
  expect(typing).toBeLessThanOrEqual(110);
  expect(python).toBeLessThanOrEqual(40);
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
