import { expect, test } from "vitest";
import { Follower, type Difference } from "./follower.js";
import { Server } from "./server.js";

/** Waits until the demo has made its session. */
async function there(server: Server, id: string): Promise<void> {
  const { rest } = server.client();
  for (const end = Date.now() + 60_000; Date.now() < end;) {
    if (
      await rest.sessions.get(id).then(
        () => true,
        () => false,
      )
    )
      return;
    await new Promise((r) => setTimeout(r, 20));
  }
  throw new Error("the demo has no session");
}

function show(differences: readonly Difference[]): string {
  const lines = differences
    .slice(0, 6)
    .map(
      (d) =>
        `${d.at}: ${d.name}\n  replica ${JSON.stringify(d.replica)?.slice(-700)}\n  state   ${JSON.stringify(d.state)?.slice(-700)}`,
    );
  return `${differences.length} differences\n${lines.join("\n")}`;
}

// Covers: WS-130, WS-136, UIC-16
test.each([Infinity, 7])(
  "what is held agrees with session_state after every change of a story, a run and rewinds; the line breaks every %s changes",
  async (breakEvery) => {
    const server = await Server.start({ demo: true });
    try {
      await there(server, "demo");
      const f = new Follower(server, "demo", breakEvery);
      await f.until((r) => r.entities.task.some((t) => t.parent_task_id === undefined && t.status === "completed"));
      await server
        .client()
        .rest.sessions.command("demo", "user_message", { text: "What is in this workspace?", mode: "run" });
      await f.until((r) => r.entities.run.some((x) => x.ended !== undefined));
      const { ids } = f.replica.transcript.publish();
      await server.client().rest.sessions.command("demo", "rewind", { message_id: ids[Math.floor(ids.length / 2)]! });
      await f.until((r) => r.entities.status.last_move?.kind === "rewind");
      await server.client().rest.sessions.command("demo", "undo_rewind");
      await f.until((r) => r.entities.status.last_move?.kind === "undo");
      await server.client().rest.sessions.command("demo", "redo_rewind");
      await f.until((r) => r.entities.status.last_move?.kind === "redo");
      await server.client().rest.sessions.command("demo", "rename_session", { title: "The end" });
      await f.until((r) => r.entities.session.title === "The end");
      f.end();
      console.log(`compared ${f.compared} states after ${f.changes} changes and ${f.resumed} broken lines`);
      expect(f.differences, show(f.differences)).toEqual([]);
      expect(f.compared).toBeGreaterThan(40);
      expect(f.resumed > 3).toBe(breakEvery < Infinity);
    } finally {
      await server.end();
    }
  },
);
