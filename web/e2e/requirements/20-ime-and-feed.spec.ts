import { expect, test, until } from "../harness";

// Enter while composing never sends; the transcript is a feed; one polite region speaks.

test("Enter of an input method never sends", async ({ world, visit }) => {
  await world.model.script([{ when: {}, times: 0, reply: [{ text: "Heard." }] }]);
  const session = await world.session("한글");
  const { page, context } = await visit({ path: `/s/${session}` });
  const box = page.getByLabel("Message to the agent");
  await box.click();
  const cdp = await context.newCDPSession(page);
  await cdp.send("Input.imeSetComposition", { text: "안녕", selectionStart: 2, selectionEnd: 2 });
  await cdp.send("Input.dispatchKeyEvent", {
    type: "rawKeyDown",
    key: "Enter",
    code: "Enter",
    windowsVirtualKeyCode: 229,
  });
  await cdp.send("Input.insertText", { text: "안녕" });
  // Safari's order: the composition ends, then the key is pressed, in one go.
  await box.evaluate((el) => {
    el.dispatchEvent(new CompositionEvent("compositionstart"));
    el.dispatchEvent(new CompositionEvent("compositionend", { data: "안녕" }));
    el.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
  });
  expect(await box.inputValue()).toContain("안녕");
  expect((await world.rest.sessions.messages(session)).messages).toHaveLength(0);
  await until("the composition is over", async () => {
    await box.press("Enter");
    return (await box.inputValue()) === "";
  });
  await page.getByText("Heard.").waitFor();
});

test("the transcript is a feed that keys walk through, and tokens are not spoken", async ({ world, visit }) => {
  await world.model.script([{ when: {}, times: 0, reply: [{ text: "One two three four five.", pieces: 5 }] }]);
  const session = await world.session("Feed");
  await world.say(session, "speak");
  await world.settled(session);
  const { page } = await visit({ path: `/s/${session}` });
  const feed = page.getByRole("feed", { name: "Conversation" });
  await feed.getByText("One two three").waitFor();
  await feed.locator("article").last().focus();
  await page.keyboard.press("ArrowUp");
  await until(
    "the row before has the focus",
    async () => (await page.locator("article:focus").getAttribute("data-row")) === "user",
  );
  await page.keyboard.press("End");
  await until(
    "the last row has the focus",
    async () => (await page.locator("article:focus").getAttribute("data-row")) === "text",
  );
  const regions = page.locator("[aria-live=polite]:not([role=log])");
  expect(await regions.count()).toBe(1);
  const spoken: string[] = [];
  await page.exposeFunction("heard", (text: string) => spoken.push(text));
  await regions.evaluate((el) =>
    new MutationObserver(() => (window as unknown as { heard(t: string): void }).heard(el.textContent ?? "")).observe(
      el,
      { childList: true, characterData: true, subtree: true },
    ),
  );
  await world.say(session, "again");
  await world.settled(session);
  await until("it is shown", async () => (await page.locator("[data-row=text]").count()) === 2);
  expect(spoken.join(" ")).not.toContain("three");
});
