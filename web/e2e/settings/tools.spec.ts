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

test("a tool server is tested, added by a form, changed, switched, restarted, trusted and removed", async ({
  world,
  visit,
}) => {
  const v = await visit({ path: "/mcp" });
  v.allow(/status of 4\d\d/);
  const { page } = v;
  const state = async () => (await world.rest.mcp.list()).mcp_servers.find((s) => s.name === "notes");
  const definition = async () =>
    ((await world.rest.settings.list()).settings.find((s) => s.key === "mcp_servers")!.value as Record<string, unknown>)
      .notes;
  await page.getByText("No tool servers yet").waitFor();
  await page.getByRole("button", { name: "Add a tool server" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("notes");
  await dialog.getByLabel("Command").fill("/no/such/program");
  await dialog.getByLabel("Environment variables").fill("nonsense");
  await dialog.getByRole("button", { name: "Test" }).click();
  await dialog.getByText("This line can't be read: nonsense").waitFor();
  await dialog.getByLabel("Environment variables").fill("LANG=C");
  await dialog.getByRole("button", { name: "Test" }).click();
  await dialog.getByText("The test failed.").waitFor();
  await dialog.getByText(/could not be started/).waitFor();
  expect(await state()).toBeUndefined(); // a test stores nothing
  await dialog.getByLabel("Command").fill(notes);
  await dialog.getByLabel("Arguments").fill(`--file\n${join(dir, "a.txt")}`);
  await dialog.getByRole("button", { name: "Test" }).click();
  await dialog.getByText(/It works: 3 tools/).waitFor();
  await screenshots(page, "settings-tool-form");
  expect(await barriers(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  expect(await definition()).toEqual({ command: notes, args: ["--file", join(dir, "a.txt")], env: { LANG: "C" } });
  const card = page.getByRole("region", { name: "notes" });
  await card.getByText("Connected").waitFor();
  await card.getByText("3 tools").click();
  const allow = card.getByRole("switch", { name: "Allow add_note without asking" });
  await allow.click();
  await until("trusted", async () => (await state())?.tools?.find((t) => t.name === "add_note")?.always_allow === true);
  await until("shown", async () => (await allow.getAttribute("aria-checked")) === "true");
  await screenshots(page, "settings-tools");
  expect(await barriers(page)).toEqual([]);
  await card.getByRole("button", { name: "Test: notes" }).click();
  await page.getByText(/It works: 3 tools/).waitFor();

  // Off, and what is changed then stays off and trusted.
  await card.getByRole("switch", { name: "Use notes" }).click();
  await card.getByText("Off").waitFor();
  await card.getByRole("button", { name: "Edit: notes" }).click();
  expect(await dialog.getByLabel("Arguments").inputValue()).toBe(`--file\n${join(dir, "a.txt")}`);
  await dialog.getByLabel("Seconds per call").fill("90");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  expect((await state())?.disabled).toBe(true);
  expect(await definition()).toMatchObject({ timeout_sec: 90, always_allow: ["add_note"] });
  await card.getByRole("switch", { name: "Use notes" }).click();
  await card.getByText("Connected").waitFor();
  await card.getByRole("button", { name: "More: notes" }).click();
  await page.getByRole("menuitem", { name: "Restart" }).click();
  await card.getByText("Connected").waitFor();

  // One that fails says why, and its log can be read.
  await card.getByRole("button", { name: "Edit: notes" }).click();
  await dialog.getByLabel("Command").fill("sh");
  await dialog.getByLabel("Arguments").fill("-c\necho this is why it failed >&2; exit 3");
  await dialog.getByRole("button", { name: "Save" }).click();
  await card.getByText("Failed").first().waitFor();
  await card.getByText("this is why it failed").waitFor();
  await card.getByRole("button", { name: "More: notes" }).click();
  await page.getByRole("menuitem", { name: "Show log" }).click();
  await dialog.getByText("this is why it failed").waitFor();
  expect(await barriers(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Close" }).click();
  await screenshots(page, "settings-tool-failed");

  await card.getByRole("button", { name: "More: notes" }).click();
  await page.getByRole("menuitem", { name: "Remove" }).click();
  await dialog.getByRole("button", { name: "Remove", exact: true }).click();
  await card.waitFor({ state: "detached" });
  expect(await state()).toBeUndefined();
});

test("JSON of another program fills the form in", async ({ world, visit }) => {
  const { page } = await visit({ path: "/settings/tools" });
  await page.getByRole("button", { name: "Add a tool server" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Paste JSON" }).click();
  await dialog.getByLabel("Definition as JSON").fill("no json");
  await dialog.getByRole("button", { name: "Fill in the form" }).click();
  await dialog.getByText("This is not the JSON of one tool server.").waitFor();
  expect(await barriers(page)).toEqual([]);
  await dialog.getByLabel("Definition as JSON").fill(
    JSON.stringify({
      mcpServers: {
        tickets: { url: "http://127.0.0.1:9/mcp", headers: { Authorization: "Bearer $SECRET:tickets" } },
      },
    }),
  );
  await dialog.getByRole("button", { name: "Fill in the form" }).click();
  expect(await dialog.getByLabel("Name").inputValue()).toBe("tickets");
  expect(await dialog.getByLabel("Headers").inputValue()).toBe("Authorization: Bearer $SECRET:tickets");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  expect((await world.rest.mcp.list()).mcp_servers.map((s) => s.name)).toEqual(["tickets"]);
  await world.rest.mcp.remove("tickets");
});

test("definitions with a secret in them are not shown and not overwritten", async ({ world, visit }) => {
  await world.rest.settings.change({
    mcp_servers: { hidden: { command: "true", env: { KEY: "secret-of-the-tests-1" }, disabled: true } },
  });
  await world.rest.secrets.set("token_of_tests", "secret-of-the-tests-1");
  const { page } = await visit({ path: "/settings/tools" });
  await page.getByText("The definitions contain a secret").waitFor();
  expect(await page.getByRole("button", { name: "Edit: hidden" }).isDisabled()).toBe(true);
  expect(await page.content()).not.toContain("secret-of-the-tests-1");
  await world.rest.settings.change({ mcp_servers: null });
});
