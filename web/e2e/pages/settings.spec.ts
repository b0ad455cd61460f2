import { barriers, expect, opposite, screenshots, test, until } from "../harness";
import type { Page } from "playwright-core";
import type { World } from "../harness";
import { contentOf } from "./files";

const server = async (world: World, key: string) => (await world.rest.settings.list()).settings.find((s) => s.key === key)!;
const line = (page: Page, key: string) => page.locator("div.border-b", { has: page.getByText(key, { exact: true }) });

test("each kind of setting is saved, shown as the server has it, refused with its reason, and reset", async ({ world, visit }) => {
  const v = await visit({ path: "/settings/server" });
  v.allow(/status of 4\d\d/); // refusals, which the browser tells of
  const { page } = v;
  await page.getByRole("searchbox", { name: "Search settings" }).waitFor();

  // A switch.
  const was = (await server(world, "checkpoints_enabled")).value;
  await page.getByRole("switch", { name: "checkpoints_enabled" }).click();
  await until("switched", async () => (await server(world, "checkpoints_enabled")).value === !was);
  await page.getByRole("button", { name: "Back to default: checkpoints_enabled" }).click();
  await until("as before", async () => (await server(world, "checkpoints_enabled")).layer === "default");
  await page.getByRole("button", { name: "Back to default: checkpoints_enabled" }).waitFor({ state: "detached" });

  // A number, within its limits and beyond.
  const number = page.getByRole("spinbutton", { name: "checkpoint_max_file_mb" });
  await number.fill("7");
  await page.getByRole("button", { name: "Save: checkpoint_max_file_mb" }).click();
  await until("saved", async () => (await server(world, "checkpoint_max_file_mb")).value === 7);
  await number.fill("-5");
  await page.getByRole("button", { name: "Save: checkpoint_max_file_mb" }).click();
  await line(page, "checkpoint_max_file_mb").getByRole("alert").waitFor();
  await number.fill("");
  await page.getByRole("button", { name: "Save: checkpoint_max_file_mb" }).click();
  await page.getByText("This is not a number.").waitFor();
  expect((await server(world, "checkpoint_max_file_mb")).value).toBe(7);
  await screenshots(page, "settings-refused");
  await page.getByRole("button", { name: "Back to default: checkpoint_max_file_mb" }).click();
  await until("the default", async () => (await number.inputValue()) === "100");

  // A list, one a line.
  await page.getByRole("textbox", { name: "checkpoint_exclude" }).fill("*.iso\n\ntmp/");
  await page.getByRole("button", { name: "Save: checkpoint_exclude" }).click();
  await until("saved", async () => JSON.stringify((await server(world, "checkpoint_exclude")).value) === '["*.iso","tmp/"]');
  await until("as the server has it", async () => (await page.getByRole("textbox", { name: "checkpoint_exclude" }).inputValue()) === "*.iso\ntmp/");

  // A choice, and JSON: what is being written stays while another one is saved.
  await page.getByRole("textbox", { name: "model_profiles" }).fill("{ not json");
  await page.getByRole("combobox", { name: "model_crash_retry" }).selectOption({ index: 0 });
  await until("chosen", async () => (await server(world, "model_crash_retry")).layer === "server");
  await page.getByRole("button", { name: "Back to default: model_crash_retry" }).waitFor();
  await page.getByRole("button", { name: "Save: model_profiles" }).click();
  await page.getByText("This is not JSON.").waitFor();
  await page.getByRole("button", { name: "Back to default: model_crash_retry" }).click();

  // Out to a file and in again.
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export" }).click()]);
  const saved = JSON.parse(String(await contentOf(download))) as Record<string, unknown>;
  expect(JSON.stringify(saved)).toContain("*.iso");
  expect(JSON.stringify(saved)).not.toContain("sk-web-0123456789");
  await world.rest.settings.change({ checkpoint_exclude: null });
  const choose = async (name: string, text: string) => {
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByRole("button", { name: "Import…" }).click()]);
    await chooser.setFiles({ name, mimeType: "application/json", buffer: Buffer.from(text) });
  };
  await choose("broken.json", "{");
  await page.getByRole("alert").getByText("This is not JSON.").last().waitFor();
  await choose("settings.json", JSON.stringify(saved));
  await until("imported", async () => JSON.stringify((await server(world, "checkpoint_exclude")).value) === '["*.iso","tmp/"]');
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
  await page.goto("/settings/server");
  await page.getByText("Not shown: it contains a secret.").first().waitFor();
  expect(await page.content()).not.toContain("very-secret-value-123");
  await page.goto("/settings/secrets");
  await page.getByRole("listitem").filter({ hasText: "my_key" }).getByRole("button", { name: "Remove" }).click();
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
  expect(await laptop.page.getByText("this device").count()).toBe(1);
  for (const name of ["Server", "Secrets"]) expect(await laptop.page.getByRole("link", { name, exact: true }).count()).toBe(0);
  expect(await laptop.page.getByRole("heading", { name: "Users and keys" }).count()).toBe(0);
  await screenshots(laptop.page, "settings-devices");
  expect(await barriers(laptop.page)).toEqual([]);

  await rows.filter({ hasNotText: "this device" }).getByRole("button", { name: /^Sign out/ }).click();
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
  await until("the focus is back", () => page.getByRole("button", { name: "Add another device" }).evaluate((b) => document.activeElement === b));

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
  await dialog.getByText("This link is over.").waitFor();
  await dialog.getByRole("button", { name: "Make a new link" }).click();
  await page.clock.fastForward(0);
  // The page's clock is a minute ahead of the server's by now: only the way is looked at.
  await until("another link", async () => {
    await page.clock.runFor(500);
    const now = await dialog.locator("[data-link], [data-over]").textContent();
    return now !== first;
  });
});

