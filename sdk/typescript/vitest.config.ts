import { defineConfig } from "vitest/config";
import { Flaky, retry } from "./test/report.js";

export default defineConfig({
  test: {
    include: ["test/unit/**/*.test.{ts,tsx}"],
    testTimeout: 10_000,
    retry,
    reporters: ["default", new Flaky(() => "sdk")],
  },
});
