import { afterAll, beforeAll } from "vitest";
import { barriers, expect, screenshots, test, until, type World } from "../harness";
import { ModelServer } from "../start/models";

let server: ModelServer;
beforeAll(async () => {
  server = await ModelServer.start();
  server.key = "sk-good-0001";
});
afterAll(() => server.stop());

const setting = async (world: World, key: string) =>
  (await world.rest.settings.list()).settings.find((s) => s.key === key)!.value;

/** A provider of our own with a key, and the scripted model behind it. */
async function connected(world: World, key = server.key): Promise<void> {
  server.behind = world.model.url;
  await world.model.script([{ times: 0, reply: [{ text: "OK" }] }]);
  await world.rest.models.save("rowan", {
    provider: "openai",
    api: "chat",
    base_url: `http://${server.address}/v1`,
    model: "rowan-1",
    api_key: key,
    context_window: 128_000,
    price_in: 1,
    price_out: 5,
  });
}

test("a provider is tested, and says what to do if its key is rejected or nobody answers", async ({ world, visit }) => {
  await connected(world, "sk-revoked");
  const { page } = await visit({ path: "/settings" });
  const row = page.getByRole("group", { name: "rowan" });
  await row.getByText(/Key stored on this server/).waitFor();
  expect(await row.getByText("Connected").count()).toBe(0); // nobody knows before a test
  await row.getByRole("button", { name: "Test: rowan" }).click();
  await row.getByText("Key rejected").waitFor();
  await row.getByText("Add a new key to use its models.").waitFor();
  await screenshots(page, "settings-models-rejected");
  expect(await barriers(page)).toEqual([]);

  // Another wrong key changes nothing; the right one is tested and kept.
  await row.getByRole("button", { name: "Replace key: rowan" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("API key").fill("sk-wrong");
  await dialog.getByRole("button", { name: "Test and save" }).click();
  await dialog.getByText("Key rejected. Nothing was changed.").waitFor();
  expect(await barriers(page)).toEqual([]);
  await dialog.getByLabel("API key").fill(server.key);
  await dialog.getByRole("button", { name: "Test and save" }).click();
  await dialog.waitFor({ state: "detached" });
  await row.getByText("Connected").waitFor();
  expect((await world.rest.models.test("rowan")).ok).toBe(true);
  expect(await page.content()).not.toContain(server.key);

  // A section left and entered again still knows; a reload does not.
  await page.getByRole("link", { name: "Appearance" }).click();
  await page.getByRole("link", { name: "Models" }).click();
  await row.getByText("Connected").waitFor();
  await screenshots(page, "settings-models");

  await world.rest.models.change("rowan", { base_url: "http://127.0.0.1:9/v1" });
  await page.reload();
  await row.getByRole("button", { name: "Test: rowan" }).click();
  await row.getByText("Unreachable").waitFor();
});

test("which model does what: chosen, kept by the server, shown after a reload", async ({ world, visit }) => {
  await connected(world);
  const v = await visit({ path: "/settings/models" });
  v.allow(/status of 409/); // a refusal, which the browser tells of
  const { page } = v;
  const choose = async (label: string, option: string) =>
    page.getByRole("combobox", { name: label }).selectOption(option);
  for (const key of ["model_profile", "model_small", "model_subtasks"])
    await page.locator(`[data-setting="${key}"]`).getByText(key, { exact: true }).waitFor();
  expect(await page.getByRole("combobox", { name: "Parallel steps" }).locator("option:checked").textContent()).toBe(
    "Same as default",
  );
  await choose("Small jobs", "rowan");
  await until("kept", async () => (await setting(world, "model_small")) === "rowan");
  await choose("Parallel steps", "rowan");
  await until("kept", async () => (await setting(world, "model_subtasks")) === "rowan");
  await choose("Default", "rowan");
  await until("kept", async () => (await setting(world, "model_profile")) === "rowan");
  await page.reload();
  await until("shown", async () => (await page.getByRole("combobox", { name: "Default" }).inputValue()) === "rowan");
  expect(await page.getByRole("combobox", { name: "Small jobs" }).locator("option:checked").textContent()).toBe(
    "rowan-1 · rowan",
  );

  // One that is used is not removed, and says why.
  const row = page.getByRole("group", { name: "rowan" });
  await choose("Default", "web");
  await until("kept", async () => (await setting(world, "model_profile")) === "web");
  await choose("Parallel steps", "");
  await until("given back", async () => (await setting(world, "model_subtasks")) === "");
  const remove = async () => {
    await row.getByRole("button", { name: "More: rowan" }).click();
    await page.getByRole("menuitem", { name: "Remove rowan-1" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
  };
  await remove();
  await page.getByText(/does small jobs/).waitFor();
  await choose("Small jobs", "");
  await until("given back", async () => (await setting(world, "model_small")) === "");
  await remove();
  await row.waitFor({ state: "detached" });
  expect((await world.rest.models.profiles()).profiles.map((p) => p.name)).not.toContain("rowan");
});

test("the table says what the server knows of each model, and thinking is chosen there", async ({ world, visit }) => {
  await connected(world);
  const { page } = await visit({ path: "/settings/models" });
  const row = page.getByRole("row").filter({ hasText: "rowan-1" });
  await row.getByText("128k").waitFor();
  await row.getByText("$1 / $5").waitFor();
  await page.getByRole("row").filter({ hasText: "web-1" }).getByRole("combobox").selectOption("High");
  await until(
    "kept",
    async () => (await world.rest.models.profiles()).profiles.find((p) => p.name === "web")!.thinking === "high",
  );
  const retries = page.getByRole("spinbutton", { name: "Retries" });
  await retries.fill("5");
  await retries.press("Enter");
  await until("kept", async () => (await setting(world, "model_retries")) === 5);
  await world.rest.settings.change({ model_retries: null });
  await world.rest.models.remove("rowan");
});

test("a model is connected with the card of the first page", async ({ world, visit }) => {
  server.behind = world.model.url;
  await world.model.script([{ times: 0, reply: [{ text: "OK" }] }]);
  const { page } = await visit({ path: "/settings/models" });
  await page.getByRole("button", { name: "Connect a model" }).click();
  const dialog = page.getByRole("dialog", { name: "Connect a model" });
  await dialog.getByRole("radio", { name: /Compatible API/ }).check({ force: true });
  await dialog.getByLabel("Address of the API").fill(`http://${server.address}/v1`);
  await dialog.getByRole("textbox", { name: "API key, if it needs one" }).fill(server.key);
  await dialog.getByRole("textbox", { name: /^Model/ }).fill("m-1");
  await screenshots(page, "settings-connect");
  expect(await barriers(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("group", { name: "compatible" }).waitFor();
  expect((await world.rest.models.inUse()).profile).toBe("compatible");
  await world.rest.models.use("web");
  await world.rest.models.remove("compatible");
});
