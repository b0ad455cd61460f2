import type { Page } from "playwright-core";
import { expect, test as base, until, type Visitor, type World, type WorldOptions } from "../harness";
import { PushService, type Device } from "../phone/pushservice";
import { WorkerHand } from "../phone/worker";
import { runsCommands } from "./scripts";

const canary = "CANARY-81c4";

const test = base
  .extend("service", { scope: "file" }, async ({}, { onCleanup }) => {
    const service = await PushService.start();
    onCleanup(() => service.stop());
    return service;
  })
  .extend("options", { scope: "file" }, ({ service }): WorldOptions => ({
    settings: { push_allow: [service.address] },
    env: { SSL_CERT_FILE: service.certFile },
  }))
  .extend("wholeBrowser", { scope: "file" }, () => true); // the shell has no notifications

type Visit = (options: object) => Promise<Visitor>;

/** Somebody who has switched push on with a phone. */
async function subscribed(
  visit: Visit,
  service: PushService,
  world: World,
): Promise<{ v: Visitor; device: Device; hand: WorkerHand }> {
  const device = service.device();
  const v = await visit({ path: "/settings/notifications", phone: true, serviceWorker: true, before: device.script });
  await v.context.grantPermissions(["notifications"], { origin: world.url });
  await v.page.getByRole("button", { name: "Turn on" }).tap();
  await v.page.getByText("Push to this device is on").waitFor();
  return { v, device, hand: await WorkerHand.of(v.context) };
}

/** Leaves the app: the context stays with a page that is none of ours. */
async function closeApp(v: Visitor): Promise<Page> {
  const other = await v.context.newPage();
  for (const p of v.context.pages()) if (p !== other) await p.close();
  return other;
}

async function asked(
  world: World,
  device: Device,
  what: string,
): Promise<{ session: string; request: string; data: string }> {
  await world.model.script(runsCommands);
  const session = await world.session("Release 1.4", { "a.txt": "a\n" });
  await world.say(session, `run: ${what}`);
  const request = await world.question(session);
  return { session, request, data: (await device.next("question", request)).plain };
}

test("a closed phone is told without a word of what is asked, and two taps decide it", async ({
  world,
  visit,
  service,
}) => {
  const { v, device, hand } = await subscribed(visit, service, world);
  const { session, request, data } = await asked(world, device, `echo ${canary}`);
  expect(data).not.toContain(canary);
  expect(JSON.parse(data)).toMatchObject({
    kind: "question",
    request_id: request,
    session_id: session,
    title: "Release 1.4",
    asks: "command",
  });

  const other = await closeApp(v);
  await hand.deliver(other, world.url, data);
  await until("it is shown", async () => (await hand.shown()).length === 1);
  expect(await hand.shown()).toEqual([
    { title: "Release 1.4", body: "wants to run a command", tag: request, silent: false },
  ]);
  expect(await hand.everything()).not.toContain(canary);
  expect((await hand.noted()).badges.at(-1)).toBe((JSON.parse(data) as { inbox: number }).inbox);

  await hand.tap(request); // the first tap
  const [url] = await until("a new window", async () =>
    (await hand.noted()).opened.length > 0 ? (await hand.noted()).opened : undefined,
  );
  expect(url).toBe(`/s/${session}?question=${request}`);
  expect(await hand.shown()).toEqual([]);
  const page = await v.context.newPage();
  await page.goto(url!);
  const card = page.locator(`[data-question="${request}"]`).first();
  const approve = card.getByRole("button", { name: /Approve|Run/ });
  await card.getByText(`echo ${canary}`).waitFor();
  await until("the card is in view with its button", () => inView(page, request));

  world.freeze();
  await approve.tap(); // the second
  await card.getByText(/Sending/).waitFor();
  expect(await page.getByText(/Approved/).count()).toBe(0);
  world.thaw();
  await page.getByText("Approved by you", { exact: true }).waitFor();

  const settled = await device.next("settled", request);
  await hand.deliver(page, world.url, data); // as if it had come late
  await hand.deliver(page, world.url, settled.plain);
  await until("nothing is left of it", async () => (await hand.shown()).length === 0);
  expect((await hand.noted()).badges.at(-1)).toBe(settled.message.inbox);
});

test("an open page is focused and led to the card", async ({ world, visit, service }) => {
  const { v, device, hand } = await subscribed(visit, service, world);
  await v.page.goto("/history");
  await v.page.getByRole("heading", { name: "History" }).waitFor();
  await v.page.evaluate(() => void ((window as { same?: boolean }).same = true));
  const { session, request, data } = await asked(world, device, "date");
  await hand.deliver(v.page, world.url, data);
  await until("it is shown", async () => (await hand.shown()).length === 1);
  expect((await hand.shown())[0]?.silent).toBe(true); // the page that is seen has told it
  await hand.tap(request);
  await v.page.waitForURL(`**/s/${session}?question=${request}`);
  await v.page.locator(`[data-question="${request}"]`).first().waitFor();
  expect(await v.page.evaluate(() => (window as { same?: boolean }).same)).toBe(true); // not loaded anew
  expect(await hand.noted()).toMatchObject({ opened: [], focused: [`${world.url}/history`] });
  await world.rest.inbox.answer(request, { action: "approve" });
  await device.next("settled", request);
});

