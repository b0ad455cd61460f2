import { barriers, expect, screenshots, test as base, until } from "../harness";

const test = base.extend({
  options: [
    async ({}, use) => use({ settings: { always_allow_write: false, trusted_workspaces: [] } }),
    { scope: "file" },
  ],
});

const greets = [{ times: 0, reply: [{ text: "Good day." }] }];

test("the chips say model, mode and permissions, and change them by keyboard", async ({ world, visit }) => {
  await world.model.script(greets);
  const session = await world.session("Chips");
  const { page } = await visit({ path: `/s/${session}` });
  const chip = (name: string | RegExp) => page.getByRole("button", { name });
  await chip("Model: web-1").waitFor();
  await chip("Mode: Code").waitFor();
  await chip("Permissions: Ask first").waitFor();
  expect(await barriers(page)).toEqual([]);
  await screenshots(page, "chips");

  await chip("Permissions: Ask first").focus();
  await page.keyboard.press("Enter");
  const menu = page.getByRole("menu", { name: "Permissions" });
  await menu.getByRole("menuitemradio", { name: /^Ask first/, checked: true }).waitFor();
  await screenshots(page, "chips-menu");
  expect(await barriers(page)).toEqual([]);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await chip("Permissions: Edit files").waitFor();
  const box = page.locator("[data-composer]");
  const before = await box.boundingBox();

  await chip("Mode: Code").press("Enter");
  await page.getByRole("menuitemradio", { name: /^Ask/ }).press("Enter");
  await chip("Mode: Ask").waitFor();
  expect(await box.boundingBox()).toEqual(before); // nothing moved
  await box.fill("hello");
  await page.keyboard.press("Enter");
  await page.getByText("Good day.").waitFor();
  const { tasks } = await world.rest.sessions.tasks(session);
  expect(tasks[0]).toMatchObject({ mode: "ask" });
  await chip("Model: web-1").press("Enter");
  await page.getByRole("menuitemradio", { name: /^web-1/, checked: true }).waitFor();
  await page.keyboard.press("Escape");
  await page.reload();
  await chip("Mode: Ask").waitFor(); // it is the task's
  await chip("Permissions: Edit files").waitFor();
});

test("files after @, chosen by keyboard", async ({ world, visit }) => {
  await world.model.script(greets);
  const session = await world.session("Files", {
    "src/main.go": "package main\n",
    "my notes.md": "# Notes\n",
    "src/other.go": "package main\n",
  });
  const { page } = await visit({ path: `/s/${session}` });
  const box = page.locator("[data-composer]");
  await box.pressSequentially("look at @ma");
  const list = page.getByRole("listbox", { name: "Mention a file" });
  await list.getByRole("option", { name: "src/main.go", selected: true }).waitFor();
  expect(await barriers(page)).toEqual([]);
  await screenshots(page, "mention");
  await page.keyboard.press("Enter");
  expect(await box.inputValue()).toBe("look at @src/main.go ");
  await box.pressSequentially("and @notes");
  await list.getByRole("option", { name: "my notes.md" }).waitFor();
  await page.keyboard.press("Tab");
  expect(await box.inputValue()).toBe('look at @src/main.go and @"my notes.md" ');
  await box.pressSequentially("@oth");
  await list.waitFor();
  await page.keyboard.press("Escape");
  await list.waitFor({ state: "detached" });
  await page.keyboard.press("Enter");
  await page.getByText("Good day.").waitFor();
});

test("a command of the workspace is completed, and sent as what it stands for", async ({ world, visit }) => {
  await world.model.script([
    { when: { last_user: "Review main.go with care." }, times: 0, reply: [{ text: "Reviewed." }] },
    ...greets,
  ]);
  const session = await world.session("Commands", {
    ".clew/commands/review.md":
      "---\ndescription: Reviews a file\nargument-hint: FILE\n---\nReview $ARGUMENTS with care.\n",
  });
  await world.command("settings", "trust", world.workspace(session));
  const { page } = await visit({ path: `/s/${session}` });
  await until(
    "the command is there",
    async () => (await world.rest.sessions.slashCommands(session)).commands.length === 1,
  );
  const box = page.locator("[data-composer]");
  await page.getByRole("button", { name: "Commands and skills" }).click();
  await page.getByRole("option", { name: /review/ }).waitFor();
  await screenshots(page, "commands", ["wide"]);
  await page.keyboard.press("Enter");
  expect(await box.inputValue()).toBe("/review ");
  await box.pressSequentially("main.go");
  await page.keyboard.press("Enter");
  await page.getByText("Reviewed.").waitFor();
});

test("text files and images are dropped and pasted", async ({ world, visit }) => {
  await world.model.script(greets);
  const session = await world.session("Drop");
  const { page } = await visit({ path: `/s/${session}` });
  const box = page.locator("[data-composer]");
  await box.fill("Look");
  const give = (kind: "drop" | "paste") =>
    box.evaluate((el, how) => {
      const data = new DataTransfer();
      data.items.add(new File(["x,y\n1,2\n"], "table.csv", { type: "text/csv" }));
      el.dispatchEvent(
        how === "drop"
          ? new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true })
          : new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }),
      );
    }, kind);
  await give("drop");
  await until("the text is there", async () => (await box.inputValue()) === "Look\n\ntable.csv:\n```\nx,y\n1,2\n```\n");
  await box.fill("");
  await give("paste");
  await until("the text is there", async () => (await box.inputValue()) === "table.csv:\n```\nx,y\n1,2\n```\n");
  await screenshots(page, "dropped", ["wide"]);
});

test("other files are not attached, and the page says what can be", async ({ world, visit }) => {
  await world.model.script(greets);
  const session = await world.session("Other files");
  const { page } = await visit({ path: `/s/${session}` });
  const box = page.locator("[data-composer]");
  const give = (kind: "drop" | "paste") =>
    page
      .locator("textarea")
      .first()
      .evaluate((el, how) => {
        const data = new DataTransfer();
        const pdf = new Uint8Array(200_000).fill(37);
        pdf[9] = 0;
        data.items.add(new File([pdf], "report.pdf", { type: "application/pdf" }));
        data.items.add(new File(["x"], "note.txt", { type: "text/plain" }));
        el.dispatchEvent(
          how === "drop"
            ? new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true })
            : new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }),
        );
      }, kind);
  const notice = page
    .getByText("report.pdf can't be attached. You can attach images (PNG, JPEG, GIF, WebP) and text files.")
    .first();
  for (const kind of ["drop", "paste"] as const) {
    await page.goto(`/s/${session}`);
    await box.fill("Look");
    await give(kind);
    await notice.waitFor();
    await until("what can be attached is", async () => (await box.inputValue()) === "Look\n\nnote.txt:\n```\nx\n```\n");
  }
  expect(await barriers(page)).toEqual([]);
  await screenshots(page, "not-attached");
  await page.goto("/");
  await give("drop");
  await notice.waitFor();
});

test("chips on a phone, in Korean", async ({ world, visit }) => {
  const session = await world.session("Phone");
  const { page } = await visit({ path: `/s/${session}`, phone: true, prefs: { language: "ko" } });
  await page.getByRole("button", { name: "모드: 코드" }).waitFor();
  await page.getByRole("button", { name: "권한: 먼저 묻기" }).tap();
  await page.getByRole("menuitemradio", { name: /파일 수정 허용/ }).waitFor();
  expect(await barriers(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
});
