import { expect, screenshots, until } from "../harness";
import { cell, ended, opened, testWithKernel as test, write } from "./stage";

test("cells run, and keys insert, delete and change them", { timeout: 240_000 }, async ({ world, visit }) => {
  const session = await opened(world, "A kernel", [{ source: "" }]);
  const v = await visit({ path: `/s/${session}/notebook` });
  const { page } = v;
  await cell(page, "c0").waitFor();
  await write(page, "c0", "total = 6 * 7\nprint('out', total)\ntotal");
  await page.keyboard.press("Shift+Enter");
  await ended(page, "c0");
  await cell(page, "c0").getByText("out 42").waitFor();
  expect(await cell(page, "c0").textContent()).toContain("[1]");
  // Shift+Enter on the last cell made another one, which is chosen.
  await until("a second cell", async () => (await page.locator("[data-cell]").count()) === 2);
  const second = (await page.locator("[data-cell]").nth(1).getAttribute("data-cell"))!;
  await until("it is chosen", () =>
    page.evaluate((id) => document.activeElement?.getAttribute("data-cell") === id, second),
  );
  await page.keyboard.press("b");
  await page.keyboard.press("m"); // for the cell that is made
  await until("a third cell", async () => (await page.locator("[data-cell]").count()) === 3);
  await until("Markdown", async () => (await page.getByRole("article", { name: /Cell 3, Markdown/ }).count()) === 1);
  await page.keyboard.press("y");
  await until("code again", async () => (await page.getByRole("article", { name: /Cell 3, code/ }).count()) === 1);
  await page.keyboard.press("d");
  await page.keyboard.press("d");
  await until("it is gone", async () => (await page.locator("[data-cell]").count()) === 2);
  // An edit after a run makes it stale.
  await write(page, "c0", "total = 1\ntotal");
  await page.keyboard.press("Escape");
  await cell(page, "c0").getByText("Stale").waitFor();
  await page.keyboard.press("Control+Enter");
  await until(
    "it is fresh",
    async () =>
      (await cell(page, "c0").getAttribute("data-stale")) === null &&
      (await cell(page, "c0").getAttribute("data-status")) === "ok",
  );
  await page.getByRole("tab", { name: /Variables/ }).click();
  await page.locator("[data-variables]").getByText("total").waitFor();
});

test(
  "a long cell shows its seconds, others wait, and stop ends both",
  { timeout: 240_000 },
  async ({ world, visit }) => {
    const session = await opened(world, "Long work", [
      { source: "import time\nprint('begun')\ntime.sleep(600)" },
      { source: "print('never')" },
    ]);
    const { page } = await visit({ path: `/s/${session}/notebook` });
    await page.getByRole("button", { name: "Run all" }).click();
    await ended(page, "c0", "running");
    await cell(page, "c0").getByText("begun").waitFor();
    await cell(page, "c0").locator("[data-running]").getByText(/\d s/).waitFor();
    await cell(page, "c1").getByText("Next", { exact: true }).waitFor();
    await cell(page, "c0").locator("pre").first().click();
    expect(await cell(page, "c0").locator(".cm-content").count()).toBe(0); // it cannot be changed while it runs
    await page.getByRole("button", { name: "Stop", exact: true }).first().click();
    await until(
      "it ended",
      async () => ["error", "aborted"].includes((await cell(page, "c0").getAttribute("data-status")) ?? ""),
      60_000,
    );
    await until("nothing waits", async () => (await cell(page, "c1").getAttribute("data-status")) !== "queued");
  },
);