test("rules in plain words: what runs unasked, and how that is taken back", async ({ world, visit }) => {
  const { page } = await visit({ path: "/settings/rules" });
  await page.getByRole("switch", { name: "Run the commands below" }).click();
  await until("switched on", async () => (await server(world, "always_allow_execute")).value === true);
  await page.getByRole("textbox", { name: "Add: Commands that may run" }).fill("go test *");
  await page.keyboard.press("Enter");
  await page.getByText("go test *", { exact: true }).waitFor();
  expect((await server(world, "allowed_commands")).value).toEqual(["go test *"]);
  await screenshots(page, "settings-rules");
  expect(await barriers(page)).toEqual([]);
  expect(await page.locator("main").textContent()).not.toMatch(/always_allow|allowed_commands/);
  await page.getByRole("button", { name: "Remove go test *" }).click();
  await until("taken out", async () => JSON.stringify((await server(world, "allowed_commands")).value) === "[]");
  await world.rest.settings.change({ always_allow_execute: null, allowed_commands: null });
});

test("an administrator makes a key that is shown once, and revokes it", async ({ world, visit }) => {
  const v = await visit({ path: "/settings/devices" });
  v.allow(/status of 4\d\d/);
  const { page } = v;
  await page.getByRole("button", { name: "New key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("ci");
  await dialog.getByLabel("User").fill("not a user");
  await dialog.getByRole("button", { name: "Make key" }).click();
  await dialog.getByRole("alert").waitFor();
  await dialog.getByLabel("User").fill("robot");
  await dialog.getByLabel("Role").selectOption("viewer");
  await dialog.getByRole("button", { name: "Make key" }).click();
  await dialog.getByText("This is shown once.").waitFor();
  const token = (await dialog.locator("code").textContent())!;
  expect(await barriers(page)).toEqual([]);
  await dialog.getByRole("button", { name: "I have it" }).click();
  expect(await page.content()).not.toContain(token);
  const me = () => fetch(`${world.direct}/api/v1/me`, { headers: { Authorization: `Bearer ${token}` } });
  expect(await (await me()).json()).toMatchObject({ user_id: "robot", role: "viewer" });
  await page.getByRole("button", { name: "Revoke: ci" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke", exact: true }).click();
  await page.getByText("robot").waitFor({ state: "detached" });
  expect((await me()).status).toBe(401);
});

test("what belongs to this browser holds at once and over a reload", async ({ visit }) => {
  const { page } = await visit({ path: "/settings" });
  await page.getByRole("radio", { name: "Dark" }).check({ force: true });
  expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe("dark");
  await page.getByRole("radio", { name: "Compact" }).check({ force: true });
  await page.getByRole("radio", { name: "한국어" }).check({ force: true });
  await page.getByRole("heading", { name: "설정" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "설정" }).waitFor();
  expect(await page.evaluate(() => ({ ...document.documentElement.dataset }))).toMatchObject({ theme: "dark", density: "compact" });
});

for (const phone of [false, true]) {
  test(`no barriers in any part: ${phone ? "phone" : "desktop"}`, { timeout: 120_000 }, async ({ visit }) => {
    const found: string[] = [];
    for (const language of ["en", "ko"]) {
      for (const theme of ["light", "dark"]) {
        if (!opposite(phone, language === "ko", theme === "dark")) continue;
        const v = await visit({ phone, prefs: { theme, language } });
        for (const part of ["push", "devices", "rules", "server", "secrets"]) {
          await v.page.goto(`/settings/${part}`);
          await v.page.getByRole("heading").first().waitFor();
          await v.page.locator("main [role=status]").first().waitFor({ state: "detached" });
          for (const b of await barriers(v.page)) found.push(`${part} ${language} ${theme}: ${b}`);
        }
      }
    }
    expect(found).toEqual([]);
  });
}
