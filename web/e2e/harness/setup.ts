import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { build } from "./build";
import type { Programs } from "./world";

declare module "vitest" {
  interface ProvidedContext {
    programs: Programs;
    browser: string;
  }
}

/** Once per run: builds everything. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dir = await mkdtemp(join(tmpdir(), "clew-web-run-"));
  project.provide("programs", await build(dir));
  return () => rm(dir, { recursive: true, force: true });
}
