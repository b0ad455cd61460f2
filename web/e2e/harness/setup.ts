import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";
import { build } from "./build";
import type { Programs } from "./world";

declare module "vitest" {
  interface ProvidedContext {
    programs: Programs;
    browser: string;
  }
}

/** Once per run: builds everything and starts the one browser. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dir = await mkdtemp(join(tmpdir(), "clew-web-run-"));
  const programs = await build(dir);
  const browser = await chromium.launchServer({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    // Chromium does not run as root with its sandbox; in a container root is usual.
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
  });
  project.provide("programs", programs);
  project.provide("browser", browser.wsEndpoint());
  return async () => {
    await browser.close();
    await rm(dir, { recursive: true, force: true });
  };
}
