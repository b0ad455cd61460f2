import { expect, test, until } from "../harness";

test("the palette finds pages, commands and sessions, by keyboard alone", async ({ world, page }) => {
  const session = await world.session("Zephyr repairs");
  await page.getByRole("navigation", { name: "Main" }).first().waitFor();
  await page.keyboard.press("Control+k");
  const box = page.getByRole("combobox");
  await box.fill("zephyr");
  await page.getByRole("option", { name: /Zephyr repairs/ }).waitFor();
  await page.keyboard.press("Enter");
  await until("the session", () => page.url().endsWith(`/s/${session}`));

  await page.keyboard.press("Control+k");
  await box.fill("history");
  const chosen = () =>
    box.evaluate((b) => document.getElementById(b.getAttribute("aria-activedescendant") ?? "")?.textContent ?? "");
  await until("History is chosen", async () => (await chosen()).startsWith("History"));
  await page.keyboard.press("Enter");
  await until("history", () => page.url().endsWith("/history"));
});

test("the palette gives the focus back", async ({ page }) => {
  const link = page.getByRole("link", { name: "Inbox" }).first();
  await link.focus();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("combobox").waitFor({ state: "detached" });
  expect(await link.evaluate((l) => document.activeElement === l)).toBe(true);
});

test("the keyboard map shows the keys, and the keys do what it shows", async ({ page }) => {
  await page.getByRole("navigation", { name: "Main" }).first().waitFor();
  await page.keyboard.press("?");
  const map = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await map.waitFor();
  for (const name of ["Inbox", "History", "Next question", "New session"])
    await map.getByText(name, { exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await map.waitFor({ state: "hidden" });
  for (const [key, path] of [
    ["i", "/inbox"],
    ["h", "/history"],
    [",", "/settings"],
  ] as const) {
    await page.keyboard.press(key);
    await until(path, () => new URL(page.url()).pathname.startsWith(path));
  }
});

test("letters that are switched off do nothing, and Ctrl K still works", async ({ visit }) => {
  const { page } = await visit({ prefs: { letterKeys: false } });
  await page.getByRole("navigation", { name: "Main" }).first().waitFor();
  await page.keyboard.press("i");
  await page.keyboard.press("?");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").waitFor(); // after the letters, so they were seen
  expect(new URL(page.url()).pathname).toBe("/");
  expect(await page.getByRole("dialog", { name: "Keyboard shortcuts" }).count()).toBe(0);
});

test("letters are letters where one writes, and while an input method composes", async ({ page }) => {
  await page.getByRole("navigation", { name: "Main" }).first().waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").pressSequentially("hi,?");
  expect(await page.getByRole("combobox").inputValue()).toBe("hi,?");
  expect(new URL(page.url()).pathname).toBe("/");
  await page.keyboard.press("Escape");
  await page.getByRole("combobox").waitFor({ state: "detached" });
  await page.evaluate(() => window.dispatchEvent(new KeyboardEvent("keydown", { key: "h", isComposing: true })));
  await page.evaluate(() => window.dispatchEvent(new KeyboardEvent("keydown", { key: "i" })));
  await until("only the second was taken", () => page.url().endsWith("/inbox"));
});
