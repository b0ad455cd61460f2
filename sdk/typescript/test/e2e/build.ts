import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    program: string;
  }
}

const root = fileURLToPath(new URL("../../../..", import.meta.url));

/** Builds the server once for all tests. CLEW_E2E_PROGRAM names one that is there already, and newer than its sources. */
export default function setup(project: TestProject): () => void {
  const made = process.env.CLEW_E2E_PROGRAM;
  if (made) {
    execFileSync("tools/fresh", [made], { cwd: root, stdio: "inherit" });
    project.provide("program", made);
    return () => {};
  }
  const dir = mkdtempSync(join(tmpdir(), "clew-sdk-"));
  const program = join(dir, "clew");
  execFileSync("go", ["build", "-o", program, "./cmd/clew"], { cwd: root, stdio: "inherit" });
  project.provide("program", program);
  return () => rmSync(dir, { recursive: true, force: true });
}
