import { barriers, expect, live, screenshots, test, until } from "../harness";
import { parallelSteps } from "./story";

test("the strip has a segment for each step, and opens time travel where it is clicked", async ({ world, visit }) => {
  await world.model.script(parallelSteps);
  const session = await world.session("By steps");
  await world.say(session, "Mend it.", { mode: "run" });
  await world.rest.inbox.answer(await world.question(session), { action: "approve" });
  await until("one waits", async () =>
    (await world.rest.sessions.timeline(session)).steps.some(
      (s) => s.title.startsWith("Return") && s.status === "done",
    ),
  );
  await world.model.release();
  await world.settled(session);
  const { page } = await visit({ path: `/s/${session}` });
  await live(page);
  const { steps, marks } = await world.rest.sessions.timeline(session);
  expect(steps.map((s) => [s.kind, s.title, s.status])).toEqual([
    ["request", "Mend it.", "done"],
    ["step", "Store a request key with each order", "done"],
    ["step", "Return the saved order on retry", "done"],
    ["step", "Add a retry test", "done"],
  ]);
  const segments = page.locator("[data-timeline] [data-segment]");
  await until("four segments", async () => (await segments.count()) === 4);
  expect(await page.locator("[data-timeline]").evaluate((e) => e.getBoundingClientRect().height)).toBe(34);
  await screenshots(page, "strip", ["wide"]);

  const box = (await segments.last().boundingBox())!;
  await page.mouse.click(box.x + 2, box.y + box.height / 2);
  const slider = page.getByRole("slider", { name: "Point in time" });
  await slider.waitFor();
  const first = marks.findIndex((m) => m.message_id >= steps.at(-1)!.message_id);
  expect(new URL(page.url()).searchParams.get("at")).toBe(marks[first]!.message_id);
  expect(await slider.getAttribute("aria-valuenow")).toBe(String(first + 1));
  expect(await slider.getAttribute("aria-valuetext")).toContain("Add a retry test");
  await page.locator("[data-step='Return the saved order on retry']").waitFor();
  await screenshots(page, "scrubber");
  expect(await barriers(page)).toEqual([]);

  await page.goto(`/s/${session}`);
  await until("four segments", async () => (await segments.count()) === 4);
  const wide = (await segments.nth(1).boundingBox())!;
  await page.mouse.click(wide.x + wide.width - 2, wide.y + wide.height / 2);
  await slider.waitFor();
  expect(await slider.getAttribute("aria-valuetext")).toContain("Store a request key");
});

test("a long session has a few segments that can be told apart", async ({ world, visit }) => {
  await world.model.script([{ times: 0, reply: [{ text: "Yes." }] }]);
  const session = await world.session("Long");
  for (let i = 0; i < 60; i++) {
    await world.say(session, `Request ${i + 1}`);
    await until("answered", async () =>
      (await world.rest.sessions.messages(session, { limit: 5 })).messages.some((m) => m.text === "Yes." && !m.partial),
    );
    await world.settled(session);
  }
  const { page } = await visit({ path: `/s/${session}` });
  await live(page);
  const segments = page.locator("[data-timeline] [data-segment]");
  await segments.first().waitFor();
  const widths = await segments.evaluateAll((all) => all.map((e) => e.getBoundingClientRect().width));
  expect(widths.length).toBeLessThanOrEqual(40);
  expect(Math.min(...widths)).toBeGreaterThanOrEqual(4);
  expect(await segments.first().getAttribute("title")).toBe("Request 1 and 1 more");
  await screenshots(page, "strip-long", ["wide"]);
});
