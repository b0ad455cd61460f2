import { expect, live, screenshots, test, until } from "../harness";
import { ChangingDoor } from "./changing";
import { WorkerHand } from "./worker";

test("it can be put on the home screen", async ({ visit, world }) => {
  const { page, context } = await visit({ phone: true, serviceWorker: true });
  await WorkerHand.of(context);
  const cdp = await context.newCDPSession(page);
  const { errors, data } = await cdp.send("Page.getAppManifest");
  expect(errors).toEqual([]);
  const { installabilityErrors } = await cdp.send("Page.getInstallabilityErrors");
  // A private window, as the test's is, never offers to install.
  expect(installabilityErrors.map((e) => e.errorId).filter((id) => id !== "in-incognito")).toEqual([]);
  const manifest = JSON.parse(data!) as {
    display: string;
    icons: Icon[];
    shortcuts: { name: string; url: string; icons: Icon[] }[];
    theme_color: string;
  };
  expect(manifest.display).toBe("standalone");
  expect(manifest.icons.map((i) => i.purpose)).toContain("maskable");
  for (const icon of [...manifest.icons, ...manifest.shortcuts.flatMap((s) => s.icons)]) {
    if (icon.sizes === "any") continue;
    const size = await page.evaluate(async (src) => {
      const b = await createImageBitmap(await (await fetch(src)).blob());
      return `${b.width}x${b.height}`;
    }, icon.src);
    expect(size, icon.src).toBe(icon.sizes);
  }
  for (const s of manifest.shortcuts) {
    await page.goto(new URL(s.url, world.url).href);
    await page.getByRole("heading").first().waitFor();
  }
  await until("writing can begin", () => page.evaluate(() => document.activeElement instanceof HTMLTextAreaElement)); // "New session" was the last
});

interface Icon {
  src: string;
  sizes: string;
  purpose?: string;
}

test("the status bar has the colour of the page, whatever theme was chosen", async ({ visit }) => {
  const { page } = await visit({ phone: true, prefs: { theme: "dark" } });
  await page.getByRole("heading").first().waitFor();
  const colours = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLMetaElement>("meta[name=theme-color]")].map((m) => m.content),
  );
  expect(new Set(colours)).toEqual(new Set(["#171613"]));
});

test("without a server it opens, says so, and heals by itself", async ({ visit, world }) => {
  const session = await world.session("Offline");
  const { page, context } = await visit({ phone: true, serviceWorker: true, path: "/" });
  await WorkerHand.of(context);
  world.line.cut();
  await page.goto(`/s/${session}`);
  await page.getByRole("heading", { name: "The server cannot be reached" }).waitFor();
  await screenshots(page, "phone-away");
  world.line.mend();
  await live(page); // nobody touched it
});

test("a server that hangs is not waited for", async ({ visit, world }) => {
  const { page, context } = await visit({ phone: true, serviceWorker: true, path: "/" });
  await WorkerHand.of(context);
  world.line.silence();
  await page.goto("/inbox");
  world.line.mend();
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
});

test("answer links and downloads are not taken for pages", async ({ visit, world }) => {
  const { page, context } = await visit({ phone: true, serviceWorker: true, path: "/" });
  await WorkerHand.of(context);
  world.line.cut();
  for (const path of ["/answer", "/api/v1/me", "/openapi.json"]) {
    expect(
      await page.goto(path).then(
        () => "a page",
        (e: Error) => e.message,
      ),
      path,
    ).toMatch(/ERR_/);
  }
  world.line.mend();
});

test("a new build is offered and never forced", async ({ visit, world }) => {
  const door = await ChangingDoor.open(world);
  const v = await visit({
    phone: true,
    serviceWorker: true,
    stranger: true,
    path: `${door.url}/#token=${world.token}`,
  });
  v.allow(/request to elsewhere|WebSocket|status of 40/);
  const { page } = v;
  await page
    .getByRole("textbox", { name: "What is to be done?" })
    .or(page.getByRole("textbox").first())
    .first()
    .fill("half a sentence");
  await WorkerHand.of(v.context);
  await until("it is in charge", () => page.evaluate(() => navigator.serviceWorker.controller !== null));
  await page.evaluate(() => void ((window as { same?: boolean }).same = true));
  expect(await page.getByText("A new version of this page").count()).toBe(0);

  door.next = true;
  await page.evaluate(async () => void (await (await navigator.serviceWorker.getRegistration("/"))!.update()));
  await page.getByText("A new version of this page is available.").waitFor();
  door.bare = true; // what this page still needs of its own build is here
  await page.getByRole("button", { name: "You" }).tap();
  await page.getByRole("menuitem", { name: "Settings" }).tap();
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  expect(await page.evaluate(() => (window as { same?: boolean }).same)).toBe(true);
  door.bare = false;

  await page.getByRole("button", { name: "Reload" }).tap();
  await until("it is the new one", () =>
    page.evaluate(() => document.querySelector<HTMLMetaElement>("meta[name=build]")?.content === "thenextbuild"),
  );
  await page.getByRole("link", { name: /Home/ }).last().tap();
  await until(
    "the words are kept",
    async () => (await page.getByRole("textbox").first().inputValue()) === "half a sentence",
  );
  expect(await page.getByText("A new version of this page").count()).toBe(0);
  await v.leave();
  await door.close();
});
