import { test as base } from "../harness";
import { ModelServer } from "../start/models";
import { picture } from "./picture";
import { Home } from "./shop";
import { fresh } from "./stage";
import { firstRun } from "./stops";

const home = new Home();
const ollama = await ModelServer.start();
ollama.shown = true;

const test = base.extend({
  wholeBrowser: [true, { scope: "file" }], // which takes the pictures; the shell breaks some lines elsewhere
  options: [
    async ({}, use) => {
      await use({ settings: fresh, env: { HOME: home.dir, OLLAMA_HOST: ollama.address } });
      await ollama.stop();
      home.remove();
    },
    { scope: "file" },
  ],
});

for (const [name, stop] of Object.entries(firstRun)) {
  test(`the picture of ${name} is current`, async ({ world, visit, browser }) => {
    await picture(browser, await stop.at({ world, home, visit }), name, home.dir);
  });
}
