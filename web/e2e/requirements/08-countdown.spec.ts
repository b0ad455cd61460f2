import { expect, test as base, until } from "../harness";
import { plansRuns } from "./scripts";

const test = base.extend({
  options: [{ settings: { plan_review_timeout_sec: 12, question_reminder_sec: 5 } }, { scope: "file" }],
});

test("the time left is the server's, and its end is an expiry", async ({ world, visit }) => {
  await world.model.script(plansRuns);
  const session = await world.session("Expiry");
  const right = await visit({ path: "/inbox" });
  const wrong = await visit({ path: "/inbox", before: "const now = Date.now; Date.now = () => now() + 5 * 60_000" });
  await world.say(session, "do it", { mode: "run" });
  const request = await world.question(session);
  const left = async (p: typeof right.page) =>
    Number(await p.locator(`[data-question="${request}"] [role=timer]`).getAttribute("data-left"));
  await until("both show it", async () => (await left(right.page)) > 0 && (await left(wrong.page)) > 0);
  // Between two looks at the one, the other is between them, but for a second that has just begun.
  const [before, between, after] = [await left(right.page), await left(wrong.page), await left(right.page)];
  expect(between).toBeLessThanOrEqual(before + 1);
  expect(between).toBeGreaterThanOrEqual(after - 1);

  await until("said aloud", async () =>
    /10 seconds left/.test((await right.page.locator("[data-spoken]").textContent()) ?? ""),
  );
  const card = right.page.locator(`[data-question="${request}"]`);
  await until("expired", async () => (await card.getAttribute("data-state")) === "expired");
  expect(await card.textContent()).toContain("Expired");
  expect((await card.textContent())!.replace("Expired, not denied", "")).not.toMatch(/denied|rejected/i);
});
