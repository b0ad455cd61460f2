import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, screenshots, until } from "../harness";
import { cell, ended, fileOf, opened, test, testWithKernel } from "./stage";

testWithKernel(
  "the transcript shows what runs of cells put out, and leads to their cells",
  { timeout: 240_000 },
  async ({ world, visit }) => {
    const session = await opened(world, "Runs", [
      { source: "print('one')\nfrom IPython.display import display\nfor i in range(8): display(i)" },
      { source: "1 / 0" },
    ]);
    const { page } = await visit({ path: `/s/${session}/notebook` });
    await page.getByRole("button", { name: "Run all" }).click();
    await ended(page, "c1", "error");
    await page.goto(`/s/${session}`);
    const runs = page.locator("[data-run]");
    await until("both runs are there", async () => (await runs.count()) === 2);
    const [first, second] = [runs.first(), runs.last()];
    expect(await first.getAttribute("data-status")).toBe("ok");
    await first.getByText("one", { exact: true }).waitFor();
    await first.getByText("4 more outputs in the notebook").waitFor(); // a line, 0, 1, 2, and 7
    await first.getByText("7", { exact: true }).waitFor();
    expect(await second.getAttribute("data-status")).toBe("error");
    await second.getByText("ZeroDivisionError: division by zero").first().waitFor();
    const text = await page.locator("main").innerText();
    expect(text).not.toContain("[0;31m");
    expect(text).not.toContain("\u001b");
    expect(text).not.toContain("The session is still open"); // that is for an agent that failed
    await screenshots(page, "notebook-transcript");
    await second.getByRole("link", { name: "Cell 2 · a.ipynb" }).click();
    await until("the cell is chosen", () => cell(page, "c1").evaluate((el) => el === document.activeElement));
  },
);

test("who saves as a file that is there already decides about that file", async ({ world, visit }) => {
  const session = await world.session("Two files", {
    "a.ipynb": fileOf([{ source: "mine" }]),
    "b.ipynb": fileOf([{ source: "theirs" }]),
  });
  await world.rest.sessions.command(session, "notebook_open", { path: "a.ipynb" });
  const { workspace } = await world.rest.sessions.get(session);
  const file = (name: string) => readFileSync(join(workspace!, name), "utf8");
  const before = file("a.ipynb");
  const { page } = await visit({ path: `/s/${session}/notebook` });
  await cell(page, "c0").waitFor();
  await page.getByRole("button", { name: "Notebook actions" }).click();
  await page.getByRole("menuitem", { name: "Save as…" }).click();
  await page.getByRole("dialog").getByRole("textbox").fill("b.ipynb");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  const banner = page.locator("[data-banner=ask]");
  await banner.getByText("b.ipynb exists already.").waitFor();
  expect(file("b.ipynb")).toContain("theirs");
  await banner.getByRole("button", { name: "Overwrite it" }).click();
  await until("it is written", () => file("b.ipynb").includes("mine"));
  await until("the banner is gone", async () => (await banner.count()) === 0);
  expect(file("a.ipynb")).toBe(before);
});
