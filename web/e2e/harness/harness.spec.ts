import { expect, soonMs, test, until } from ".";

test("the world serves pages, takes messages and comes back", async ({ world, visit }) => {
  await world.model.script([{ when: { last_user: "hello" }, times: 0, reply: [{ text: "Good day." }] }]);
  const session = await world.session("Greeting");
  await world.say(session, "hello");
  await world.settled(session);
  const said = async () => (await world.rest.sessions.messages(session)).messages.map((m) => m.text);
  expect(await said()).toContain("Good day.");
  await world.restart();
  expect(await said()).toContain("Good day.");
  const { page } = await visit();
  await page.getByRole("navigation").first().waitFor();
});

test("what goes wrong in a page is noticed", async ({ visit }) => {
  const v = await visit({ stranger: true });
  await v.page.evaluate(() => {
    console.error("a complaint");
    setTimeout(() => {
      throw new Error("a mishap");
    });
    void fetch("http://127.0.0.2:1/elsewhere").catch(() => {});
    try {
      document.body.innerHTML = "<b>text</b>";
    } catch {
      // Trusted Types
    }
  });
  const expected = [/a complaint/, /a mishap/, /request to elsewhere|connect-src/, /trusted-types/i];
  for (const pattern of expected) await until(String(pattern), () => v.problems().some((p) => pattern.test(p)));
  v.allow(/./s);
});

test("a cut line breaks requests, a silent one leaves them waiting", async ({ world }) => {
  const ask = (ms = soonMs) =>
    fetch(`${world.url}/api/v1/me`, { signal: AbortSignal.timeout(ms) }).then(
      (r) => r.status,
      (e: Error) => e.name,
    );
  expect(await ask()).toBe(401);
  world.line.cut();
  expect(await ask()).toBe("TypeError");
  world.line.mend();
  await until("a good line", async () => (await ask()) === 401);
  world.line.silence();
  expect(await ask(500)).toBe("TimeoutError");
  world.line.mend();
  await until("a good line", async () => (await ask()) === 401);
});
