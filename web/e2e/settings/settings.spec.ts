import { barriers, expect, screenshots, test, until } from "../harness";
import type { Page } from "playwright-core";
import type { World } from "../harness";
import { contentOf } from "../pages/files";

const server = async (world: World, key: string) =>
  (await world.rest.settings.list()).settings.find((s) => s.key === key)!;
const line = (page: Page, key: string) => page.locator(`[data-setting="${key}"]`);

test("each kind of setting has a label for people, is saved, shown after a reload, refused with its reason, and reset", async ({
  world,
  visit,
}) => {
  const v = await visit({ path: "/settings/all" });
  v.allow(/status of 4\d\d/); // refusals, which the browser tells of
  const { page } = v;
  await page.getByRole("heading", { name: "All settings" }).waitFor();
  // The label first, the key in small grey after it; never the key alone.
  const known = (await world.rest.settings.list()).settings;
  for (const s of known) expect(await line(page, s.key).locator("label").textContent(), s.key).not.toBe(s.key);

  // A switch.
  const was = (await server(world, "checkpoints_enabled")).value;
  const checkpoints = page.getByRole("switch", { name: "Checkpoints" });
  await checkpoints.click();
  await until("switched", async () => (await server(world, "checkpoints_enabled")).value === !was);
  await page.reload();
  expect(await checkpoints.getAttribute("aria-checked")).toBe(String(!was));
  await page.getByRole("button", { name: "Reset to default: Checkpoints", exact: true }).click();
  await until("as before", async () => (await server(world, "checkpoints_enabled")).layer === "default");
  await page.getByRole("button", { name: "Reset to default: Checkpoints", exact: true }).waitFor({ state: "detached" });

  // A number, within its limits and beyond.
  const number = page.getByRole("spinbutton", { name: "Largest file in checkpoints" });
  await number.fill("7");
  await number.press("Enter");
  await until("saved", async () => (await server(world, "checkpoint_max_file_mb")).value === 7);
  await line(page, "model_retries").getByText("(0 to 20)").waitFor();
  await line(page, "checkpoint_max_file_mb").getByText("Default: 100").waitFor();
  await number.fill("-5");
  await page.getByRole("button", { name: "Save: Largest file in checkpoints" }).click();
  await line(page, "checkpoint_max_file_mb").getByRole("alert").waitFor();
  await number.fill("");
  await page.getByRole("button", { name: "Save: Largest file in checkpoints" }).click();
  await page.getByText("This is not a number.").waitFor();
  expect((await server(world, "checkpoint_max_file_mb")).value).toBe(7);
  await screenshots(page, "settings-refused");
  await page.getByRole("button", { name: "Reset to default: Largest file in checkpoints" }).click();
  await until("the default", async () => (await number.inputValue()) === "100");

  // A list, one per line.
  const excluded = page.getByRole("textbox", { name: "Not in checkpoints" });
  await excluded.fill("*.iso\n\ntmp/");
  await page.getByRole("button", { name: "Save: Not in checkpoints" }).click();
  await until(
    "saved",
    async () => JSON.stringify((await server(world, "checkpoint_exclude")).value) === '["*.iso","tmp/"]',
  );
  await until("as the server has it", async () => (await excluded.inputValue()) === "*.iso\ntmp/");

  // A choice in words, and JSON: what is being written stays while another one is saved.
  await page.getByRole("textbox", { name: "Your own modes" }).fill("{ not json");
  await page.getByRole("combobox", { name: "After a crash" }).selectOption("Ask a person");
  await until("chosen", async () => (await server(world, "model_crash_retry")).value === "ask");
  await page.getByRole("button", { name: "Save: Your own modes" }).click();
  await page.getByText("This is not valid JSON.").waitFor();
  await page.getByRole("button", { name: "Reset to default: After a crash" }).click();

  // Out to a file and in again.
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export" }).click(),
  ]);
  const saved = JSON.parse(String(await contentOf(download))) as Record<string, unknown>;
  expect(JSON.stringify(saved)).toContain("*.iso");
  expect(JSON.stringify(saved)).not.toContain("sk-web-0123456789");
  await world.rest.settings.change({ checkpoint_exclude: null });
  const choose = async (name: string, text: string) => {
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.getByRole("button", { name: "Import…" }).click(),
    ]);
    await chooser.setFiles({ name, mimeType: "application/json", buffer: Buffer.from(text) });
  };
  await choose("broken.json", "{");
  await page.getByRole("alert").getByText("This is not valid JSON.").last().waitFor();
  await choose("settings.json", JSON.stringify(saved));
  await until(
    "imported",
    async () => JSON.stringify((await server(world, "checkpoint_exclude")).value) === '["*.iso","tmp/"]',
  );
});