test(
  "cells run up to a place, and marks say what is stale and that the kernel is ahead",
  { timeout: 240_000 },
  async ({ world, visit }) => {
    const session = await opened(world, "Up to here", [
      { source: "n = 1" },
      { source: "n += 1\nn" },
      { source: "n += 100\nn" },
    ]);
    const { page } = await visit({ path: `/s/${session}/notebook` });
    await cell(page, "c1").getByRole("button", { name: "Actions of cell 2" }).click();
    await page.getByRole("menuitem", { name: "Run to here" }).click();
    await ended(page, "c1");
    expect(await cell(page, "c0").getAttribute("data-status")).toBe("ok");
    expect(await cell(page, "c2").getAttribute("data-status")).toBe("");
    const { messages } = await world.rest.sessions.messages(session);
    await cell(page, "c2").getByRole("button", { name: "Run cell" }).click();
    await ended(page, "c2");
    await cell(page, "c2").getByText("102", { exact: true }).waitFor();
    // To where the second cell began: what ran then is taken back, and the kernel is not.
    await world.rest.sessions.command(session, "rewind", {
      message_id: messages.find((m) => m.cell?.cell_id === "c1")!.message_id,
      keep_target: true,
    });
    const banner = page.locator("[data-banner]");
    await banner.getByText("Kernel is ahead.").waitFor();
    await until("the third cell is as before", async () => (await cell(page, "c2").getAttribute("data-status")) === "");
    await banner.getByRole("button", { name: "Fresh kernel" }).click();
    await until("the banner is gone", async () => (await banner.count()) === 0, 90_000);
    await cell(page, "c0").getByText("Stale").waitFor();
    await cell(page, "c1").getByRole("button", { name: "Run cell" }).click();
    await cell(page, "c1")
      .getByText(/NameError/)
      .first()
      .waitFor(); // nothing of the old kernel is left
  },
);

test(
  "after a rewind the cells run again in a fresh kernel, and what came out otherwise is named",
  { timeout: 240_000 },
  async ({ world, visit }) => {
    const session = await opened(world, "Again", [
      { source: "import os\nn = os.getpid()" },
      { source: "'two'" },
      { source: "n" },
    ]);
    const { page } = await visit({ path: `/s/${session}/notebook` });
    await page.getByRole("button", { name: "Run all" }).click();
    await ended(page, "c2");
    const { messages } = await world.rest.sessions.messages(session);
    await world.rest.sessions.command(session, "rewind", {
      message_id: messages.find((m) => m.cell?.cell_id === "c2")!.message_id,
    });
    await page.locator("[data-asked]").getByRole("button", { name: "Run the cells again in a fresh kernel" }).click();
    const banner = page.locator("[data-banner]");
    await banner.getByText("The cells ran again, with a different result: cell 1.").waitFor({ timeout: 90_000 });
    expect(await cell(page, "c0").getAttribute("data-status")).toBe("ok");
    await banner.getByRole("button", { name: "OK" }).click();
    await until("the banner is gone", async () => (await banner.count()) === 0);
  },
);

test("input() asks in its cell, and a password is written in dots", { timeout: 240_000 }, async ({ world, visit }) => {
  const session = await opened(world, "Questions", [
    { source: "import getpass\nname = input('Who? ')\nn = len(getpass.getpass('Key? '))\nprint(name, n)" },
  ]);
  const { page } = await visit({ path: `/s/${session}/notebook` });
  await page.getByRole("button", { name: "Run all" }).click();
  const asked = cell(page, "c0").locator("[data-input]");
  await asked.getByText("Who?").waitFor({ timeout: 90_000 });
  await asked.getByRole("textbox").fill("Mina");
  await asked.getByRole("button", { name: "Send" }).click();
  await asked.getByText("Key?").waitFor();
  const dots = asked.locator("input[type=password]");
  await dots.fill("hunter2");
  await dots.press("Enter");
  await ended(page, "c0");
  await cell(page, "c0").getByText("Mina 7").waitFor();
  expect(await page.content()).not.toContain("hunter2");
});

test(
  "the kernel completes and explains, and a fresh one runs all again",
  { timeout: 240_000 },
  async ({ world, visit }) => {
    const session = await opened(world, "Help", [{ source: "import math, os\nos.getpid()" }, { source: "" }]);
    const { page } = await visit({ path: `/s/${session}/notebook` });
    await cell(page, "c0").waitFor();
    await page.getByRole("button", { name: "Run all" }).click();
    await ended(page, "c0");
    await write(page, "c1", "w = '🐳'; os.getcw");
    await page.keyboard.press("Tab");
    await page.getByRole("option", { name: /getcwd$/ }).click();
    const source = cell(page, "c1").locator(".cm-content");
    await expect.poll(() => source.textContent()).toBe("w = '🐳'; os.getcwd");
    await page.keyboard.press("Shift+Tab");
    await page
      .locator(".cm-info")
      .getByText(/current working directory/)
      .waitFor();
    await page.keyboard.press("Escape");
    await until("the help is gone", async () => (await page.locator(".cm-info").count()) === 0);
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText("import math; math.sq");
    await page.keyboard.press("Control+Space");
    await page.getByRole("option", { name: /sqrt$/ }).first().click(); // a key that comes at once is for the text
    await expect.poll(() => source.textContent()).toBe("import math; math.sqrt");
    await page.keyboard.press("Shift+Tab");
    await page
      .locator(".cm-info")
      .getByText(/square root/)
      .waitFor();
    await page.keyboard.press("Escape");
    const before = await cell(page, "c0").locator("[data-outputs]").textContent();
    await page.getByRole("button", { name: "Restart kernel" }).first().click();
    await page.getByRole("button", { name: "Restart and run all" }).click();
    await until(
      "another process answers",
      async () => {
        const now =
          (await cell(page, "c0").locator("[data-outputs]").count()) > 0
            ? await cell(page, "c0").locator("[data-outputs]").textContent()
            : before;
        return now !== before && (await cell(page, "c1").getAttribute("data-status")) === "ok";
      },
      90_000,
    );
    expect(await cell(page, "c0").textContent()).toContain("[1]");
  },
);

