import type { Page } from "playwright-core";
import { barriers, expect, screenshots, test as base, until } from "../harness";

const docs = {
  slug: "docs",
  name: "Writer",
  prompt: "You write documents.",
  groups: ["read"],
  when_to_use: "Write documents.",
};
const test = base.extend({
  options: [
    async ({}, use) => use({ settings: { mode: "docs", custom_modes: [docs], permissions: "edits" } }),
    { scope: "file" },
  ],
});

const greets = [{ times: 0, reply: [{ text: "Good day." }] }];
const box = (page: Page) => page.getByRole("textbox", { name: "Describe a task…" });

/** Chooses a folder by its path. */
async function work(page: Page, folder: string): Promise<void> {
  await page.getByRole("button", { name: "Title and workspace" }).click();
  await page.getByRole("textbox", { name: "Workspace" }).fill(folder);
}

test("files are mentioned before there is a session", async ({ world, visit }) => {
  await world.model.script(greets);
  const folder = world.workspace(
    await world.session("Files", {
      "src/main.go": "package main\n",
      "src/other.go": "package main\n",
      "my notes.md": "# Notes\n",
    }),
  );
  const { page } = await visit();
  await work(page, folder);
  await box(page).pressSequentially("look at @ma");
  const list = page.getByRole("listbox", { name: "Mention a file" });
  await list.getByRole("option", { name: "src/main.go", selected: true }).waitFor();
  await screenshots(page, "home-mention");
  expect(await barriers(page)).toEqual([]);
  await page.keyboard.press("Enter");
  expect(await box(page).inputValue()).toBe("look at @src/main.go ");
  await list.waitFor({ state: "detached" });
  await box(page).pressSequentially("and @notes");
  await list.getByRole("option", { name: "my notes.md" }).click();
  expect(await box(page).inputValue()).toBe('look at @src/main.go and @"my notes.md" ');
  await page.keyboard.press("Enter");
  await page.getByText("Good day.").waitFor();
  const id = new URL(page.url()).pathname.slice(3);
  expect((await world.rest.sessions.get(id)).workspace).toBe(folder);
  await page.getByText("src/main.go").first().waitFor();
  const { messages } = await world.rest.sessions.messages(id);
  expect(messages.find((m) => m.say === "user_feedback" || m.text?.startsWith("look at"))?.text).toBe(
    'look at @src/main.go and @"my notes.md"',
  );
  expect(messages.some((m) => m.say === "files_attached")).toBe(true);
});

test("commands and skills of the folder are listed, and a command is sent as what it stands for", async ({
  world,
  visit,
}) => {
  await world.model.script([
    { when: { last_user: "Review main.go with care." }, times: 0, reply: [{ text: "Reviewed." }] },
    ...greets,
  ]);
  const folder = world.workspace(
    await world.session("Commands", {
      ".clew/commands/review.md":
        "---\ndescription: Reviews a file\nargument-hint: FILE\n---\nReview $ARGUMENTS with care.\n",
      ".clew/skills/pdf/SKILL.md": "---\nname: pdf\ndescription: Read PDF files\n---\nx\n",
    }),
  );
  await world.command("settings", "trust", folder);
  await until(
    "the command is there",
    async () => (await world.rest.before("slash-commands", { path: folder })).commands.length === 1,
  );
  const { page } = await visit();
  await work(page, folder);
  await box(page).pressSequentially("/");
  const list = page.getByRole("listbox", { name: "Commands and skills" });
  await list.getByRole("option", { name: /^pdf/ }).waitFor();
  await list.getByRole("option", { name: /review/, selected: true }).waitFor();
  expect(await barriers(page)).toEqual([]);
  await page.keyboard.press("Tab");
  expect(await box(page).inputValue()).toBe("/review ");
  await box(page).pressSequentially("main.go");
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByText("Reviewed.").waitFor();
});

test("the chips say what the new session will have", async ({ world, visit }) => {
  await world.model.script(greets);
  const { page } = await visit();
  const chips = async () => {
    for (const name of ["Model: web-1", "Mode: Writer", "Permissions: Edit files"])
      await page.getByRole("button", { name, exact: true }).waitFor();
  };
  await chips();
  await page.getByRole("button", { name: "Folder: New folder" }).waitFor();
  await page.getByRole("button", { name: "Mode: Writer" }).click();
  await page.getByRole("menuitemradio", { name: /^Writer/, checked: true }).waitFor();
  await page.keyboard.press("Escape");
  await screenshots(page, "home-chips");
  await box(page).fill("hello");
  await page.keyboard.press("Enter");
  await page.getByText("Good day.").waitFor();
  await chips(); // it has them
});
