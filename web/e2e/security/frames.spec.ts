import { createSocket } from "node:dgram";
import { createServer } from "node:net";
import { expect, literal, live, test, until } from "../harness";

/*
 * A page in a window that a person lets run, and that tries every way out. Each try
 * says what it came to; none may say "out".
 */
const tries = `<p id="log"></p><div><template shadowrootmode="open"><iframe srcdoc="<script>const c = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:UDP' }] }); c.createDataChannel('x'); c.setLocalDescription()</script>"></iframe></template></div><iframe name="inner" srcdoc="<p>in</p>"></iframe><iframe srcdoc="<script>const c = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:UDP' }] }); c.createDataChannel('x'); c.setLocalDescription()</script>"></iframe>
<form id="top" action="http://HOST/settings" target="_top"><input name="a" value="b"></form>
<form id="blank" action="http://HOST/settings" target="_blank"><input name="a" value="b"></form>
<a id="link" href="http://HOST/settings" target="_top">x</a><a id="run" href="javascript:top.__ran=1" target="_top">x</a><a id="pop" href="http://HOST/settings" target="_blank">x</a>
<script>
const log = [];
const tell = (name, fn) => { let out = "kept in"; try { if (fn()) out = "out"; } catch { } log.push(name + ": " + out); };
const later = async (name, fn) => { let out = "kept in"; try { if (await fn()) out = "out"; } catch { } log.push(name + ": " + out); };
tell("top document", () => top.document.title !== undefined);
tell("parent document", () => parent.document.body);
tell("parent location", () => parent.location.href);
tell("top name", () => (top.name = "taken"));
tell("frame element", () => frameElement);
tell("opener", () => opener);
tell("local storage", () => localStorage);
tell("session storage", () => sessionStorage);
tell("cookie", () => (document.cookie = "a=b", document.cookie));
tell("domain", () => (document.domain = "localhost"));
tell("popup", () => window.open("http://HOST/settings"));
tell("alert", () => confirm("out?"));
tell("javascript in top", () => { top.location = "javascript:window.__ran=1"; return top.__ran; });
tell("javascript in parent", () => { parent.location = "javascript:window.__ran=1"; return parent.__ran; });
tell("history", () => { top.history.back(); return top.history.length; });
tell("inner frame", () => window.frames.inner.document.cookie);
tell("blank frame", () => { const f = document.createElement("iframe"); document.body.append(f); return f.contentWindow.RTCPeerConnection; });
const peer = "<script>new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:UDP' }] }).createDataChannel('x')<\\/script>";
tell("shadow", () => { const r = document.body.attachShadow({ mode: "open" }); r.innerHTML = "<iframe srcdoc=\\"" + peer + "\\"></iframe>"; return r.firstChild; });
tell("written frame", () => { document.write("<template shadowrootmode=open><iframe></iframe></template>"); return true; });
tell("late frame", () => { document.body.append(Object.assign(document.createElement("iframe"), { srcdoc: peer })); return false; });
tell("peer connection", () => window.RTCPeerConnection || window.webkitRTCPeerConnection);
tell("worker", () => { new Worker("data:text/javascript,postMessage(1)"); return false; });
for (const id of ["top", "blank"]) tell("form " + id, () => { document.getElementById(id).submit(); return false; });
for (const id of ["link", "run", "pop"]) tell("link " + id, () => { document.getElementById(id).click(); return false; });
const image = (src) => new Promise((ok, no) => { const i = new Image(); i.onload = () => ok(true); i.onerror = no; i.src = src; });
const element = (tag, props) => new Promise((ok, no) => { const e = Object.assign(document.createElement(tag), props); e.onload = () => ok(true); e.onerror = no; document.head.append(e); });
const rtc = async () => {
  const c = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:UDP" }] });
  c.createDataChannel("x");
  await c.setLocalDescription(await c.createOffer());
  await new Promise((done) => { c.onicegatheringstatechange = () => c.iceGatheringState === "complete" && done(); });
  return false; // whether it came out is seen at the other end
};
Promise.all([
  later("fetch", () => fetch("http://HOST/api/v1/me", { credentials: "include", mode: "no-cors" })),
  later("request", () => new Promise((ok, no) => { const r = new XMLHttpRequest(); r.onload = () => ok(true); r.onerror = no; r.open("GET", "http://HOST/api/v1/me"); r.send(); })),
  later("socket", () => new Promise((ok, no) => { const s = new WebSocket("ws://HOST/ws/x"); s.onopen = () => ok(true); s.onerror = no; })),
  later("events", () => new Promise((ok, no) => { const s = new EventSource("http://HOST/api/v1/me"); s.onopen = () => ok(true); s.onerror = no; })),
  later("beacon", () => { navigator.sendBeacon("http://HOST/beacon", "x"); return false; }),
  later("image", () => image("http://HOST/icon.svg")), later("style", () => element("link", { rel: "stylesheet", href: "http://HOST/icon.svg" })),
  later("script", () => element("script", { src: "http://HOST/sw.js" })),
  later("font", () => new FontFace("x", "url(http://HOST/icon.svg)").load().then(() => true)),
  later("databases", () => new Promise((ok, no) => { const r = indexedDB.open("x"); r.onsuccess = () => ok(true); r.onerror = no; })),
  later("caches", () => caches.open("x").then(() => true)),
  later("service worker", () => navigator.serviceWorker.register("/sw.js").then(() => true)),
  later("clipboard", () => navigator.clipboard.readText().then(() => true)),
  later("place", () => new Promise((ok, no) => navigator.geolocation.getCurrentPosition(() => ok(true), no))),
  later("rtc", rtc),
]).then(() => {
  parent.postMessage({ type: "clew", html: "<script>window.__ran=1<\\/script>" }, "*");
  log.push("end");
  document.getElementById("log").textContent = log.join("\\n");
});
</script>`;