test(
  "two people at once: the other's words appear, and a conflict shows both",
  { timeout: 240_000 },
  async ({ world, visit }) => {
    const session = await opened(world, "Two people", [{ source: "a = 1" }, { source: "b = 1" }]);
    const [one, two] = [
      (await visit({ path: `/s/${session}/notebook` })).page,
      (await visit({ path: `/s/${session}/notebook` })).page,
    ];
    await cell(two, "c0").waitFor();
    await write(one, "c0", "a = 2");
    await cell(two, "c0").getByText("a = 2").waitFor();
    // Both write in the same cell before either is sent: the second line is cut.
    const notebook = one.url().split("/").at(-1)!;
    await cell(two, "c1").locator("pre").first().click();
    await cell(two, "c1").locator(".cm-content").waitFor();
    await two.keyboard.insertText("mine ");
    await world.rest.sessions.command(session, "notebook_edit", {
      notebook_id: notebook,
      edits: [{ op: "replace", cell_id: "c1", source: "theirs" }],
    });
    const conflict = cell(two, "c1").locator("[data-conflict]");
    await conflict.waitFor();
    await conflict.getByText("theirs", { exact: true }).last().waitFor();
    await two.getByRole("button", { name: "Run all" }).click();
    await two.getByText("Cell 2 has changes that could not be sent. Nothing was run.").waitFor();
    expect(await cell(two, "c0").getAttribute("data-status")).toBe("");
    await conflict.getByRole("button", { name: "Keep mine" }).click();
    await cell(one, "c1").getByText(/mine/).waitFor();
    expect(await conflict.count()).toBe(0);
  },
);

test("a plot and a table", { timeout: 240_000 }, async ({ world, visit }) => {
  const code = "import numpy as np, pandas as pd\nimport matplotlib.pyplot as plt\nrng = np.random.default_rng(1)";
  const table =
    "weekly = pd.DataFrame({'week': [f'2026-W{i}' for i in range(1, 43)], 'units': rng.integers(100, 900, 42), 'price': rng.normal(12, 1, 42).round(2)})\nweekly.head(4)";
  const plot =
    "plt.figure(figsize=(8, 3))\nfor name, colour in [('North', '#0f6e66'), ('West', '#c98a3c'), ('South', '#5f7fa3')]:\n    plt.plot(300 + rng.normal(0, 20, 52).cumsum(), label=name, color=colour)\nplt.legend(); plt.grid(alpha=0.3); plt.show()";
  const session = await opened(world, "Weekly demand forecast", [
    { type: "markdown", source: "## Weekly demand" },
    { source: code },
    { source: table },
    { source: plot },
    { source: "1 / 0" },
  ]);
  const v = await visit({ path: `/s/${session}/notebook` });
  await v.page.getByRole("button", { name: "Run all" }).click();
  await ended(v.page, "c3");
  await cell(v.page, "c2").locator("table").waitFor();
  const image = cell(v.page, "c3").getByRole("img");
  await image.waitFor();
  await until("the plot is drawn", () => image.evaluate((el) => (el as HTMLImageElement).naturalWidth > 100));
  await v.page.locator("[data-variables]").getByText("weekly").waitFor();
  await screenshots(v.page, "notebook", ["wide"]);
  const p = await visit({ path: `/s/${session}/notebook`, phone: true });
  await cell(p.page, "c3").scrollIntoViewIfNeeded();
  await cell(p.page, "c3").getByRole("img").waitFor();
  await screenshots(p.page, "notebook", ["narrow"]);
});
