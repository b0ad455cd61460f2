import { test as base } from "../harness";
import { picture } from "./picture";
import { Home } from "./shop";
import { fresh } from "./stage";
import { work } from "./stops";

const home = new Home();

const test = base.extend({
  wholeBrowser: [true, { scope: "file" }], // which takes the pictures; the shell breaks some lines elsewhere
  options: [
    async ({}, use) => {
      await use({ settings: fresh, env: { HOME: home.dir } });
      home.remove();
    },
    { scope: "file" },
  ],
});

for (const [name, stop] of Object.entries(work)) {
  test(`the picture of ${name} is current`, async ({ world, visit, browser }) => {
    await picture(browser, await stop.at({ world, home, visit }), name, home.dir);
  });
}
