import type { Page } from "playwright-core";
import { literal, type World } from "../harness";

/** What a call of the tool `window` opens. */
export interface Shown {
  id: string;
  title: string;
  /** Its other fields, as the tool takes them. */
  input: Record<string, unknown>;
}

export function markdown(id: string, title: string, content: string): Shown {
  return { id, title, input: { kind: "markdown", content: literal(content) } };
}

export const sales = markdown("sales", "Sales by month", "# Sales\n\n| Month | Sold |\n|---|---:|\n| January | 120 |\n| March | 143 |\n\nMarch was the **best** month so far.");
export const notes = markdown("notes", "Notes", "Please remember the ribbon.");

/** The call that opens a window. */
export function opens(w: Shown): object {
  return { tool: { name: "window", id: `c_${w.id}`, input: { action: "open", window_id: w.id, title: literal(w.title), ...w.input } } };
}

/** A session whose agent has opened these windows. What else the model says comes before. */
export async function showing(world: World, name: string, windows: readonly Shown[], more: object[] = []): Promise<string> {
  await world.model.script([
    { when: { tool_result: "window" }, times: 0, reply: [{ text: "There you see it." }] },
    ...more,
    { when: { turn: 1 }, times: 0, reply: windows.length > 0 ? windows.map(opens) : [{ text: "There you see it." }] },
  ]);
  const session = await world.session(name);
  await world.say(session, "show me");
  await world.settled(session);
  return session;
}

export const windowOf = (page: Page, id: string) => page.locator(`[data-window="${id}"]`);