test("a page in a window finds no way out", async ({ world, visit }) => {
  const udp = createSocket("udp4");
  let packets = 0;
  udp.on("message", () => packets++);
  await new Promise<void>((done) => udp.bind(0, "127.0.0.1", done));
  const html = tries.replaceAll("HOST", new URL(world.url).host).replaceAll("UDP", String(udp.address().port));
  await world.model.script([
    { when: { tool_result: "window" }, times: 0, reply: [{ text: "There." }] },
    {
      when: { turn: 1 },
      times: 0,
      reply: [
        {
          tool: {
            name: "window",
            id: "c",
            input: { action: "open", window_id: "tries", title: "Tries", kind: "html", content: literal(html) },
          },
        },
      ],
    },
  ]);
  const session = await world.session("Frames");
  await world.say(session, "try");
  await world.settled(session);
  const v = await visit({ path: `/s/${session}/desktop` });
  v.allow(/./); // the browser says at length what it refuses; what counts is below
  const { page } = v;
  const answered: string[] = [];
  page.on("response", (r) => r.frame() !== page.mainFrame() && answered.push(r.url()));
  await live(page);
  await page.locator("[data-window=tries]").getByRole("button", { name: "Run scripts" }).click();
  const log = await until("all was tried", async () => {
    const text = await page.frameLocator("[data-window=tries] iframe").locator("#log").textContent();
    return text?.endsWith("end") ? text.split("\n") : undefined;
  });
  expect(log).toHaveLength(43);
  expect(log.filter((l) => l.endsWith(": out"))).toEqual([]);
  expect(packets, "packets of peer connections").toBe(0);
  expect(answered.filter((u) => !u.startsWith(`${world.url}/frame.html`) && !u.startsWith("about:"))).toEqual([]);
  expect(v.context.pages()).toHaveLength(1);
  expect(new URL(page.url()).pathname).toBe(`/s/${session}/desktop`);
  expect(await page.evaluate(() => [(window as unknown as { __ran?: number }).__ran, window.name])).toEqual([
    undefined,
    "",
  ]);
  await page.locator("[data-window=tries]").getByRole("button", { name: "Stop scripts" }).click();
  await page.locator("[data-window=tries]").getByRole("button", { name: "Run scripts" }).waitFor();
  udp.close();
});

/*
 * The frame's address says which hosts its page may reach. A page can lead its own frame to
 * another such address: the server sends nothing there, and the page is not written again.
 */
test("a page gives itself no hosts by leading its frame elsewhere", async ({ world, visit }) => {
  let calls = 0;
  const listener = createServer((s) => {
    calls++;
    s.destroy();
  });
  await new Promise<void>((done) => listener.listen(0, "127.0.0.1", done));
  const out = `https://out.localhost:${(listener.address() as { port: number }).port}`;
  const html = `<script>
    fetch("${out}/told").catch(() => {});
    if (location.search === "?run") addEventListener("load", () => setTimeout(() => { location.search = "?run&connect=${out}"; }));
  </script>`;
  await world.model.script([
    { when: { tool_result: "window" }, times: 0, reply: [{ text: "There." }] },
    {
      when: { turn: 1 },
      times: 0,
      reply: [
        {
          tool: {
            name: "window",
            id: "c",
            input: { action: "open", window_id: "away", title: "Away", kind: "html", content: literal(html) },
          },
        },
      ],
    },
  ]);
  const session = await world.session("Away");
  await world.say(session, "try");
  await world.settled(session);
  const v = await visit({ path: `/s/${session}/desktop` });
  v.allow(/./);
  const { page } = v;
  await live(page);
  await page.locator("[data-window=away]").getByRole("button", { name: "Run scripts" }).click();
  await page.locator("[data-window=away]").getByText("The page was stopped: it tried to leave its window.").waitFor();
  expect(calls, "calls to a host that nobody allowed").toBe(0);
  listener.close();
});

test("a page does not keep the keyboard from what a person writes", async ({ world, visit }) => {
  const html = `<input id="trap"><script>setInterval(() => { window.focus(); document.getElementById("trap").focus(); }, 20)</script>`;
  await world.model.script([
    { when: { tool_result: "window" }, times: 0, reply: [{ text: "There." }] },
    {
      when: { turn: 1 },
      times: 0,
      reply: [
        {
          tool: {
            name: "window",
            id: "c",
            input: { action: "open", window_id: "trap", title: "Trap", kind: "html", content: literal(html) },
          },
        },
      ],
    },
  ]);
  const session = await world.session("Trap");
  await world.say(session, "try");
  await world.settled(session);
  const { page } = await visit({ path: `/s/${session}/desktop` });
  await live(page);
  const trap = page.locator("[data-window=trap]");
  await trap.getByRole("button", { name: "Run scripts" }).click();
  await trap.locator("iframe").waitFor();
  const composer = page.getByRole("textbox", { name: /message/i }).last();
  await composer.focus();
  const words = "a secret that is not for the page";
  // Whenever the field has the keys, the next letter; a theft costs at most the one that was under way.
  for (const letter of words) {
    await until("the keys are back", () => composer.evaluate((e) => e === document.activeElement));
    await page.keyboard.type(letter);
  }
  await trap.getByText("The page was stopped: it kept taking the keyboard").waitFor();
  expect(await composer.evaluate((e) => e === document.activeElement)).toBe(true);
  expect((await composer.inputValue()).length, "letters that the person got").toBeGreaterThanOrEqual(words.length - 3);
});
