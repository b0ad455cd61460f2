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

export const sales = markdown(
  "sales",
  "Sales by month",
  "# Sales\n\n| Month | Sold |\n|---|---:|\n| January | 120 |\n| March | 143 |\n\nMarch was the **best** month so far.",
);
export const notes = markdown("notes", "Notes", "Please remember the ribbon.");

/** The call that opens a window. */
export function opens(w: Shown): object {
  return {
    tool: {
      name: "window",
      id: `c_${w.id}`,
      input: { action: "open", window_id: w.id, title: literal(w.title), ...w.input },
    },
  };
}

/** A session whose agent has opened these windows. What else the model says comes before. */
export async function showing(
  world: World,
  name: string,
  windows: readonly Shown[],
  more: object[] = [],
): Promise<string> {
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

const items: [string, number, number, number][] = [
  ["Ribbon, red", 18, 61, 0.3],
  ["Gift box, small", 42, 88, 0.5],
  ["Wrapping paper", 65, 70, 0.9],
  ["Candle, amber", 51, 44, 1.2],
  ["Card set, winter", 120, 76, 1.6],
  ["Tea tin, round", 84, 40, 2.1],
  ["Mug, grey", 133, 52, 2.6],
  ["Notebook, lined", 96, 31, 3.1],
];

/** A table in the window itself. */
export const stock: Shown = {
  id: "stock",
  title: "Low stock",
  input: {
    kind: "table",
    columns: [
      { name: "item", title: "Item" },
      { name: "stock", title: "In stock", numeric: true },
      { name: "sales", title: "Weekly sales", numeric: true },
      { name: "left", title: "Weeks left", numeric: true },
    ],
    rows: items,
  },
};

const field = (name: string, label: string, value: number) => ({
  type: "row",
  children: [
    { type: "text", text: label },
    { type: "input", name, placeholder: `Order: ${label}`, input_type: "number", value },
  ],
});

/** A form. */
export const order: Shown = {
  id: "order",
  title: "Restock order",
  input: {
    kind: "components",
    root: {
      type: "stack",
      children: [
        {
          type: "row",
          children: [
            {
              type: "select",
              name: "supplier",
              label: "Supplier",
              value: "nordlicht",
              options: [
                { value: "nordlicht", label: "Nordlicht Paper" },
                { value: "baltic", label: "Baltic Boxes" },
              ],
            },
            { type: "input", name: "by", label: "Needed by", input_type: "date", value: "2026-12-04" },
          ],
        },
        field("box", "Gift box, small", 180),
        field("ribbon", "Ribbon, red", 240),
        { type: "checkbox", name: "split", label: "Split into two deliveries", value: true },
        {
          type: "row",
          children: [
            { type: "button", label: "Place order", action: "place", submit: true },
            { type: "button", label: "Save draft", action: "draft" },
            { type: "text", text: "Total $486.00", tone: "neutral" },
          ],
        },
        { type: "progress", label: "Shelves checked", value: 3, max: 4 },
      ],
    },
  },
};

export const week = markdown(
  "week",
  "What changed this week",
  "## Week 46 in short\n\nDemand is **14% above** last year, led by gift boxes. Three items run out before the next delivery.\n\n- Ribbon and small boxes sell together\n- Candles recover after the price change\n- Tea is stable; no action needed\n\nNext, I’ll compare two suppliers for ribbon and add their prices here.",
);

const planner = `<style>html{font:13px/20px Inter,system-ui,sans-serif;color:#1c1b18}b{font-weight:600}</style><div style="display:flex;justify-content:space-between;padding:4px 6px"><b>Stock if we order</b><b>180 boxes</b></div><svg viewBox="0 0 500 220" width="100%"><polygon points="8,196 8,143 71,175 84,57 146,89 209,123 260,146 273,26 335,53 398,82 461,115 499,135 499,196" fill="#e4f2ef"/><polyline points="8,143 71,175 84,57 146,89 209,123 260,146 273,26 335,53 398,82 461,115 499,135" fill="none" stroke="#0f6e66" stroke-width="2"/><line x1="0" x2="500" y1="168" y2="168" stroke="#b0251d" stroke-dasharray="3 4"/><text x="498" y="162" text-anchor="end" font-size="11" fill="#b0251d">Safety stock</text></svg>`;
export const page: Shown = { id: "planner", title: "Stock planner", input: { kind: "html", content: planner } };
