import { execFileSync } from "node:child_process";
import { dirname } from "node:path";
import type { Page } from "playwright-core";
import { test as base, until, type World } from "../harness";

/** A Python that has ipykernel, or "": tests that run code are left out without one, and fail in CI. */
const python = pythonWithKernel();

function pythonWithKernel(): string {
  const named = process.env.CLEW_TEST_PYTHON || "python3";
  try {
    execFileSync(named, ["-c", "import ipykernel"], { stdio: "ignore", timeout: 60_000 });
    return execFileSync(named, ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" }).trim();
  } catch (e) {
    if (process.env.CI) throw e;
    return "";
  }
}

/** With that Python as the first one of the server, whose kernels end with it. */
export const test = base.extend({
  options: [
    { settings: { supervisor_orphan_sec: 0 }, env: python ? { PATH: `${dirname(python)}:${process.env.PATH}` } : {} },
    { scope: "file" },
  ],
});

/** The same, for tests that run code. */
export const testWithKernel = python ? test : test.skip;

export interface FileCell {
  type?: "code" | "markdown";
  source: string;
  outputs?: object[];
  count?: number;
}

/** A notebook file. */
export function fileOf(cells: readonly FileCell[]): string {
  return JSON.stringify({
    nbformat: 4,
    nbformat_minor: 5,
    metadata: {
      kernelspec: { name: "python3", display_name: "Python 3", language: "python" },
      language_info: { name: "python" },
    },
    cells: cells.map((c, i) => ({
      id: `c${i}`,
      cell_type: c.type ?? "code",
      metadata: {},
      source: c.source,
      ...((c.type ?? "code") === "code" && { execution_count: c.count ?? null, outputs: c.outputs ?? [] }),
    })),
  });
}

/** A session with an open notebook. */
export async function opened(world: World, title: string, cells: readonly FileCell[]): Promise<string> {
  const session = await world.session(title, { "a.ipynb": fileOf(cells) });
  await world.rest.sessions.command(session, "notebook_open", { path: "a.ipynb" });
  return session;
}

export const cell = (page: Page, id: string) => page.locator(`[data-cell="${id}"]`);

/** Waits until a cell has run. A first kernel takes its time. */
export async function ended(page: Page, id: string, status = "ok"): Promise<void> {
  await until(`${id} is ${status}`, async () => (await cell(page, id).getAttribute("data-status")) === status, 90_000);
}

/** Writes into a cell, in place of what it has. */
export async function write(page: Page, id: string, text: string): Promise<void> {
  await cell(page, id).locator("pre").first().click();
  const box = cell(page, id).locator(".cm-content");
  await box.waitFor();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(text);
}
