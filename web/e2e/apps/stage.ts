import type { Page } from "playwright-core";
import { until, type World } from "../harness";
import { opens, windowOf } from "../desktop/stage";

export { windowOf };

/** What the model does with the app "counter.html". */
const usesCounter = [
  { when: { last_user: 'action="save"' }, times: 0, reply: [{ text: "I stored what is on the shelf." }] },
  { when: { last_user: 'action="order"' }, times: 0, reply: [{ text: "Two boxes, then." }] },
  { when: { tool_result: "app_query" }, times: 0, reply: [{ text: 'The app says {{tool_result "app_query"}}' }] },
  { when: { tool_result: "app_command" }, times: 0, reply: [{ text: 'Now it is {{tool_result "app_command"}}' }] },
  { when: { tool_result: "window" }, times: 0, reply: [{ text: "It is open." }] },
  {
    when: { last_user: "how many" },
    times: 0,
    reply: [{ tool: { name: "app_query", id: "q", input: { window_id: "counter", name: "total" } } }],
  },
  {
    when: { last_user: "add two" },
    times: 0,
    reply: [
      { tool: { name: "app_command", id: "a", input: { window_id: "counter", name: "add", params: { by: 2 } } } },
    ],
  },
  {
    when: { last_user: "change it" },
    times: 0,
    reply: [
      {
        tool: {
          name: "window",
          id: "u",
          input: { action: "update", window_id: "counter", kind: "app", path: "counter.html" },
        },
      },
    ],
  },
  {
    when: { turn: 1 },
    times: 0,
    reply: [opens({ id: "counter", title: "Stock counter", input: { kind: "app", path: "counter.html" } })],
  },
];

/** A session whose agent has opened an app from a file of the workspace. */
export async function withApp(world: World, name: string, html: string): Promise<string> {
  await world.model.script(usesCounter);
  const session = await world.session(name, { "counter.html": html });
  await world.say(session, "show me the counter");
  await world.settled(session);
  return session;
}

/** What is inside of the frame of a window. */
export const inside = (page: Page, id: string) => page.frameLocator(`[data-window="${id}"] iframe`);

/** The commands that a page sends from now on. */
export function sentBy(page: Page): { type: string; data: Record<string, unknown> }[] {
  const sent: { type: string; data: Record<string, unknown> }[] = [];
  page.on("websocket", (w) => w.on("framesent", (f) => sent.push(JSON.parse(String(f.payload)))));
  return sent;
}

/** Holds back what a page sends of one type, in connections from now on, until all is let go. */
export async function holdBack(page: Page, type: string): Promise<{ waiting: () => number; letGo: () => void }> {
  let held: (() => void)[] | null = [];
  await page.routeWebSocket(/./, (ws) => {
    const server = ws.connectToServer();
    ws.onMessage((m) => {
      if (held && JSON.parse(String(m)).type === type) held.push(() => server.send(m));
      else server.send(m);
    });
  });
  return {
    waiting: () => held?.length ?? 0,
    letGo: () => {
      held?.forEach((send) => send());
      held = null;
    },
  };
}

export const appIs = (page: Page, id: string, state: string) =>
  until(
    `the app is ${state}`,
    async () => (await windowOf(page, id).locator("[data-app]").getAttribute("data-app")) === state,
  );
