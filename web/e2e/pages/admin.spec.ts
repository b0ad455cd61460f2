import { Rest } from "../../../sdk/typescript/src/rest";
import { barriers, expect, live, screenshots, test, until } from "../harness";
import { writesFiles } from "./files";

test("an administrator sees everybody's sessions, finds them, and only watches", async ({ world, visit }) => {
  await world.model.script(writesFiles);
  const { token } = await world.rest.keys.create({ user: "ada", role: "owner" });
  const ada = new Rest({ baseUrl: world.direct, token: async () => token, fetch });
  const { session_id: hers } = await ada.sessions.create({ title: "Ada's own" });
  await ada.sessions.command(hers, "user_message", { text: "run: date" });
  await until("she is asked", async () => (await ada.sessions.get(hers)).status === "awaiting_input");
  await world.session("Mine");

  const { page } = await visit({ path: "/admin" });
  await page.getByText("Ada's own").waitFor();
  await page.getByText("Mine", { exact: true }).waitFor();
  await page.getByText("Ready", { exact: true }).waitFor();
  await screenshots(page, "admin");
  expect(await barriers(page)).toEqual([]);
  await page.getByRole("radio", { name: "Needs somebody" }).check({ force: true });
  await until("hers only", async () => (await page.getByText("Mine", { exact: true }).count()) === 0 && (await page.getByText("Ada's own").count()) === 1);
  await page.getByRole("radio", { name: "Everybody" }).check({ force: true });
  await page.getByRole("searchbox").fill("mine");
  await until("mine only", async () => (await page.getByText("Ada's own").count()) === 0 && (await page.getByText("Mine", { exact: true }).count()) === 1);

  await page.goto(`/s/${hers}`);
  await live(page);
  await page.getByText("You have view-only access.").waitFor();
  expect(await page.getByRole("button", { name: /Approve|Deny/ }).count()).toBe(0);
  await page.goto(`/s/${hers}/time`);
  await live(page);
  await page.getByText("You may look; only the owner can go back.").waitFor();
});

test("others get a note", async ({ world, visit }) => {
  const { token } = await world.rest.keys.create({ user: "bob", role: "owner" });
  const { page } = await visit({ stranger: true, path: `/admin#token=${token}` });
  await page.getByText("This page is for administrators.").waitFor();
  expect(await page.getByRole("link", { name: "Admin" }).count()).toBe(0);
  expect(await barriers(page)).toEqual([]);
});
