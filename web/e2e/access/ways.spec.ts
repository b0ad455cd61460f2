import { barriers, expect, screenshots, test } from "../harness";

test("no barriers on the way in", async ({ visit }) => {
  for (const phone of [false, true]) {
    const v = await visit({ stranger: true, phone });
    await v.page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await barriers(v.page)).toEqual([]);
    await screenshots(v.page, "sign-in");
  }
});

test("no barriers while the server is away", async ({ visit, world }) => {
  const v = await visit({ stranger: true });
  await v.page.getByRole("heading", { name: "Sign in" }).waitFor();
  // The page itself comes, and then its requests fail.
  await v.page.route("**/api/v1/me", (r) => r.abort());
  world.line.everBad = true;
  await v.page.reload();
  await v.page.getByText("The server cannot be reached").waitFor();
  expect(await barriers(v.page)).toEqual([]);
  await v.page.unroute("**/api/v1/me");
  await v.page.getByRole("heading", { name: "Sign in" }).waitFor(); // by itself
});

test("no barriers in palette and keyboard map", async ({ page }) => {
  await page.getByRole("navigation", { name: "Main" }).first().waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("option").first().waitFor();
  expect(await barriers(page)).toEqual([]);
  await screenshots(page, "palette");
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  expect(await barriers(page)).toEqual([]);
  await screenshots(page, "keymap");
});
