import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { World } from "../harness";

/** A session of so many messages, as a log of another program that is taken in; once in a world. */
export async function longSession(world: World, messages: number): Promise<string> {
  const id = `long-${messages}`;
  if (
    await world.rest.sessions.get(id).then(
      () => true,
      () => false,
    )
  )
    return id;
  const dir = join(world.dir, "logs", "session_logs", id);
  await mkdir(dir, { recursive: true });
  const begin = Date.now() - messages * 1000;
  const lines = Array.from({ length: messages }, (_, i) =>
    JSON.stringify({
      type: i % 2 === 0 ? "user" : "assistant",
      content: i % 2 === 0 ? `Question ${i}: what about part ${i % 97}?` : answer(i),
      agentId: "main-monitor-0",
      source: "main",
      timestamp: begin + i * 1000,
    }),
  );
  await writeFile(
    join(dir, "session.json"),
    JSON.stringify({ sessionId: id, title: `${messages} messages`, createdAt: begin }),
  );
  await writeFile(join(dir, "messages.jsonl"), lines.join("\n") + "\n");
  await world.command("import", join(world.dir, "logs"), "--format", "session-log");
  return id;
}

/** Answers of several kinds, as agents give them. */
function answer(i: number): string {
  switch (i % 10) {
    case 1:
      return `Part ${i} is **done**.\n\n- first, it was read\n- then it was \`changed\`\n- and [written](https://example.org/${i})`;
    case 3:
      return `\`\`\`go\nfunc part${i}(n int) int {\n\tif n < 2 {\n\t\treturn n\n\t}\n\treturn part${i}(n-1) + part${i}(n-2)\n}\n\`\`\`\n\nThis is how it goes.`;
    case 5:
      return `| Part | State |\n|---|---|\n| ${i} | good |\n| ${i + 1} | better |`;
    case 7:
      return Array.from({ length: 60 }, (_, w) => `word${(i * 7 + w) % 500}`).join(" ");
    default:
      return `세션 ${i}번의 답입니다. 잘 되었습니다.`;
  }
}
