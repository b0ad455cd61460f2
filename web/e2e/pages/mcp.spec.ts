import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll } from "vitest";
import { barriers, expect, screenshots, test, until } from "../harness";
import { web } from "../harness/build";

let dir = "";
let notes = "";

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "clew-web-mcp-"));
  notes = join(dir, "notes");
  await promisify(execFile)("go", ["build", "-o", notes, "./examples/mcp-tool"], { cwd: join(web, "..") });
}, 120_000);
afterAll(() => rm(dir, { recursive: true, force: true }));

test("a tool server is added, edited, switched, restarted, trusted and removed", async ({ world, visit }) => {
  const v = await visit({ path: "/mcp" });
  v.allow(/status of 4\d\d/);
  const { page } = v;
  const state = async () => (await world.rest.mcp.list()).mcp_servers.find((s) => s.name === "notes");
  await page.getByText("No tool server yet").waitFor();
  await page.getByRole("button", { name: "Add server" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("notes");
  await dialog.getByLabel("Definition (JSON)").fill("no json");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("This is not a JSON object.").waitFor();
  expect(await barriers(page)).toEqual([]);
  await dialog.getByLabel("Definition (JSON)").fill(JSON.stringify({ command: notes, args: ["--file", join(dir, "a.txt")] }));
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  const card = page.getByRole("region", { name: "notes" });
  await card.getByText("Connected").waitFor();
  await card.getByText("3 tools").last().click();

  await card.getByRole("switch", { name: "add_note runs without a question" }).click();
  await until("trusted", async () => (await state())?.tools?.find((t) => t.name === "add_note")?.always_allow === true);
  await until("shown", async () => (await card.getByRole("switch", { name: "add_note runs without a question" }).getAttribute("aria-checked")) === "true");
  await screenshots(page, "mcp-server");
  expect(await barriers(page)).toEqual([]);

  await card.getByRole("switch", { name: "Use notes" }).click();
  await card.getByText("Off").waitFor();
  expect((await state())?.disabled).toBe(true);
  expect(await card.getByRole("button", { name: "Restart: notes" }).isDisabled()).toBe(true);
  await card.getByRole("switch", { name: "Use notes" }).click();
  await card.getByText("Connected").waitFor();
  await card.getByRole("button", { name: "Restart: notes" }).click();
  await card.getByText("Connected").waitFor();

  // One that fails says its last words.
  await card.getByRole("button", { name: "Edit: notes" }).click();
  await dialog.getByLabel("Definition (JSON)").fill(JSON.stringify({ command: "sh", args: ["-c", "echo this is why it failed >&2; exit 3"] }));
  await dialog.getByRole("button", { name: "Save" }).click();
  await card.getByText("Failed").first().waitFor();
  await card.getByText("this is why it failed").waitFor();
  await screenshots(page, "mcp-failed");
  expect(await barriers(page)).toEqual([]);

  await card.getByRole("button", { name: "Remove: notes" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
  await card.waitFor({ state: "detached" });
  expect(await state()).toBeUndefined();
});

test("definitions with a secret in them are not overwritten", async ({ world, visit }) => {
  await world.rest.settings.change({ mcp_servers: { hidden: { command: "true", env: { KEY: "secret-of-the-tests-1" }, disabled: true } } });
  await world.rest.secrets.set("token_of_tests", "secret-of-the-tests-1");
  const { page } = await visit({ path: "/mcp" });
  await page.getByText("The definitions contain a secret").waitFor();
  expect(await page.getByRole("button", { name: "Add server" }).isDisabled()).toBe(true);
  expect(await page.getByRole("button", { name: "Remove: hidden" }).isDisabled()).toBe(true);
  expect(await page.content()).not.toContain("secret-of-the-tests-1");
  await world.rest.settings.change({ mcp_servers: null });
});

test("others than administrators are told that it is not for them", async ({ world, visit }) => {
  const { token } = await world.rest.keys.create({ user: "ada", role: "owner" });
  const { page } = await visit({ stranger: true, path: `/mcp#token=${token}` });
  await page.getByText("Tool servers are looked after by administrators.").waitFor();
  expect(await barriers(page)).toEqual([]);
});
