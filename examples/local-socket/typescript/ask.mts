// Gives a task to the clew server on this machine and prints the answer.
//
//   node --experimental-strip-types ask.mts "What is a clew?"

import { randomUUID } from "node:crypto";
import { connect } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A frame of the server. The types of all events are in @clew-run/client. */
type Frame =
  | { type: "ack"; data: { client_id: string; pid: number; ppid: number; url?: string } }
  | { type: "task_event"; relay_client_id?: string; data: TaskEvent };

interface TaskEvent {
  type: string;
  session_id?: string;
  data?: {
    client_message_id?: string;
    parent_task_id?: string;
    delta?: string;
    message?: string;
    question?: string;
    reason?: string;
    request_id?: string;
    result_summary?: string;
  };
}

const data = process.env.CLEW_DATA || join(homedir(), ".local", "share", "clew");
const path = process.env.CLEW_SOCKET || join(data, "clew.sock");
const socket = connect(path);
const keyboard = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
let clientId = "";
let start = "";
let session: string | undefined;

/** Sends a command and gives the id that its answer will have. */
function send(name: string, commandData: object): string {
  const ownId = randomUUID();
  const frame = {
    type: "task_command",
    origin: "client",
    client_id: clientId,
    data: { command_name: name, client_message_id: ownId, data: commandData },
  };
  socket.write(JSON.stringify(frame) + "\n");
  return ownId;
}

/** What a model wrote, without what would steer the terminal. */
function plain(text = ""): string {
  return text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, "");
}

function end(code: number, text: string): never {
  (code === 0 ? process.stdout : process.stderr).write(text + "\n");
  process.exit(code);
}

async function onEvent(event: TaskEvent, relayed: boolean): Promise<void> {
  const d = event.data ?? {};
  if (event.type === "message_accepted" && d.client_message_id === start) session = event.session_id;
  if (session !== undefined && event.session_id && event.session_id !== session) return; // not ours
  if (event.type.startsWith("task_") && d.parent_task_id !== undefined) return; // a part of the task, which goes on
  switch (event.type) {
    case "error":
      if (relayed) end(1, `ask: ${plain(d.message)}`);
      break;
    case "agent_response":
      process.stdout.write(plain(d.delta));
      break;
    case "hitl_input_request":
    case "hitl_clarification": {
      process.stdout.write(`\n${plain(d.question)}\n> `);
      const line = await keyboard.next();
      if (line.done) end(1, "ask: nobody answers");
      send("send_message", { text: line.value });
      break;
    }
    case "hitl_approval_request":
    case "hitl_plan_review": // words would be a no
      process.stdout.write(`\nIt asks for approval: clew answer ${d.request_id}\n`);
      break;
    case "task_completed":
      end(0, `\n${plain(d.result_summary)}`);
      break;
    case "task_idle":
      if (d.request_id === undefined) end(0, "");
      break;
    case "task_aborted":
      end(1, `ask: the task was stopped: ${plain(d.reason)}`);
  }
}

socket.on("error", (err: NodeJS.ErrnoException) =>
  end(1, `ask: no server at ${path} (${err.code ?? err.message}); clew serve starts one`),
);
for await (const line of createInterface({ input: socket })) {
  const frame = JSON.parse(line) as Frame;
  if (frame.type === "ack") {
    clientId = frame.data.client_id;
    send("follow", { scope: "own" });
    start = send("start_new_task", { text: process.argv.slice(2).join(" ") });
  } else if (frame.type === "task_event") {
    await onEvent(frame.data, frame.relay_client_id !== undefined);
  }
}
end(1, "ask: the server is gone");
