import { execFile } from "node:child_process";
import { copyFile, mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { until } from "./until";
import type { Programs } from "./world";

export const web = fileURLToPath(new URL("../..", import.meta.url));
const root = join(web, "..");
const run = promisify(execFile);

/** What the pages are made of. */
const sources = ["src", "public", "index.html", "vite.config.ts", "package-lock.json", "../sdk/typescript/src"];

/**
 * Builds the pages if their sources are newer, then the programs, into `into`.
 * Two runs at the same time wait for each other. CLEW_E2E_PROGRAM names a clew
 * that is built already, and newer than its sources.
 */
export async function build(into: string): Promise<Programs> {
  const programs = { clew: join(into, "clew"), webmodel: join(into, "webmodel") };
  const given = process.env.CLEW_E2E_PROGRAM;
  await tell("webmodel", run("go", ["build", "-o", programs.webmodel, "./internal/e2e/webmodel"], { cwd: root }));
  // A copy, so that a build in the meantime changes nothing for this run.
  if (given) {
    await tell("what CLEW_E2E_PROGRAM names", run("tools/fresh", [given], { cwd: root }));
    await copyFile(given, programs.clew);
  } else {
    await locked(async () => {
      if (!(await fresh()))
        await tell(
          "the pages",
          run("npx", ["vite", "build", "--logLevel", "warn"], {
            cwd: web,
            env: { ...process.env, NODE_ENV: "production" },
          }),
        );
      await tell("clew", run("go", ["build", "-o", programs.clew, "./cmd/clew"], { cwd: root }));
    });
  }
  return programs;
}

async function tell(what: string, built: Promise<unknown>): Promise<void> {
  await built.catch((e: { stdout?: string; stderr?: string }) => {
    throw new Error(`${what} cannot be built:\n${e.stdout ?? ""}${e.stderr ?? ""}`);
  });
}

async function fresh(): Promise<boolean> {
  const built = await stat(join(web, "dist/index.html")).then(
    (s) => s.mtimeMs,
    () => 0,
  );
  for (const source of sources) if ((await newest(join(web, source))) > built) return false;
  return built > 0;
}

async function newest(path: string): Promise<number> {
  const s = await stat(path);
  if (!s.isDirectory()) return s.mtimeMs;
  const inside = await Promise.all((await readdir(path)).map((name) => newest(join(path, name))));
  return Math.max(s.mtimeMs, ...inside);
}

/** Holds a file that is there only while somebody builds. */
async function locked(work: () => Promise<void>): Promise<void> {
  const dir = join(web, "node_modules/.cache");
  const file = join(dir, "clew-e2e.lock");
  await mkdir(dir, { recursive: true });
  await until(
    "the other build",
    async () => {
      const old = await stat(file).then(
        (s) => Date.now() - s.mtimeMs > 300_000,
        () => false,
      );
      if (old) await rm(file, { force: true }); // of a run that was killed
      return open(file, "wx").then(
        async (f) => (await f.close(), true),
        () => false,
      );
    },
    320_000,
  );
  try {
    await work();
  } finally {
    await rm(file, { force: true });
  }
}