test("a tap without a line says that it was not sent", async ({ world, visit, service }) => {
  const { v, device } = await subscribed(visit, service, world);
  const { session, request } = await asked(world, device, "date");
  await v.page.goto(`/s/${session}?question=${request}`);
  const card = v.page.locator(`[data-question="${request}"]`).first();
  const approve = card.getByRole("button", { name: /Approve|Run/ });
  await approve.waitFor();
  world.line.cut();
  await until("the page knows", async () => (await v.page.locator("[data-connection=active]").count()) === 0);
  await approve.tap();
  await card.getByText(/Not sent/).waitFor();
  expect((await world.rest.inbox.list()).items.some((i) => i.question.request_id === request)).toBe(true);
  world.line.mend();
  await until("live", () => v.page.locator("[data-connection=active]").first().isVisible(), 45_000);
  await card.getByRole("button", { name: "Send again" }).tap();
  await v.page.getByText("Approved by you", { exact: true }).waitFor();
});

test("what is settled elsewhere is said quietly, and gone when the page opens", async ({ world, visit, service }) => {
  const { v, device, hand } = await subscribed(visit, service, world);
  const { request, data } = await asked(world, device, "date");
  const other = await closeApp(v);
  await hand.deliver(other, world.url, data);
  await until("it is shown", async () => (await hand.shown())[0]?.tag === request);
  await world.rest.inbox.answer(request, { action: "approve" });
  const settled = await device.next("settled", request);
  await hand.deliver(other, world.url, settled.plain);
  await until("it is replaced", async () => (await hand.shown())[0]?.silent === true);
  expect(await hand.shown()).toEqual([
    { title: "Release 1.4", body: "needs no answer any more", tag: request, silent: true },
  ]);
  await other.goto(`${world.url}/inbox`);
  await until("it is gone", async () => (await hand.shown()).length === 0);
});

test("notifications speak the language that was chosen, and a message that cannot be read is shown, too", async ({
  world,
  visit,
  service,
}) => {
  const { v, hand } = await subscribed(visit, service, world);
  await v.page.evaluate(() => localStorage.setItem("clew.prefs", JSON.stringify({ language: "ko" })));
  await v.page.reload();
  await until("it is noted", () =>
    v.page.evaluate(async () => (await (await caches.match("/language"))?.text()) === "ko"),
  );
  await hand.deliver(
    v.page,
    world.url,
    JSON.stringify({ kind: "question", request_id: "r1", session_id: "s", title: "배포", asks: "plan", inbox: 3 }),
  );
  await until("it is shown", async () => (await hand.shown()).some((n) => n.body === "검토할 계획이 있습니다"));
  await hand.deliver(v.page, world.url, "not JSON");
  await until("it is shown, too", async () =>
    (await hand.shown()).some((n) => n.title === "clew" && n.body === "답변이 필요합니다"),
  );
});

test("each load renews the subscription; one that was removed stays so", async ({ world, visit, service }) => {
  const { v, device } = await subscribed(visit, service, world);
  let posts = 0;
  v.page.on("request", (r) => {
    if (r.method() === "POST" && r.url().endsWith("/api/v1/push")) posts++;
  });
  await v.page.goto("/");
  await until("it is posted again", () => posts === 1);
  await v.page.goto("/settings/notifications");
  await v.page.getByText("This device", { exact: true }).waitFor();
  await until("it is posted again", () => posts === 2);
  const all = (await world.rest.push.get()).subscriptions;

  // At another device somebody takes this one out.
  await v.page.goto("about:blank");
  const tried = await world.rest.push.test();
  await device.next("test");
  for (const s of all) if (tried.results.find((r) => r.id === s.id)?.ok) await world.rest.push.unsubscribe(s.id);
  await v.page.goto(`${world.url}/settings/notifications`);
  await v.page.getByRole("button", { name: "Turn on" }).waitFor();
  expect(posts).toBe(2);
  expect((await world.rest.push.get()).subscriptions).toEqual([]);
});

/** The card and its first button are seen without scrolling. */
async function inView(page: Page, request: string): Promise<boolean> {
  return page
    .locator(`[data-question="${request}"] button`)
    .filter({ hasText: /Approve|Run/ })
    .first()
    .evaluate((b) => {
      const { top, bottom } = b.getBoundingClientRect();
      const at = document.elementFromPoint(
        (b.getBoundingClientRect().left + b.getBoundingClientRect().right) / 2,
        (top + bottom) / 2,
      );
      return top >= 0 && bottom <= innerHeight && !!at && (at === b || b.contains(at));
    });
}
