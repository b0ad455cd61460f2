import { barriers, expect, live, screenshots, test, until } from "../harness";
import { messagesOf, openTime, saidAt, sayAll, writesFiles } from "../pages/files";

// After a rewind the page says what the session is then, and nothing that did not happen.

test("a command that the session was rewound into did not fail, is not in doubt and has no answer", async ({
  world,
  visit,
}) => {
  await world.model.script(writesFiles);
  const session = await world.session("Into a command", { "a.txt": "one\n" });
  await world.say(session, "run: cat a.txt");
  await world.rest.inbox.answer(await world.question(session), { action: "approve" });
  await world.settled(session);
  const call = (await world.rest.sessions.messages(session)).messages.find((m) => m.ask === "command")!;
  expect(call.tool?.status).toBe("complete");
  const running = (await world.rest.sessions.timeline(session)).marks.map((m) => m.message_id);
  await world.rest.sessions.command(session, "rewind", {
    message_id: running.find((id) => id > call.message_id)!,
    keep_target: true,
  });
  await until("rewound", async () => (await world.rest.sessions.get(session)).can_undo);
  const after = (await world.rest.sessions.messages(session)).messages.find((m) => m.message_id === call.message_id)!;
  expect(after.tool).toMatchObject({ status: "stopped", why_code: "rewound" });
  expect(after.tool?.in_doubt).toBeUndefined();
  expect(after.tool?.error).not.toContain("not run");
  const { page } = await visit({ path: `/s/${session}` });
  const card = page.locator(`[data-call="${call.tool_call_id}"]`);
  await card.getByText("Rewound to before this finished").waitFor();
  expect(await card.innerText()).not.toMatch(/not run|doubt|stopped|Approved|may have/i);
  await screenshots(page, "truth-rewound-call");
  expect(await barriers(page)).toEqual([]);
});

test("a double click rewinds once", async ({ world, visit }) => {
  await world.model.script(writesFiles);
  const session = await world.session("Twice", { "a.txt": "one\n" });
  await sayAll(world, session, "first words", "second words", "write a.txt: two");
  const { page } = await visit({ path: "/" });
  for (const name of ["Conversation only", "Rewind conversation and files"]) {
    const before = await messagesOf(world, session);
    await openTime(page, session, await saidAt(world, session, "second words"));
    await live(page);
    const sent: string[] = [];
    page.on("websocket", (w) =>
      w.on(
        "framesent",
        (f) =>
          void (
            /"type":"(rewind|undo_rewind|checkpoint_restore)"/.test(String(f.payload)) && sent.push(String(f.payload))
          ),
      ),
    );
    await page.reload();
    await openTime(page, session, await saidAt(world, session, "second words"));
    await page.getByRole("button", { name, exact: true }).dblclick();
    await page.getByText("Rewound.").waitFor();
    await page.getByRole("button", { name: "Undo the last rewind" }).dblclick();
    await page.getByText("Undone.").waitFor();
    expect(sent.length, sent.join("\n")).toBe(2);
    expect(await messagesOf(world, session)).toEqual(before);
  }
});

test("after an undo the line says so, and offers the way back", async ({ world, visit }) => {
  await world.model.script(writesFiles);
  const session = await world.session("Undone");
  await sayAll(world, session, "first words", "second words", "third words");
  for (const words of ["third words", "second words"]) {
    await world.rest.sessions.command(session, "rewind", { message_id: await saidAt(world, session, words) });
    await until(
      "rewound",
      async () => !(await world.rest.sessions.messages(session, { limit: 200 })).messages.some((m) => m.text === words),
    );
  }
  const { page } = await visit({ path: `/s/${session}` });
  await live(page);
  const line = page.locator("[data-returned]");
  await line.getByText("Rewound to here.").waitFor();
  await line.getByRole("button", { name: "Undo" }).dblclick(); // one of the two rewinds
  await line.getByText("The rewind was undone.").waitFor();
  await screenshots(page, "truth-undone");
  expect(await line.getByRole("button").allInnerTexts()).toEqual(["Redo"]);
  const said = async () =>
    (await world.rest.sessions.messages(session, { limit: 200 })).messages
      .filter((m) => m.role === "user")
      .map((m) => m.text);
  expect(await said()).toEqual(["first words", "second words"]);
  await until(
    "a second click is past",
    async () => !(await line.getByRole("button", { name: "Redo" }).getAttribute("aria-busy")),
  );
  await line.getByRole("button", { name: "Redo" }).click();
  await line.getByText("Rewound to here.").waitFor();
  expect(await said()).toEqual(["first words"]);
});
