import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { barriers, expect, screenshots, test, until } from "../harness";
import { writesFiles } from "../pages/files";
import { runsCommands } from "../requirements/scripts";

test("a denied command is grey and says so once", async ({ world, visit }) => {
  await world.model.script(runsCommands);
  const session = await world.session("Denied");
  await world.say(session, "run: rm -r build");
  await world.rest.inbox.answer(await world.question(session), {
    action: "reject",
    comment: "Not before the release.",
  });
  await world.settled(session);
  const { page } = await visit({ path: `/s/${session}` });
  const card = page.locator("[data-call]");
  await card.waitFor();
  expect(await card.getAttribute("data-status")).toBe("denied");
  expect(await card.innerText()).not.toMatch(/failed/i);
  expect((await page.locator("[data-transcript]").innerText()).split("Not before the release.").length - 1).toBe(1);
  await card.getByRole("button").first().click();
  await card.getByText("Input", { exact: true }).waitFor();
  expect((await page.locator("[data-transcript]").innerText()).split("Not before the release.").length - 1).toBe(1);
  expect(await card.locator(".text-fail").count()).toBe(0);
  await screenshots(page, "truth-denied");
  expect(await barriers(page)).toEqual([]);
});

test("a command that an approval for the task allows is shown as a command, also while it runs", async ({
  world,
  visit,
}) => {
  await world.model.script(writesFiles);
  const session = await world.session("For this task", { "a.txt": "one\n" });
  const pipe = join(world.workspace(session), "pipe");
  execFileSync("mkfifo", [pipe]);
  await world.say(session, "run: cat a.txt");
  const { page } = await visit({ path: `/s/${session}` });
  await world.rest.inbox.answer(await world.question(session), {
    action: "approve",
    remember: { scope: "task", pattern: "cat *" },
  });
  await world.settled(session);
  await world.say(session, "run: cat pipe");
  const running = page.locator("[data-call][data-status=running]");
  const plain = async () => {
    const text = await page.locator("main").innerText();
    expect(text).toContain("cat pipe");
    expect(text).not.toMatch(/[{}]/);
  };
  await running.waitFor();
  await plain();
  await page.reload();
  await running.waitFor();
  await plain();
  await page.goto("/");
  await page.getByRole("main").getByText("For this task").waitFor();
  expect(await page.locator("main").innerText()).not.toMatch(/[{}]/);
  await writeFile(pipe, "two\n");
  await world.settled(session);
  await page.goto(`/s/${session}`);
  await until("both are done", async () => (await page.locator("[data-call][data-status=complete]").count()) === 2);
  await plain();
});
