import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { barriers, expect, screenshots, test as base, until } from "../harness";
import { ModelServer } from "./models";

const models = await ModelServer.start();
const home = mkdtempSync(join(tmpdir(), "clew-home-"));
mkdirSync(join(home, "storefront"));
mkdirSync(join(home, "notes", "2026"), { recursive: true });
writeFileSync(join(home, "storefront", "README.md"), "# Storefront\n");
execFileSync("git", ["init", "-q", join(home, "storefront")]);

const test = base.extend({
  options: [
    async ({}, use) => {
      await use({
        settings: { model_profile: "", model_profiles: {}, always_allow_write: false },
        env: { HOME: home, OLLAMA_HOST: models.address },
      });
      await models.stop();
      rmSync(home, { recursive: true, force: true });
    },
    { scope: "file" },
  ],
});

const script = [
  { when: { last_user: "Reply with the word OK." }, times: 0, reply: [{ text: "OK" }] },
  { times: 0, reply: [{ text: "A shop, in one README." }] },
];
const badKey = "sk-not-this-one-0123456789";
const goodKey = "sk-this-one-9876543210";

test("a key that is refused is not stored; one that works is, and is never shown again", async ({ world, visit }) => {
  models.behind = world.model.url;
  models.key = goodKey;
  await world.model.script(script);
  const { page } = await visit();
  const before = (await world.rest.secrets.list()).names;
  const seen: string[] = [];
  page.on("request", (r) => seen.push(r.url()));
  await page.getByRole("heading", { name: "Welcome to clew" }).waitFor();
  await page.getByRole("radio", { name: "Anthropic" }).waitFor();
  expect(await page.getByRole("radio", { name: "Ollama" }).count()).toBe(0); // it was not found
  expect(await barriers(page)).toEqual([]);
  await screenshots(page, "first-run");

  await page.getByRole("radio", { name: "Compatible API" }).check({ force: true });
  await page.getByLabel("Address of the API").fill(`http://${models.address}/v1`);
  await page.getByLabel("Model, as the server writes it").fill("shop-1");
  const key = page.getByLabel("API key, if it needs one");
  await key.fill(badKey);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("The key was rejected. Check it and try again.").waitFor();
  await screenshots(page, "first-run-rejected", ["wide"]);
  expect((await world.rest.secrets.list()).names).toEqual(before);
  expect((await world.rest.models.inUse()).why_code).toBe("none");

  // A pasted key is tested at once.
  await key.fill("");
  await key.focus();
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.evaluate((k) => navigator.clipboard.writeText(k), goodKey);
  await page.keyboard.press("Control+v");
  await page.getByText(/^Key works\. Answered in \d+\.\d s\.$/).waitFor();
  expect(await key.getAttribute("type")).toBe("password");
  expect((await world.rest.secrets.list()).names).toEqual(before); // a test stores nothing
  await screenshots(page, "first-run-tested");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("heading", { name: "Ready for your first task" }).waitFor();
  expect(await world.rest.models.inUse()).toMatchObject({ profile: "compatible", model: "shop-1", usable: true });
  expect((await world.rest.secrets.list()).names).toHaveLength(before.length + 1);
  expect(models.keys.filter((k) => k !== "")).toEqual([badKey, goodKey]);
  for (const url of seen) expect(url).not.toMatch(/sk-/);
  expect(await page.content()).not.toContain(goodKey);
  expect(JSON.stringify(await page.evaluate(() => ({ ...localStorage, ...sessionStorage })))).not.toContain("sk-");
  expect(world.log).not.toContain("sk-");
});

test("Gemini is among the first choices, and is spoken to in its own way", async ({ world, visit }) => {
  await world.rest.settings.change({ model_profile: null, model_profiles: null });
  await world.model.script(script);
  const { page } = await visit();
  // The page asks for Google's address; here the scripted model stands in for it.
  await page.route(/\/api\/v1\/model-profiles\/gemini/, (route) =>
    route.continue({ postData: JSON.stringify({ ...route.request().postDataJSON(), base_url: world.model.url }) }),
  );
  await page.getByRole("radio", { name: "Google Gemini" }).check({ force: true });
  await page.getByRole("link", { name: "Get a key from Google Gemini" }).waitFor();
  const model = await page.getByLabel("Model", { exact: true }).inputValue();
  expect(model).toMatch(/^gemini-/);
  await page.getByRole("textbox", { name: "API key" }).fill("AIza-0123456789");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("heading", { name: "Ready for your first task" }).waitFor();
  expect(await world.rest.models.inUse()).toMatchObject({ profile: "gemini", provider: "gemini", model, usable: true });
  await page.getByRole("button", { name: `Model: ${model}` }).waitFor();
});

test("a model server on this machine is offered, then a folder, then three tasks", async ({ world, visit }) => {
  models.behind = world.model.url;
  models.key = "";
  models.shown = true;
  await world.rest.settings.change({ model_profile: null, model_profiles: null });
  await world.model.script(script);
  const { page } = await visit({ path: "/" });
  let clicks = 0;
  const click = async (name: string | RegExp, role: "button" | "radio" = "button") => {
    clicks++;
    await page.getByRole(role, { name }).click({ force: role === "radio" });
  };
  await page.getByRole("heading", { name: "Welcome to clew" }).waitFor();
  await click(/^Ollama/, "radio");
  await page.getByLabel("Model", { exact: true }).waitFor();
  await click("Continue");
  await page.getByText("qwen3:8b from ollama").waitFor();
  expect(await world.rest.models.inUse()).toMatchObject({ profile: "ollama", model: "qwen3:8b", local: true });
  await page.getByRole("button", { name: "storefront" }).waitFor();
  expect(await barriers(page)).toEqual([]);
  await screenshots(page, "first-folder");
  await click("storefront");
  await page.getByText("Suggested for storefront").waitFor();
  expect(await barriers(page)).toEqual([]);
  await screenshots(page, "first-task");
  await click(/^Explain how this project is organized/);
  await page.getByText("A shop, in one README.").waitFor();
  expect(clicks).toBeLessThanOrEqual(6);
  const id = new URL(page.url()).pathname.slice(3);
  expect((await world.rest.sessions.get(id)).workspace).toBe(join(home, "storefront"));
  await page.goto("/");
  await page.getByRole("region", { name: "Recent" }).waitFor(); // a server in use
  expect(await page.getByRole("heading", { name: /first task|Welcome/ }).count()).toBe(0);
});

test("folders are walked through by keyboard", async ({ world, visit }) => {
  await world.model.script(script);
  const { page } = await visit();
  await page.getByRole("button", { name: "Folder: New folder" }).focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Choose a folder" });
  await dialog.getByRole("button", { name: "notes" }).waitFor();
  expect(await dialog.getByRole("button", { name: "Use this folder" }).isDisabled()).toBe(true); // a home is not for agents
  await dialog.getByRole("button", { name: "notes" }).press("Enter");
  await dialog.getByRole("button", { name: "2026" }).waitFor();
  await until("the path is shown", async () => (await dialog.getByLabel("Path").inputValue()) === join(home, "notes"));
  await screenshots(page, "folder-dialog");
  expect(await barriers(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Use this folder" }).press("Enter");
  await page.getByRole("button", { name: "Folder: notes" }).waitFor();
});

test("Korean", async ({ visit }) => {
  const { page } = await visit({ prefs: { language: "ko" } });
  await page.getByRole("button", { name: /^폴더: / }).waitFor();
  expect(await barriers(page)).toEqual([]);
});
