import { migration, models, orders, tests } from "./shop";

const spent = (input: number, output: number) => ({ usage: { input, output, cache_read: 18_000, cache_write: 0 } });
const tool = (name: string, id: string, input: object) => ({ tool: { name, id, input } });
const ends = (id: string, result: string) => [tool("attempt_completion", id, { result }), spent(2_100, 260)];
const step = (id: string, turn: number) => ({ has_tool: "report_failure", last_user: { regexp: `Step ${id}:` }, turn });
const says = (when: string, ...reply: object[]) => ({ when: { last_user: when }, times: 0, reply });

export const asked = {
  orders:
    "Some customers are charged twice when checkout is retried. Find the cause, fix it and add a test that proves it.",
  returns: "Rewrite the returns page so that a customer finds the address and the deadline at once.",
  labels: "Print shipping labels as PDF, one for each parcel.",
  python: "Upgrade the project to Python 3.14.",
  forecast: "Forecast the demand of the next twelve weeks.",
  search: "The product search is slow. Find out why and make it faster.",
  refunds: "Could the refund call use the same request key as the charge?",
  emails: "Translate the order emails to Korean.",
  suppliers: "Clean up the list of suppliers.",
  restock: "Which items run out before the holidays? Show me.",
};

const fixPlan = {
  message:
    "The order is created before the payment reply is saved, so a retry creates a second one. I’ll make checkout idempotent and cover it with a test.",
  todos: [
    { id: "cause", task: "Find the cause", tool: "agent", priority: 9, estimated_duration_sec: 30 },
    {
      id: "key",
      task: "Store a request key with each order",
      tool: "agent",
      priority: 8,
      depends_on: ["cause"],
      estimated_duration_sec: 70,
    },
    {
      id: "saved",
      task: "Return the saved order on retry",
      tool: "agent",
      priority: 7,
      depends_on: ["cause"],
      estimated_duration_sec: 60,
    },
    {
      id: "test",
      task: "Add a retry test",
      tool: "agent",
      priority: 5,
      depends_on: ["key", "saved"],
      estimated_duration_sec: 120,
    },
    {
      id: "notes",
      task: "Update the API notes",
      tool: "agent",
      priority: 1,
      depends_on: ["test"],
      estimated_duration_sec: 30,
    },
  ],
};

const returnsPlan = {
  message: "Four steps; nothing is changed before you approve.",
  todos: [
    {
      id: "read",
      task: "Read the page and its styles",
      tool: "agent",
      priority: 9,
      estimated_duration_sec: 20,
      estimated_cost_usd: 0.05,
    },
    {
      id: "write",
      task: "Put address and deadline first",
      tool: "agent",
      priority: 7,
      depends_on: ["read"],
      estimated_duration_sec: 80,
      estimated_cost_usd: 0.15,
    },
    {
      id: "mail",
      task: "Use the same text in the email",
      tool: "agent",
      priority: 5,
      depends_on: ["read"],
      estimated_duration_sec: 40,
      estimated_cost_usd: 0.1,
    },
    {
      id: "check",
      task: "Check it on a phone",
      tool: "agent",
      priority: 1,
      depends_on: ["write", "mail"],
      estimated_duration_sec: 40,
      estimated_cost_usd: 0.1,
    },
  ],
};

const lowStock = {
  columns: [
    { name: "item", title: "Item" },
    { name: "stock", title: "In stock", numeric: true },
    { name: "sales", title: "Weekly sales", numeric: true },
    { name: "left", title: "Weeks left", numeric: true },
  ],
  rows: [
    ["Ribbon, red", 18, 61, 0.3],
    ["Gift box, small", 42, 88, 0.5],
    ["Wrapping paper", 65, 70, 0.9],
    ["Candle, amber", 51, 44, 1.2],
    ["Card set, winter", 120, 76, 1.6],
    ["Tea tin, round", 84, 40, 2.1],
    ["Mug, grey", 133, 52, 2.6],
    ["Notebook, lined", 96, 31, 3.1],
  ],
};
const amount = (name: string, label: string, value: number) => ({
  type: "row",
  children: [
    { type: "text", text: label },
    { type: "input", name, placeholder: label, input_type: "number", value },
  ],
});
const order = {
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
    amount("box", "Gift box, small", 180),
    amount("ribbon", "Ribbon, red", 240),
    amount("paper", "Wrapping paper", 120),
    { type: "checkbox", name: "split", label: "Split into two deliveries", value: true },
    {
      type: "row",
      children: [
        { type: "button", label: "Place order", action: "place", submit: true },
        { type: "button", label: "Save draft", action: "draft" },
        { type: "text", text: "Total $486.00", tone: "neutral" },
      ],
    },
  ],
};
const week =
  "# Week 46 in short\n\nDemand is **14% above** last year, led by gift boxes. Three items run out before the next delivery.\n\n- Ribbon and small boxes sell together\n- Candles recover after the price change\n- Tea is stable; no action needed";

