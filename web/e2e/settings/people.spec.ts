import { Rest } from "../../../sdk/typescript/src/rest";
import { barriers, expect, live, screenshots, test, until } from "../harness";
import { writesFiles } from "../pages/files";

test("an administrator sees everybody's sessions, finds them, and only watches", async ({ world, visit }) => {
  await world.model.script(writesFiles);
  const { token } = await world.rest.keys.create({ user: "ada", role: "owner" });
  const ada = new Rest({ baseUrl: world.direct, token: async () => token, fetch });
  const { session_id: hers } = await ada.sessions.create({ title: "Ada's own" });
  await ada.sessions.command(hers, "user_message", { text: "run: date" });
  await until("she is asked", async () => (await ada.sessions.get(hers)).status === "awaiting_input");
  await world.session("Mine");

  const { page } = await visit({ path: "/settings/people" });
  await page.getByRole("main").getByText("Ada's own").waitFor();
  await page.getByRole("main").getByText("Mine", { exact: true }).waitFor();
  await screenshots(page, "settings-people");
  expect(await barriers(page)).toEqual([]);
  await page.getByRole("radio", { name: "Waiting for an answer" }).check({ force: true });
  await until(
    "hers only",
    async () =>
      (await page.getByRole("main").getByText("Mine", { exact: true }).count()) === 0 &&
      (await page.getByRole("main").getByText("Ada's own").count()) === 1,
  );
  await page.getByRole("radio", { name: "All" }).check({ force: true });
  await page.getByRole("searchbox", { name: "Search titles and IDs" }).fill("mine");
  await until(
    "mine only",
    async () =>
      (await page.getByRole("main").getByText("Ada's own").count()) === 0 &&
      (await page.getByRole("main").getByText("Mine", { exact: true }).count()) === 1,
  );

  await page.goto(`/s/${hers}`);
  await live(page);
  await page.getByText("You have view-only access.").waitFor();
  expect(await page.getByRole("button", { name: /Approve|Deny/ }).count()).toBe(0);
  await page.goto(`/s/${hers}/time`);
  await live(page);
  await page.getByText("You have view-only access. Only the owner can rewind.").waitFor();
});

test("an administrator makes a key that is shown once, and revokes it", async ({ world, visit }) => {
  const v = await visit({ path: "/settings/people" });
  v.allow(/status of 4\d\d/);
  const { page } = v;
  await page.getByRole("button", { name: "New key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("ci");
  await dialog.getByLabel("User").fill("not a user");
  await dialog.getByRole("button", { name: "Create key" }).click();
  await dialog.getByRole("alert").waitFor();
  await dialog.getByLabel("User").fill("robot");
  await dialog.getByLabel("Role").selectOption("viewer");
  await dialog.getByRole("button", { name: "Create key" }).click();
  await dialog.getByText("This key is shown only once.").waitFor();
  const token = (await dialog.locator("code").textContent())!;
  expect(await barriers(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Done" }).click();
  expect(await page.content()).not.toContain(token);
  const me = () => fetch(`${world.direct}/api/v1/me`, { headers: { Authorization: `Bearer ${token}` } });
  expect(await (await me()).json()).toMatchObject({ user_id: "robot", role: "viewer" });
  const robot = page.getByRole("group", { name: "robot" });
  await robot.getByText("Viewer", { exact: true }).waitFor();
  await robot.getByText("1 key").click();
  await page.getByRole("button", { name: "Revoke: ci" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke", exact: true }).click();
  await robot.waitFor({ state: "detached" });
  expect((await me()).status).toBe(401);
});

test("storage says how the server stands, what is used, and how to back up", async ({ world, visit }) => {
  const { page } = await visit({ path: "/settings/storage" });
  await page.getByText("Ready", { exact: true }).waitFor();
  await page
    .getByText(/ of 20\.0 GiB/)
    .first()
    .waitFor();
  await page.getByText("No backup since the server started").waitFor();
  await page.getByText("clew backup /path/to/backup --check").waitFor();
  const days = page.getByRole("spinbutton", { name: "Deleted sessions can be restored for" });
  await days.fill("14");
  await days.press("Enter");
  await until(
    "saved",
    async () => (await world.rest.settings.list()).settings.find((s) => s.key === "erase_after_days")!.value === 14,
  );
  await page.reload();
  await until("after a reload", async () => (await days.inputValue()) === "14");
  await screenshots(page, "settings-storage");
  expect(await barriers(page)).toEqual([]);
  await world.rest.settings.change({ erase_after_days: null });
  // A backup that was made is there to see.
  await world.command("backup", `${world.dir}/backup`);
  await page.reload();
  await page.getByText("Last backup:").waitFor();
});
