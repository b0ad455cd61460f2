import { defineConfig } from "vitest/config";
import { Flaky, Timings } from "../report.js";

export default defineConfig({
  test: {
    include: ["test/planted/*.test.ts"],
    retry: 2,
    reporters: ["default", new Flaky(() => "planted"), new Timings(() => "planted")],
  },
});
