import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Download, Page } from "playwright-core";
import type { World } from "../harness";
import { until } from "../harness";

/** The agent writes the file that it is told ("write a.txt: …"), or runs a command ("run: …"). */
export const writesFiles = [
  { when: { tool_result: "write_file" }, times: 0, reply: [{ text: "Written." }] },
  { when: { tool_result: "execute_command" }, times: 0, reply: [{ text: "It ran." }] },
  {
    when: { last_user: { regexp: "(?s)write (\\S+): (.*)" } },
    times: 0,
    reply: [{ tool: { name: "write_file", id: "c_write", input: { path: "{{match 1}}", content: "{{match 2}}" } } }],
  },
  {
    when: { last_user: { regexp: "run: (.*)" } },
    times: 0,
    reply: [{ tool: { name: "execute_command", id: "c_run", input: { command: "{{match 1}}" } } }],
  },
  {
    when: { last_user: "work for long" },
    times: 0,
    reply: [{ text: "I begin." }, { delay: "1h" }, { text: "The end." }],
  },
  { times: 0, reply: [{ text: "Yes." }] },
];

/** Names, modes and bytes of all files, as one hash. */
export async function hashOf(dir: string): Promise<string> {
  const hash = createHash("sha256");
  const walk = async (at: string): Promise<void> => {
    for (const name of (await readdir(join(dir, at))).sort()) {
      const path = join(at, name);
      const s = await stat(join(dir, path));
      hash.update(`${path}\0${s.mode}\0`);
      if (s.isDirectory()) await walk(path);
      else hash.update(await readFile(join(dir, path)));
    }
  };
  await walk("");
  return hash.digest("hex");
}

export async function messagesOf(world: World, session: string): Promise<string[]> {
  return (await world.rest.sessions.messages(session, { limit: 200 })).messages.map((m) => m.message_id);
}

/** The message in which somebody said this. */
export async function saidAt(world: World, session: string, words: string): Promise<string> {
  return until(
    `"${words}"`,
    async () =>
      (await world.rest.sessions.messages(session, { limit: 200 })).messages.find(
        (m) => m.role === "user" && m.text === words,
      )?.message_id,
  );
}

/** Says each in turn, and waits for the agent. */
export async function sayAll(world: World, session: string, ...words: string[]): Promise<void> {
  for (const w of words) {
    await world.say(session, w);
    await saidAt(world, session, w);
    await world.settled(session);
  }
}

/** Opens the past of a session at a message, and waits for the preview of going back to before it. */
export async function openTime(page: Page, session: string, message: string): Promise<void> {
  await page.goto(`/s/${session}/time?at=${message}`);
  await page.locator(`[data-preview="${message}"]`).waitFor();
  await page.getByRole("radio", { name: /^(Remove this message too|이 메시지도 제거)$/ }).check({ force: true });
  await page.locator(`[data-preview="${message}"][data-keeps=false]`).waitFor();
}

/** What a page gave to be saved. */
export async function contentOf(download: Download): Promise<Buffer> {
  const dir = await mkdtemp(join(tmpdir(), "clew-web-saved-"));
  try {
    await download.saveAs(join(dir, "file"));
    return await readFile(join(dir, "file"));
  } finally {
    await rm(dir, { recursive: true });
  }
}
