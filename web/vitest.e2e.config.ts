import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { Flaky, retry, Timings } from "../sdk/typescript/test/report.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const client = join(here, "../sdk/typescript/src");

const resolve = { alias: [{ find: "@clew-run/client", replacement: join(client, "index.ts") }] };

const shared = {
  environment: "node" as const,
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 40_000 } }, // as soonMs
  retry,
  globalSetup: ["e2e/harness/browser.ts"],
};

const suite = (project: string) => (project === "alone" ? "budgets" : "webtest");

// Tests in a real browser against the real server; see e2e/README.md. Files of
// the first project run beside each other, then those that measure, alone.
export default defineConfig({
  resolve,
  test: {
    globalSetup: ["e2e/harness/setup.ts"],
    reporters: ["default", new Flaky(suite), new Timings(suite)],
    maxWorkers: 2,
    projects: [
      {
        resolve,
        test: {
          ...shared,
          name: "pages",
          include: ["e2e/**/*.spec.ts"],
          exclude: ["e2e/budgets/**"],
          sequence: { groupOrder: 0 },
        },
      },
      {
        resolve,
        test: {
          ...shared,
          name: "alone",
          include: ["e2e/budgets/**/*.spec.ts"],
          fileParallelism: false,
          maxWorkers: 1,
          testTimeout: 180_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
