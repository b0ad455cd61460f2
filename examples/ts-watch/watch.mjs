// Shows a session as it happens and sends what you type to it.
import { createInterface } from "node:readline";
import { ClewClient } from "@clew-run/client";

const client = new ClewClient({ baseUrl: process.env.URL ?? "http://127.0.0.1:8000", token: process.env.TOKEN });
const id = process.argv[2] ?? (await client.rest.sessions.create({ title: "ts-watch" })).session_id;
const s = client.session(id);

/** Says only what is new: how the connection stands, and each message once it is whole. */
let state = "";
const shown = new Set();
s.store.subscribe(() => {
  const { connection, messageIds, session } = s.store.getSnapshot();
  if (connection.state !== state) {
    state = connection.state;
    console.log(`-- ${state}${connection.lastError ? `: ${connection.lastError.message}` : ""}`);
  }
  for (const m of messageIds) {
    const message = s.store.message(m);
    if (shown.has(m) || message === undefined || message.partial || !message.text) continue;
    shown.add(m);
    console.log(`${message.role} ${message.ask ?? message.say}: ${message.text}`);
  }
  if (connection.state === "failed") process.exit(1);
  if (session?.status === "awaiting_input") for (const q of s.store.getSnapshot().questions) ask(q);
});

const asked = new Set();
function ask(q) {
  if (asked.has(q.request_id)) return;
  asked.add(q.request_id);
  console.log(`?? ${q.type}: ${"question" in q ? q.question : "reason" in q ? q.reason : q.message} (y, n, or words)`);
}

createInterface({ input: process.stdin })
  .on("line", (text) => {
    const q = s.store.getSnapshot().questions[0];
    const yes = { y: "approve", n: "reject" }[text];
    const sent =
      q?.type === "hitl_approval_request" && yes
        ? s.send("hitl_approval_response", { request_id: q.request_id, action: yes })
        : q?.type === "hitl_plan_review" && yes
          ? s.send("hitl_plan_response", { request_id: q.request_id, action: yes })
          : s.send("user_message", { text });
    sent.catch((e) => console.log(`!! ${e.code}: ${e.message}`));
  })
  .on("close", () => {
    s.disconnect();
    process.exit(0);
  });

console.log(`session ${id}`);
s.connect();
