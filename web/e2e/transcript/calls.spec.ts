import { barriers, expect, live, screenshots, test as base, until } from "../harness";
import { looksAndRuns } from "./story";

const test = base.extend({
  options: [{ settings: { always_allow_execute: true, allowed_commands: ["seq *"] } }, { scope: "file" }],
});
const files = {
  "a.txt": "one\n",
  "b.txt": "two\n",
  "fail.sh": "seq 1 147\necho 'E no such column: orders.request_key'\nexit 1\n",
};

test("a failed command shows its last five lines unasked, all of them on demand", async ({ world, visit }) => {
  await world.model.script(looksAndRuns);
  const session = await world.session("It fails", files);
  await world.say(session, "run: sh fail.sh");
  await world.rest.inbox.answer(await world.question(session), { action: "approve" });
  await world.settled(session);
  const { page } = await visit({ path: `/s/${session}` });
  const card = page.locator("[data-call]").last();
  const tail = card.locator("[data-tail]");
  await tail.waitFor();
  expect((await tail.locator("pre").innerText()).trim().split("\n")).toEqual([
    "144",
    "145",
    "146",
    "147",
    "E no such column: orders.request_key",
  ]);
  expect(await card.innerText()).toContain("Exit code 1");
  await tail.getByText("Last 5 of 148 lines").waitFor();
  await screenshots(page, "calls-failed");
  expect(await barriers(page)).toEqual([]);
  await tail.getByRole("button", { name: "Show all" }).click();
  expect((await tail.locator("pre").innerText()).trim().split("\n")).toHaveLength(148);
  await tail.getByRole("button", { name: "Copy" }).click();
  expect(await page.locator("[data-reads]").innerText()).toMatch(/Explored\s+2 files, 1 search/);
});

test("what is unfolded stays where it was clicked", async ({ world, visit }) => {
  await world.model.script(looksAndRuns);
  const session = await world.session("Still", files);
  for (let i = 0; i < 6; i++) {
    await world.task(session, "run: seq 1 60");
    await until(
      `turn ${i}`,
      async () =>
        (await world.rest.sessions.messages(session, { limit: 200 })).messages.filter((m) =>
          m.text?.startsWith("It failed"),
        ).length ===
        i + 1,
    );
    await world.settled(session);
  }
  const { page } = await visit({ path: `/s/${session}` });
  await live(page);
  const row = page.locator("[data-call]").last().getByRole("button").first();
  await row.waitFor();
  const top = async () => (await row.boundingBox())!.y;
  const still = async () => {
    let last = -1;
    await until("nothing moves", async () => {
      const now = await page.locator("[data-transcript]").evaluate((e) => e.scrollTop + e.scrollHeight);
      const same = now === last;
      last = now;
      return same;
    });
  };
  await still();
  const before = await top();
  await row.click();
  await page.getByText("Output", { exact: true }).last().waitFor();
  await still();
  expect(Math.abs((await top()) - before)).toBeLessThanOrEqual(1);
  await row.click();
  await until(
    "at the end again",
    async () => (await page.locator("[data-transcript]").getAttribute("data-following")) === "true",
  );
  const reads = page.locator("[data-reads]").last().getByRole("button").first();
  const at = (await reads.boundingBox())!.y;
  await reads.click();
  await page.getByText("a.txt").last().waitFor();
  await still();
  expect(Math.abs((await reads.boundingBox())!.y - at)).toBeLessThanOrEqual(1);
});
