import { chmod, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { barriers, expect, live, screenshots, test, until } from "../harness";
import { sayAll, writesFiles } from "../pages/files";

// Requirement 17: line comments are collected and sent as one message with
// path, side, line and text.

const asked = (m: { role?: string; text?: string }) => m.role === "user" && !!m.text?.startsWith("Review comments:");

test("n comments, one request, whatever happens before it is sent", async ({ world, visit }) => {
  await world.model.script(writesFiles);
  const session = await world.session("Review", { "a.txt": "one\ntwo\nthree\n", "b.txt": "b\n" });
  await sayAll(world, session, "write a.txt: one\nTWO\nthree\n", "write b.txt: bee\n");
  const v = await visit({ path: `/s/${session}` });
  const { page } = v;
  await live(page);
  await page.getByRole("tab", { name: "Changes" }).click();
  const lines = page.getByRole("region", { name: "Changes, line by line" });
  await lines.getByText("TWO", { exact: true }).waitFor();

  // By keyboard: into the lines, down, Enter, write, Ctrl+Enter, and back on the line.
  await lines.focus();
  for (let i = 0; i < 4; i++) await page.keyboard.press("Tab"); // the first file's fold, Viewed, its menu
  expect(await page.evaluate(() => document.activeElement?.getAttribute("data-line"))).toBe("1");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.keyboard.type("Why in capitals?");
  await page.keyboard.press("Control+Enter");
  await until("back on the line", () => page.evaluate(() => document.activeElement?.getAttribute("data-line") === "2"));
  await lines.getByText("Why in capitals?").waitFor();
  // By pointer: on what went, and in another file.
  await lines.locator("[data-line='2'][data-side=before]").click();
  await page.getByRole("textbox", { name: "Comment: a.txt:2" }).fill("Keep this one.");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await lines.locator("[data-line='1'][data-side=after]").last().click();
  await page.getByRole("textbox", { name: "Comment: b.txt:1" }).fill("Buzz?");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await screenshots(page, "17-review");
  expect(await barriers(page)).toEqual([]);

  // The agent goes on, somebody looks elsewhere and reloads: nothing is lost.
  await sayAll(world, session, "write a.txt: zero\none\nTWO\nthree\n");
  await lines.getByText("zero").waitFor();
  await page.getByRole("tab", { name: "Terminal" }).click();
  await page.getByRole("tab", { name: "Changes" }).click();
  await page.getByText("3 comments not sent").waitFor();
  await page.reload();
  await page.getByText("3 comments not sent").waitFor();

  // While the line is down they wait, and go out once.
  world.line.cut();
  await page.getByRole("button", { name: "Send to the agent" }).click();
  await until(
    "not sent yet",
    async () => (await page.getByRole("button", { name: "Send to the agent" }).getAttribute("aria-busy")) === "true",
  );
  world.line.mend();
  await page.getByRole("button", { name: "Send to the agent" }).waitFor({ state: "detached" });
  await world.settled(session);

  const reviews = (await world.rest.sessions.messages(session, { limit: 200 })).messages.filter(asked);
  expect(reviews).toHaveLength(1);
  const text = reviews[0]!.text!;
  for (const part of [
    "**a.txt:3** (after)",
    "TWO",
    "Why in capitals?",
    "**a.txt:2** (before)",
    "two",
    "Keep this one.",
    "**b.txt:1** (after)",
    "bee",
    "Buzz?",
  ])
    expect(text).toContain(part);
});

test("every kind of difference is shown, and the changes follow the files", async ({ world, visit }) => {
  await world.model.script(writesFiles);
  const session = await world.session("Kinds", {
    "crlf.txt": "one\r\ntwo\r\n",
    "mixed.txt": "one\ntwo\n",
    "mode.sh": "#!/bin/sh\n",
    "old.txt": "a name\nof its own\nwith lines\nenough\n",
    "tabs.go": "func x() {\n\treturn\n}\n",
    "gone.txt": "gone\n",
    "long.js": `${"a".repeat(9_000)}\n`,
    "noend.txt": "end",
    "bin.dat": "\u0000\u0001\u0002",
  });
  const dir = world.workspace(session);
  await sayAll(world, session, "hello"); // the first checkpoint
  const { page } = await visit({ path: `/s/${session}` });
  await live(page);
  await page.getByRole("tab", { name: "Changes" }).click();
  await page.getByText("No difference").waitFor();
  await writeFile(join(dir, "crlf.txt"), "one\r\n2\r\n");
  await writeFile(join(dir, "mixed.txt"), "one\r\ntwo\n");
  await chmod(join(dir, "mode.sh"), 0o755);
  await rename(join(dir, "old.txt"), join(dir, "new.txt"));
  await writeFile(join(dir, "tabs.go"), "func x() {\n\tif y {\n\t\treturn\n\t}\n}\n");
  await rm(join(dir, "gone.txt"));
  await writeFile(join(dir, "long.js"), `${"a".repeat(8_000)}b${"a".repeat(999)}\n`);
  await writeFile(join(dir, "noend.txt"), "end\n");
  await writeFile(join(dir, "bin.dat"), Buffer.from([0, 9, 9]));
  await world.say(session, "and now?"); // a checkpoint of what was done by hand
  const lines = page.getByRole("region", { name: "Changes, line by line" });
  await page.getByText("9 files").waitFor();
  await lines.getByText("Not a text file. Its content differs.").waitFor();
  await screenshots(page, "17-kinds");
  expect(await barriers(page)).toEqual([]);
  // Only what is in view is there, so it is read on the way down.
  const read = await lines.evaluate(async (box) => {
    const seen = new Map<string, string>();
    for (box.scrollTop = 0; ; box.scrollTop += 200) {
      await new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)));
      for (const row of box.querySelectorAll<HTMLElement>("[data-index]"))
        seen.set(row.dataset.index!, row.textContent ?? "");
      if (box.scrollTop + box.clientHeight >= box.scrollHeight - 1)
        return [...seen]
          .sort((a, b) => Number(a[0]) - Number(b[0]))
          .map(([, text]) => text)
          .join("\n");
    }
  });
  for (const part of [
    "Only the permissions change, to ",
    "old.txt → new.txt",
    "Only the name changes.",
    "deleted",
    "no line end",
    "more characters",
    "\t\treturn",
  ])
    expect(read).toContain(part);
  // CR LF is told where only some lines have it, and not where all do.
  expect(read.match(/␍/g)).toHaveLength(1);
});
