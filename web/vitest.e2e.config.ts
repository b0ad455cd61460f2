import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import type { Reporter } from "vitest/node";

const here = fileURLToPath(new URL(".", import.meta.url));
const client = join(here, "../sdk/typescript/src");

const shared = {
  environment: "node" as const,
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 40_000 } }, // as soonMs
  // A shared machine may stall for seconds; what fails twice is broken.
  retry: process.env.CI ? 1 : 0,
};

// Says what went wrong with a test that passed at its second try: its first one may
// have seen a defect.
const secondTries: Reporter = {
  onTestCaseResult(test) {
    if (!test.diagnostic()?.flaky) return;
    for (const e of test.result().errors ?? []) {
      const at = e.stacks?.map((s) => `${s.file}:${s.line}`).find((line) => line.includes(".spec.ts")) ?? "";
      const why = e.cause ? `\n  ${(e.cause as { message?: string }).message}` : ""; // what until threw last
      console.log(`second try: ${test.fullName}\n  ${e.message}${why}\n  ${at}`);
    }
  },
};

// Tests in a real browser against the real server; see e2e/README.md. Files of
// the first project run beside each other, then those that measure, alone.
export default defineConfig({
  resolve: { alias: [{ find: "@clew-run/client", replacement: join(client, "index.ts") }] },
  test: {
    globalSetup: ["e2e/harness/setup.ts"],
    reporters: ["default", secondTries],
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: { ...shared, name: "pages", include: ["e2e/**/*.spec.ts"], exclude: ["e2e/budgets/**"], sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        test: { ...shared, name: "alone", include: ["e2e/budgets/**/*.spec.ts"], fileParallelism: false, maxWorkers: 1, testTimeout: 180_000, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
