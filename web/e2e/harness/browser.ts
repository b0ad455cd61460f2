import { existsSync } from "node:fs";
import { chromium, type LaunchOptions } from "playwright-core";
import type { TestProject } from "vitest/node";

const whole = "/usr/bin/chromium";
const shell = "/usr/bin/chromium-headless-shell";

/**
 * How a browser is started. The shell has no windows and takes far less of the
 * processor; the whole browser is for measuring and for what the shell lacks.
 * CHROMIUM names another browser for both.
 */
export function launchOptions(kind: "shell" | "whole"): LaunchOptions {
  // On one's own machine the whole browser does as well; in CI it would be slow unnoticed.
  const missing = !process.env.CI && !existsSync(shell);
  return {
    executablePath: process.env.CHROMIUM ?? (kind === "whole" || missing ? whole : shell),
    // Chromium does not run as root with its sandbox; in a container root is usual.
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
  };
}

/** Once per project: the browser that its files share. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const browser = await chromium.launchServer(launchOptions(project.name === "alone" ? "whole" : "shell"));
  project.provide("browser", browser.wsEndpoint());
  return () => browser.close();
}
