// Shows a form in a window of a session, and prints what people enter there.
import { ClewClient } from "@clew-run/client";

const client = new ClewClient({ baseUrl: process.env.URL ?? "http://127.0.0.1:8000", token: process.env.TOKEN });
const id = process.argv[2] ?? (await client.rest.sessions.create({ title: "Lunch" })).session_id;
const s = client.session(id);

const form = {
  action: "open",
  window_id: "lunch",
  title: "Lunch",
  root: {
    type: "stack",
    children: [
      { type: "input", name: "name", label: "Your name" },
      {
        type: "select",
        name: "dish",
        label: "Dish",
        value: "soup",
        options: [
          { value: "soup", label: "Soup" },
          { value: "pasta", label: "Pasta" },
        ],
      },
      { type: "button", label: "Order", action: "order", submit: true },
    ],
  },
};

/** Programs do not open windows themselves, agents do: this asks the session's agent. */
const show = () =>
  s.ask(
    `Open this window with the tool window, exactly as it stands here, and say that it is open:\n\n${JSON.stringify(form)}\n\n` +
      "When somebody presses the button, thank them by name in the window and keep the form.",
  );

/** A press is a message of the transcript, with the values of the form. Each is told once. */
const told = new Set();
function collect() {
  for (const m of s.store.getSnapshot().messageIds) {
    const message = s.store.message(m);
    if (told.has(m) || message?.window_id !== form.window_id || message.component?.action !== "order") continue;
    told.add(m);
    const { name, dish } = message.component.form_data ?? {};
    console.log(`${name} wants ${dish}`);
  }
}

const isOpen = () => s.store.getSnapshot().windows.some((w) => w.window_id === form.window_id);

console.log(`session ${id}`);
s.store.subscribe(collect);
s.connect();
await new Promise((synced, failed) => {
  s.store.subscribe(() => {
    const now = s.store.getSnapshot();
    if (now.connection.state === "failed") failed(now.connection.lastError);
    if (now.synced) synced();
  });
});
if (!isOpen()) for await (const _ of show()); // until the agent is done
if (!isOpen()) {
  console.error("the agent did not open the window");
  process.exit(1);
}
console.log("the form is open");
process.once("SIGINT", () => {
  s.disconnect();
  process.exit(0);
});