test("a search finds sections and settings, which are changed right there", async ({ world, visit }) => {
  const { page } = await visit({ path: "/settings" });
  const search = page.getByRole("searchbox", { name: "Search settings" });
  await search.fill("budget");
  const budget = page.getByRole("spinbutton", { name: "Budget per task" });
  await budget.fill("2.5");
  await page.getByRole("button", { name: "Save: Budget per task" }).click();
  await until("saved", async () => (await server(world, "budget_usd")).value === 2.5);
  await world.rest.settings.change({ budget_usd: null });
  await search.fill("mcp");
  await page.getByRole("link", { name: "Edit in Tool servers" }).click();
  await page.getByRole("button", { name: "Add a tool server" }).waitFor();
  expect(await search.inputValue()).toBe("");
  await search.fill("nothing like this");
  await page.getByText("No matches").waitFor();
});

test("the Korean page has no English sentence", async ({ visit }) => {
  const { page } = await visit({ path: "/settings/all", prefs: { language: "ko" } });
  await page.getByRole("heading", { name: "모든 설정" }).waitFor();
  await page.locator("[data-setting]").first().waitFor();
  const english = await page.evaluate(() => {
    const found: string[] = [];
    const walk = document.createTreeWalker(document.querySelector("main")!, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      const text = walk.currentNode.textContent!.trim();
      // Keys, code and names stay; two English words in a row are a sentence that nobody translated.
      if (
        !walk.currentNode.parentElement!.closest("code, pre, textarea, kbd") &&
        /[A-Za-z]{2,} [a-z]{2,}/.test(text) &&
        !/“/.test(text)
      )
        found.push(text);
    }
    return found;
  });
  expect(english).toEqual([]);
});

