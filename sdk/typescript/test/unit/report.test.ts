import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

test(
  "a flaky test is told with its first failure, a broken one stays red, and each file has its time",
  { timeout: 60_000 },
  async () => {
    const dir = await mkdtemp(join(tmpdir(), "clew-report-"));
    try {
      const [flaky, timings] = [join(dir, "flaky"), join(dir, "timings")];
      const env = { ...process.env, CLEW_FLAKY: flaky, CLEW_TIMINGS: timings };
      const { failed, out } = await new Promise<{ failed: boolean; out: string }>((done) =>
        execFile(
          process.execPath,
          ["node_modules/vitest/vitest.mjs", "run", "--config", "test/planted/vitest.config.ts"],
          { cwd: root, env },
          (e, stdout) => done({ failed: e !== null, out: stdout }),
        ),
      );
      expect(failed).toBe(true);
      const lines = (await readFile(flaky, "utf8"))
        .trimEnd()
        .split("\n")
        .map((l) => JSON.parse(l) as { output: string });
      expect(lines).toEqual([
        {
          suite: "planted",
          test: "test/planted/planted.test.ts > planted > fails twice, each time otherwise",
          output: expect.any(String) as string,
        },
      ]);
      const { output } = lines[0]!;
      expect(output).toMatch(/^the defect\nwhat it was caused by\n.*planted\.test\.ts:11$/);
      expect(out).toContain(
        "flaky: test/planted/planted.test.ts > planted > fails twice, each time otherwise\n  the defect\n  what it was caused by\n",
      );
      expect(await readFile(timings, "utf8")).toMatch(/^planted\ttest\/planted\/planted\.test\.ts\t\d+\.\d\n$/);
    } finally {
      await rm(dir, { recursive: true });
    }
  },
);
