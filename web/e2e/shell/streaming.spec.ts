import { expect, live, shown, size, test, told, until } from "../harness";

const rounds = size(10, 20);
const seed = Number(process.env.CLEW_SEED ?? 7);

/** A small generator of numbers from 0 to 1, the same for the same seed. */
function chance(start: number): () => number {
  let s = start >>> 0;
  return () => {
    s = (Math.imul(s, 1_664_525) + 1_013_904_223) >>> 0;
    return s / 2 ** 32;
  };
}

const said = (round: number, from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `r${round}w${from + i}`).join(" ");

// The server killed -9 and the line cut in the middle of an answer: the page
// heals without a reload, and shows every message once, with the server's words.
test(`${rounds} breaks in the middle of an answer, seed ${seed}`, { timeout: 240_000 }, async ({ world, visit }) => {
  const random = chance(seed);
  const stops = Array.from({ length: rounds }, () => 1 + Math.floor(random() * 38));
  await world.model.script(
    stops.map((stop, r) => ({
      when: { last_user: `story ${r}.` },
      times: 0,
      reply: [
        { slow: { per_token: "2ms" } },
        { text: `${said(r, 0, stop)} ` },
        { delay: "1h" },
        { text: said(r, stop, 40) },
      ],
    })),
  );
  const session = await world.session("Breaks");
  const { page } = await visit({ path: `/s/${session}` });
  await live(page);
  await page.evaluate(() => void ((window as unknown as { same: boolean }).same = true));
  const done = new Set<string>();
  for (let r = 0; r < rounds; r++) {
    await world.model.hold();
    await world.say(session, `story ${r}.`);
    const middle = `r${r}w${stops[r]! - 1}`;
    await until(`${middle} is shown`, () => page.getByText(middle).first().isVisible());
    const how = ["kill", "cut", "silence"][Math.floor(random() * 3)]!;
    const during = random() < 0.5; // the rest of the answer comes while the line is broken, or after
    done.add(`${how} ${during}`);
    if (how === "kill") await world.kill9();
    if (how === "cut") world.line.cut();
    if (how === "silence") world.line.silence();
    if (during) await world.model.release();
    if (how === "kill") await world.restart();
    else if (during) await world.settled(session);
    world.line.mend();
    await live(page);
    await world.model.release();
    await world.settled(session);
    await until(`round ${r} (${how}) is whole`, async () => {
      const last = (await told(world, session)).at(-1)!;
      return (
        last.text.endsWith(`r${r}w39`) &&
        (await page.locator(`[data-message="${last.id}"]`).textContent())?.includes(`r${r}w39`)
      );
    });
  }
  expect(done.size).toBe(6); // the seed tries all of them
  const all = await told(world, session);
  expect(all.length).toBeGreaterThanOrEqual(2 * rounds);
  expect(await shown(page)).toEqual(all);
  expect(await page.evaluate(() => (window as unknown as { same?: boolean }).same)).toBe(true);
});
