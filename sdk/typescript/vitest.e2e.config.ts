import { defineConfig } from "vitest/config";
import { Flaky, retry } from "./test/report.js";

// Real servers on a small machine: one file at a time.
export default defineConfig({
  test: {
    include: ["test/e2e/**/*.test.ts"],
    globalSetup: ["test/e2e/build.ts"],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    retry,
    reporters: ["default", new Flaky(() => "sdk")],
  },
});
