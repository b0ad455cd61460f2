import { defineConfig, mergeConfig } from "vitest/config";
import { Flaky, retry } from "../sdk/typescript/test/report.ts";
import app from "./vite.config.ts";

export default mergeConfig(
  app,
  defineConfig({
    test: {
      environment: "happy-dom",
      include: ["src/**/*.test.{ts,tsx}"],
      retry,
      reporters: ["default", new Flaky(() => "webunit")],
    },
  }),
);
