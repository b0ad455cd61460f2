import { chromium, type Browser, type Page } from "playwright-core";
import { expect, inject, test as plain } from "vitest";
import { launchOptions } from "./browser";
import { Visitor, type VisitorOptions } from "./visitor";
import { World, type WorldOptions } from "./world";

interface Fixtures {
  /** How the file's world is; replace it with `test.extend`. */
  options: WorldOptions;
  /** Set it with `test.extend` in a file that needs what the shell lacks, with the reason. */
  wholeBrowser: boolean;
  browser: Browser;
  /** A server, a model and a line: one for all tests of a file. */
  world: World;
  /** Lets somebody come with a browser of their own. */
  visit: (options?: VisitorOptions) => Promise<Visitor>;
  /** The owner's page, signed in, at 1440x900, on the first page. */
  page: Page;
}

export const test = plain.extend<Fixtures>({
  options: [{}, { scope: "file" }],
  wholeBrowser: [false, { scope: "file" }],
  browser: [
    async ({ wholeBrowser }, use) => {
      const browser = wholeBrowser
        ? await chromium.launch(launchOptions("whole"))
        : await chromium.connect(inject("browser"));
      await use(browser);
      await browser.close();
    },
    { scope: "file" },
  ],
  world: [
    async ({ options }, use) => {
      const world = await World.start(inject("programs"), options);
      await use(world);
      await world.stop();
    },
    { scope: "file" },
  ],
  visit: async ({ browser, world, task }, use) => {
    const here: Visitor[] = [];
    world.line.everBad = false;
    await use(async (options) => {
      const visitor = await Visitor.arrive(browser, world, options);
      here.push(visitor);
      return visitor;
    });
    const problems = here.flatMap((v) => v.problems());
    await Promise.all(here.map((v) => v.leave()));
    expect(problems, `what the browser told during "${task.name}"`).toEqual([]);
  },
  page: async ({ visit }, use) => {
    await use((await visit()).page);
  },
});

export { expect };
