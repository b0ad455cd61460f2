import { existsSync } from "node:fs";
import { build } from "esbuild";
import { chromium } from "playwright-core";
import { expect, test } from "vitest";
import { Server } from "./server.js";

const browserPath = process.env.CLEW_CHROMIUM ?? "/usr/bin/chromium";

/** A step that does not come to its end says which one it is, and how things stand. */
function step<T>(what: string, done: Promise<T>, stand: () => Promise<string>): Promise<T> {
  return Promise.race([
    done,
    new Promise<T>((_, fail) => {
      setTimeout(() => {
        void stand().then((s) => {
          fail(new Error(`${what}: not within 100 s: ${s}`));
        });
      }, 100_000).unref();
    }),
  ]);
}

test.skipIf(!existsSync(browserPath))(
  "a browser connects, sends, streams, and comes back after a restart",
  async () => {
    const server = await Server.start(); // its model says back what it hears
    const made = await build({
      stdin: {
        contents: 'export * from "./src/index.ts"',
        resolveDir: new URL("../..", import.meta.url).pathname,
        loader: "ts",
      },
      bundle: true,
      format: "iife",
      globalName: "clew",
      write: false,
    });
    const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
    try {
      const page = await browser.newPage();
      const problems: string[] = [];
      page.on("pageerror", (e) => problems.push(e.message));
      const stand = async (): Promise<string> => {
        const line = await Promise.race([
          page.evaluate(() =>
            JSON.stringify((globalThis as unknown as { s?: import("../../src/index.js").Session }).s?.connection),
          ),
          new Promise<string>((given) => {
            setTimeout(() => {
              given("the page does not answer");
            }, 5000).unref();
          }),
        ]);
        return `${line}\n${problems.join("\n")}\n${server.output}`;
      };
      // A page of the server's own, as the web UI is one.
      await page.goto(`${server.url}/healthz`);
      await page.evaluate(`${made.outputFiles[0]!.text};globalThis.clew = clew; undefined`);
      await step(
        "the first message is taken",
        page.evaluate(async (token) => {
          const { ClewClient } = (globalThis as unknown as { clew: typeof import("../../src/index.js") }).clew;
          const client = new ClewClient({ token, retry: { initialDelayMs: 50, maxDelayMs: 100, maxRetries: 1000 } });
          const { session_id } = await client.rest.sessions.create({ title: "From a browser" });
          const s = client.session(session_id);
          Object.assign(globalThis, { s });
          s.connect();
          await s.send("user_message", { text: "hello from a page" });
        }, server.token),
        stand,
      );
      const said = (text: string): Promise<unknown> =>
        page.waitForFunction(
          (wanted) => {
            const { s } = globalThis as unknown as { s: import("../../src/index.js").Session };
            const x = s.store.getSnapshot();
            const texts = x.messageIds
              .map((id) => s.store.message(id))
              .filter((m) => m?.role === "assistant" && !m.partial)
              .map((m) => m?.text ?? "");
            return s.connection.state === "active" && texts.some((t) => t.includes(wanted));
          },
          text,
          { timeout: 60_000 },
        );
      await said("hello from a page");
      await server.kill();
      await page.waitForFunction(
        () =>
          (globalThis as unknown as { s: import("../../src/index.js").Session }).s.connection.state === "reconnecting",
        undefined,
        { timeout: 60_000 },
      );
      await server.start();
      await step(
        "the second message is taken",
        page.evaluate(async () => {
          const { s } = globalThis as unknown as { s: import("../../src/index.js").Session };
          await s.send("user_message", { text: "and again" });
        }),
        stand,
      );
      await said("and again");
      expect(problems).toEqual([]);
    } finally {
      await browser.close();
      await server.end();
    }
  },
  300_000,
);
