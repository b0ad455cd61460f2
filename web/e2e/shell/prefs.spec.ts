import { expect, test, until } from "../harness";
import type { Page } from "playwright-core";

async function run(page: Page, command: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill(command);
  await page.getByRole("option").first().waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("combobox").waitFor({ state: "detached" });
}

const root = (page: Page, name: string) => page.evaluate((n) => document.documentElement.getAttribute(n), name);

test("theme and language are changed by the palette and stay", async ({ page }) => {
  await page.getByRole("navigation", { name: "Main" }).first().waitFor();
  expect(await root(page, "data-theme")).toBe("light");
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await paper();
  await run(page, "dark");
  expect(await root(page, "data-theme")).toBe("dark");
  expect(await paper()).not.toBe(light);

  await run(page, "한국어");
  await page.getByRole("link", { name: "받은 질문" }).first().waitFor();
  expect(await root(page, "lang")).toBe("ko");

  await page.reload();
  await page.getByRole("link", { name: "받은 질문" }).first().waitFor();
  expect(await root(page, "data-theme")).toBe("dark");
});

test("the system's theme is followed while it is chosen", async ({ page }) => {
  await page.getByRole("navigation", { name: "Main" }).first().waitFor();
  expect(await root(page, "data-theme")).toBe("light");
  await page.emulateMedia({ colorScheme: "dark" });
  await until("dark", async () => (await root(page, "data-theme")) === "dark");
});

test("without storage the page still works", async ({ visit }) => {
  const { page } = await visit({
    before: `for (const name of ["localStorage", "sessionStorage"]) Object.defineProperty(window, name, { get() { throw new DOMException("no", "SecurityError"); } });`,
  });
  await page.getByRole("navigation", { name: "Main" }).first().waitFor();
});