/** What the model does in all sessions of the tour. Each answer depends on the history alone. */
export const script = [
  {
    when: { has_tool: "report_understanding" },
    times: 0,
    reply: [
      tool("report_understanding", "c_know", { domain: "shop", category: "repair", confidence: 1, entities: [] }),
    ],
  },
  {
    when: { has_tool: "propose_plan", last_user: "charged twice" },
    times: 0,
    reply: [tool("propose_plan", "c_plan", fixPlan), spent(6_400, 700)],
  },
  {
    when: { has_tool: "propose_plan" },
    times: 0,
    reply: [tool("propose_plan", "c_plan", returnsPlan), spent(4_100, 500)],
  },

  {
    when: step("cause", 1),
    times: 0,
    reply: [
      tool("read_file", "f1", { path: "checkout/orders.py" }),
      tool("read_file", "f2", { path: "checkout/models.py" }),
      tool("search_files", "f3", { pattern: "create_order", path: "." }),
      spent(5_200, 300),
    ],
  },
  { when: step("cause", 2), times: 0, reply: ends("f4", "The order is saved before the payment reply.") },
  {
    when: step("key", 1),
    times: 0,
    reply: [
      {
        text: "Each order stores the request key that created it. The column is unique, so the database itself refuses a second order with the same request key.",
      },
      tool("write_file", "k1", { path: "checkout/models.py", content: models.after }),
      spent(6_100, 900),
    ],
  },
  {
    when: step("key", 2),
    times: 0,
    reply: [
      tool("write_file", "k2", { path: "migrations/0031_request_key.py", content: migration }),
      spent(3_100, 700),
    ],
  },
  { when: step("key", 3), times: 0, reply: ends("k3", "A repeated request now returns the first order.") },
  // It goes on after the step beside it, so that the order of the records is the same each time.
  {
    when: step("saved", 1),
    times: 0,
    reply: [
      { wait: "key is done" },
      tool("write_file", "s1", { path: "checkout/orders.py", content: orders.after }),
      spent(7_900, 1_100),
    ],
  },
  { when: step("saved", 2), times: 0, reply: ends("s2", "Checkout looks up the request key before it charges.") },
  {
    when: step("test", 1),
    times: 0,
    reply: [tool("write_file", "t1", { path: "tests/test_checkout.py", content: tests.after }), spent(6_600, 800)],
  },
  {
    when: step("test", 2),
    times: 0,
    reply: [tool("execute_command", "t2", { command: "bin/pytest tests/test_checkout.py" }), spent(2_800, 120)],
  },
  {
    when: step("test", 3),
    times: 0,
    reply: [
      { text: "The test is right: its database lacks the new column. The migration has to run first." },
      tool("execute_command", "t3", { command: "alembic upgrade head" }),
      spent(3_400, 240),
    ],
  },

  {
    when: { last_user: "shipping labels", turn: 1 },
    times: 0,
    reply: [
      { text: "The printer takes two sizes of paper." },
      tool("ask_followup", "l1", { question: "Which paper size should labels use?", options: ["A6", "4 × 6 in"] }),
      spent(3_000, 200),
    ],
  },
  says(
    "Python 3.14",
    { text: "The tests run with the new version now. I look at what they report." },
    { delay: "1h" },
    { text: "Done." },
  ),
  says("twelve weeks", { text: "I fit a seasonal model for each region." }, { delay: "1h" }, { text: "Done." }),
  {
    when: { last_user: "product search", turn: 1 },
    times: 0,
    reply: [tool("read_file", "p1", { path: "search.py" }), spent(3_000, 150)],
  },
  {
    when: { last_user: "product search", turn: 2 },
    times: 0,
    reply: [
      tool("write_file", "p2", {
        path: "search.py",
        content: "def find(words):\n    # The index is made once.\n    return index().get(words.lower(), [])\n",
      }),
      spent(4_000, 350),
    ],
  },
  says("product search", { text: "Added an index. Search is 11 times faster." }, spent(3_100, 90)),
  says(
    "refund",
    { text: "Yes. The provider keeps a request key for 24 hours, which covers every retry we make." },
    spent(4_800, 240),
  ),
  says("order emails", { text: "18 templates translated and checked." }, spent(9_800, 2_400)),
  says("suppliers", { text: "1,204 rows merged, 37 need a review." }, spent(5_200, 300)),
  {
    when: { last_user: "run out", turn: 1 },
    times: 0,
    reply: [
      tool("window", "w1", {
        action: "open",
        window_id: "week",
        title: "What changed this week",
        kind: "markdown",
        content: week,
      }),
      tool("window", "w2", { action: "open", window_id: "stock", title: "Low stock", kind: "table", ...lowStock }),
      tool("window", "w3", {
        action: "open",
        window_id: "order",
        title: "Restock order",
        kind: "components",
        root: order,
      }),
      spent(6_000, 900),
    ],
  },
  says(
    "run out",
    {
      text: "Three items run out before the next delivery. I opened **Low stock**, an order for them and a summary of the week.",
    },
    spent(2_600, 120),
  ),
  { times: 0, reply: [{ text: "OK" }] },
];
