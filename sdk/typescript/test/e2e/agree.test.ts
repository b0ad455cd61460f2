import { expect, test } from "vitest";
import type { AnyEnvelope } from "../../src/position.js";
import type { Question, SessionState } from "../../src/types.gen.js";
import { Follower, type Difference } from "./follower.js";
import { Server } from "./server.js";

/** Waits until the demo has made its session. */
async function there(server: Server, id: string): Promise<void> {
  const { rest } = server.client();
  for (const end = Date.now() + 60_000; Date.now() < end; ) {
    if (await rest.sessions.get(id).then(() => true, () => false)) return;
    await new Promise((r) => setTimeout(r, 20));
  }
  throw new Error("the demo has no session");
}

/** Answers every question of a session with a yes. */
function answer(f: Follower, env: AnyEnvelope): void {
  if (env.type === "session_state") {
    const { hitl_pending: open } = env.data as SessionState;
    if (open && !f.kinds.has(open.type)) answer(f, { type: open.type, data: open }); // it was asked before we came
    return;
  }
  const d = env.data as Question;
  switch (env.type) {
    case "hitl_approval_request":
      f.send("hitl_approval_response", { request_id: d.request_id, action: "approve" });
      break;
    case "hitl_plan_review":
      f.send("hitl_plan_response", { request_id: d.request_id, action: "approve" });
      break;
    case "hitl_input_request": {
      const { options } = d as Extract<Question, { type: "hitl_input_request" }>;
      f.send("hitl_input_response", { request_id: d.request_id, value: options?.[0]?.value ?? "yes" });
      break;
    }
  }
}

function show(differences: readonly Difference[]): string {
  const first = [...new Map(differences.map((d) => [`${d.name} ${JSON.stringify(d.fold)}`, d])).values()];
  const lines = first.slice(0, 6).map((d) => `${d.at} after ${d.after}: ${d.name}\n  fold  ${JSON.stringify(d.fold)?.slice(-700)}\n  state ${JSON.stringify(d.state)?.slice(-700)}`);
  return `${differences.length} differences\n${lines.join("\n")}`;
}

function heard(f: Follower, what: (env: AnyEnvelope) => boolean, withinMs = 60_000): Promise<void> {
  return new Promise((done, fail) => {
    const timer = setTimeout(() => fail(new Error(`not heard in time; last ${f.recent.join(", ")}\n${show(f.differences)}`)), withinMs);
    f.onEvent((env) => {
      answer(f, env);
      if (what(env)) {
        clearTimeout(timer);
        done();
      }
    });
  });
}

// Covers: WS-130, WS-136, UIC-16
test.each(["start", undefined] as const)("the fold agrees with session_state after every record of a story, a run and rewinds (resume_from=%s)", async (from) => {
  const server = await Server.start({ demo: true });
  try {
    await there(server, "demo");
    const f = new Follower(server, "demo", from);
    await heard(f, (env) => env.type === "task_completed" && (env.data as { parent_task_id?: string }).parent_task_id === undefined);
    f.send("user_message", { text: "What is in this workspace?", mode: "run" });
    await heard(f, (env) => env.type === "complete");
    f.send("rename_session", { title: "Another" });
    await heard(f, (env) => env.type === "session_renamed");
    const ids = f.fold.transcript.publish().ids;
    f.send("rewind", { message_id: ids[Math.floor(ids.length / 2)] });
    await heard(f, (env) => env.type === "history_rewound");
    f.send("undo_rewind");
    await heard(f, (env) => env.type === "rewind_undone");
    f.send("redo_rewind");
    await heard(f, (env) => env.type === "history_rewound");
    f.send("rename_session", { title: "The end" });
    await heard(f, (env) => env.type === "session_renamed");
    f.end();
    console.log(`compared ${f.compared} states, ${f.unsure} with a guessed status, ${f.kinds.size} kinds of records`);
    expect(f.differences, show(f.differences)).toEqual([]);
    expect(f.compared).toBeGreaterThan(40);
  } finally {
    await server.end();
  }
});