test("old addresses lead to their sections", async ({ visit }) => {
  const { page } = await visit();
  for (const [from, to, title] of [
    ["/mcp", "/settings/tools", "Tool servers"],
    ["/admin", "/settings/people", "People and roles"],
    ["/settings/rules", "/settings/permissions", "Permissions"],
    ["/settings/server", "/settings/all", "All settings"],
    ["/settings/push", "/settings/notifications", "Notifications"],
    ["/settings/browser", "/settings/appearance", "Appearance"],
  ] as const) {
    await page.goto(from);
    await page.getByRole("heading", { name: title, exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe(to);
  }
});

test("on a phone the sections are a list, then one of them", async ({ visit }) => {
  const { page } = await visit({ phone: true, path: "/settings" });
  const list = page.getByRole("navigation", { name: "Sections" });
  await list.getByRole("link", { name: "Appearance" }).tap();
  await page.getByRole("heading", { name: "Appearance" }).waitFor();
  expect(await list.count()).toBe(0);
  await page.getByRole("link", { name: "All sections" }).tap();
  await list.getByRole("link", { name: "Models" }).waitFor();
});

test("secrets go in and never come out", async ({ world, visit }) => {
  // It stood in a setting before anybody called it a secret.
  await world.rest.settings.change({ custom_instructions: "use very-secret-value-123" });
  const { page } = await visit({ path: "/settings/secrets" });
  await page.getByLabel("Name").fill("my_key");
  await page.getByLabel("Value").fill("very-secret-value-123");
  await page.getByRole("button", { name: "Store" }).click();
  await page.getByText("my_key", { exact: true }).waitFor();
  expect(await page.content()).not.toContain("very-secret-value-123");
  expect(await page.getByLabel("Value").inputValue()).toBe("");
  expect(await page.getByLabel("Value").getAttribute("type")).toBe("password");
  // The setting with the secret in it is named and not shown.
  await page.goto("/settings/all");
  await page.getByText("Not shown: it contains a secret.").first().waitFor();
  expect(await page.content()).not.toContain("very-secret-value-123");
  await page.goto("/settings/secrets");
  await page
    .getByRole("listitem")
    .filter({ hasText: "my_key" })
    .getByRole("button", { name: "Remove: my_key" })
    .click();
  await page.getByText("my_key", { exact: true }).waitFor({ state: "detached" });
  expect((await world.rest.secrets.list()).names).not.toContain("my_key");
});

test("an ordinary user sees and ends their own devices, and nothing of the server", async ({ world, visit }) => {
  const { token } = await world.rest.keys.create({ user: "ada", role: "owner" });
  const laptop = await visit({ stranger: true, path: `/settings/devices#token=${token}` });
  const phone = await visit({ stranger: true, phone: true, path: `/#token=${token}` });
  phone.allow(/status of 401|WebSocket connection/);
  laptop.allow(/status of 401|WebSocket connection/);
  await phone.page.getByRole("navigation").first().waitFor();
  await laptop.page.getByRole("heading", { name: "Your devices" }).waitFor();
  await laptop.page.reload();
  const rows = laptop.page.locator("main li");
  await until("two devices", async () => (await rows.count()) === 2);
  expect(await laptop.page.getByText("This device").count()).toBe(1);
  for (const name of ["Models", "Tool servers", "People and roles", "Storage", "Secrets", "All settings"])
    expect(await laptop.page.getByRole("link", { name, exact: true }).count()).toBe(0);
  for (const part of ["models", "tools", "people", "all"]) {
    await laptop.page.goto(`/settings/${part}`); // what is not theirs leads to what is
    await laptop.page.getByRole("heading", { name: "Your saved approvals" }).waitFor();
  }
  await laptop.page.goto("/settings/devices");
  await until("two devices again", async () => (await rows.count()) === 2);
  await screenshots(laptop.page, "settings-devices");
  expect(await barriers(laptop.page)).toEqual([]);

  await rows
    .filter({ hasNotText: "This device" })
    .getByRole("button", { name: /^Sign out/ })
    .click();
  await laptop.page.getByRole("dialog").getByRole("button", { name: "Sign out", exact: true }).click();
  await until("one device", async () => (await rows.count()) === 1);
  // The other one is out, by its next request at the latest.
  await phone.page.goto("/history");
  await phone.page.getByRole("heading", { name: "Sign in" }).waitFor();

  await rows.getByRole("button", { name: /^Sign out/ }).click();
  await laptop.page.getByRole("dialog").getByRole("button", { name: "Sign out", exact: true }).click();
  await laptop.page.getByRole("heading", { name: "Sign in" }).waitFor();
  await laptop.page.reload();
  await laptop.page.getByRole("heading", { name: "Sign in" }).waitFor();
});

test("another device is let in by a link that works once, and the page says that it did", async ({ world, visit }) => {
  const { token } = await world.rest.keys.create({ user: "bea", role: "owner" });
  const laptop = await visit({ stranger: true, path: `/settings/devices#token=${token}` });
  const { page } = laptop;
  await page.getByRole("button", { name: "Add another device" }).click();
  const dialog = page.getByRole("dialog", { name: "Add another device" });
  const link = (await dialog.locator("[data-link]").textContent())!;
  expect(link).toContain("/#ticket=");
  await dialog.getByText(/Valid for 0:[0-5]\d/).waitFor();
  await screenshots(page, "settings-add-device");
  expect(await barriers(page)).toEqual([]);
  const phone = await visit({ stranger: true, phone: true, path: link });
  await phone.page.getByRole("navigation").first().waitFor();
  expect(phone.page.url()).not.toContain("ticket");
  await dialog.getByText(/is signed in\./).waitFor();
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await dialog.waitFor({ state: "hidden" });
  await until("it is in the list", async () => (await page.locator("main li").count()) === 2);
  await until("the focus is back", () =>
    page.getByRole("button", { name: "Add another device" }).evaluate((b) => document.activeElement === b),
  );

  // The same link once more says what to do.
  const late = await visit({ stranger: true, path: link });
  late.allow(/status of 40[013].*\/sign-in/);
  await late.page.getByText("This link was used already, or is too old.").waitFor();
  await screenshots(late.page, "sign-in-bad-link");
  expect(await barriers(late.page)).toEqual([]);
});

test("a link that nobody used is over after a minute, and another one is made", async ({ visit }) => {
  const { page } = await visit();
  await page.clock.install();
  await page.goto("/settings/devices");
  await page.getByRole("button", { name: "Add another device" }).click();
  const dialog = page.getByRole("dialog", { name: "Add another device" });
  const first = await dialog.locator("[data-link]").textContent();
  await page.clock.fastForward(61_000);
  await dialog.getByText("This link has expired.").waitFor();
  await dialog.getByRole("button", { name: "Create a new link" }).click();
  await page.clock.fastForward(0);
  // The page's clock is a minute ahead of the server's by now: only the way is looked at.
  await until("another link", async () => {
    await page.clock.runFor(500);
    const now = await dialog.locator("[data-link], [data-over]").textContent();
    return now !== first;
  });
});

test("permissions in plain words: what runs unasked, and how that is taken back", async ({ world, visit }) => {
  const { page } = await visit({ path: "/settings/permissions" });
  await page.getByRole("switch", { name: "Run allowed commands" }).click();
  await until("switched on", async () => (await server(world, "always_allow_execute")).value === true);
  await page.getByRole("textbox", { name: "Add: Allowed commands" }).fill("go test *");
  await page.keyboard.press("Enter");
  await page.getByText("go test *", { exact: true }).waitFor();
  expect((await server(world, "allowed_commands")).value).toEqual(["go test *"]);
  await page.getByRole("combobox", { name: "Permissions" }).selectOption("Edit files");
  await until("chosen", async () => (await server(world, "permissions")).value === "edits");
  await page.getByRole("combobox", { name: "Mode for new sessions" }).selectOption("Ask");
  await until("chosen", async () => (await server(world, "mode")).value === "ask");
  await page.reload();
  await page.getByText("go test *", { exact: true }).waitFor();
  expect(await page.getByRole("combobox", { name: "Mode for new sessions" }).inputValue()).toBe("ask");
  await screenshots(page, "settings-permissions");
  expect(await barriers(page)).toEqual([]);
  await page.getByRole("button", { name: "Remove go test *" }).click();
  await until("taken out", async () => JSON.stringify((await server(world, "allowed_commands")).value) === "[]");
  await world.rest.settings.change({
    always_allow_execute: null,
    allowed_commands: null,
    permissions: null,
    mode: null,
  });
});

test("a saved approval says what it covers and where, and is removed", async ({ world, visit }) => {
  await world.rest.settings.change({
    kept_rules: [
      {
        id: "req_1",
        owner: "owner",
        dir: "/home/me/shop",
        tool: "execute_command",
        pattern: "go test *",
        ts: 1_700_000_000_000,
      },
      { id: "req_2", owner: "owner", tool: "write_file", ts: 1_700_000_000_000 },
      { id: "req_3", owner: "ada", tool: "edit", ts: 1_700_000_000_000 },
    ],
  });
  const { page } = await visit({ path: "/settings/permissions" });
  const rules = page.getByRole("region", { name: "Your saved approvals" }).getByRole("listitem");
  await rules.filter({ hasText: "go test *" }).getByText("Commands that begin like this · /home/me/shop").waitFor();
  await rules.filter({ hasText: "Writing files" }).getByText("Every use of this tool · in every folder").waitFor();
  expect(await rules.count()).toBe(2);
  await page.getByRole("button", { name: "Remove: go test *" }).click();
  await until("removed", async () => (await rules.count()) === 1);
  expect((await world.rest.rules.list()).rules.map((r) => r.id)).toEqual(["req_2"]);
  await world.rest.settings.change({ kept_rules: null });
});

test("what belongs to this browser holds at once and over a reload", async ({ visit }) => {
  const { page } = await visit({ path: "/settings/appearance" });
  await page.getByRole("radio", { name: "Dark" }).check({ force: true });
  expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe("dark");
  await page.getByRole("radio", { name: "Compact" }).check({ force: true });
  await page.getByRole("radio", { name: "한국어" }).check({ force: true });
  await page.getByRole("heading", { name: "설정" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "설정" }).waitFor();
  expect(await page.evaluate(() => ({ ...document.documentElement.dataset }))).toMatchObject({
    theme: "dark",
    density: "compact",
  });
});
