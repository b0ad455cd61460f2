/** A run of three steps: two at the same time, of which the first waits until the model is released. */
export const parallelSteps = [
  {
    when: { has_tool: "report_understanding" },
    times: 0,
    reply: [
      {
        tool: {
          name: "report_understanding",
          id: "c_know",
          input: { domain: "tests", category: "plans", confidence: 1, entities: [] },
        },
      },
    ],
  },
  {
    when: { has_tool: "propose_plan" },
    times: 0,
    reply: [
      {
        tool: {
          name: "propose_plan",
          id: "c_plan",
          input: {
            message: "Two at the same time, then one.",
            todos: [
              {
                id: "key",
                task: "Store a request key with each order",
                tool: "agent",
                priority: 9,
                estimated_duration_sec: 1,
              },
              {
                id: "saved",
                task: "Return the saved order on retry",
                tool: "agent",
                priority: 8,
                estimated_duration_sec: 1,
              },
              {
                id: "test",
                task: "Add a retry test",
                tool: "agent",
                priority: 1,
                depends_on: ["key", "saved"],
                estimated_duration_sec: 1,
              },
            ],
          },
        },
      },
    ],
  },
  {
    when: { has_tool: "respond" },
    times: 0,
    reply: [
      {
        tool: {
          name: "respond",
          id: "c_answer",
          input: { text: "All of it is done.", summary: "Done.", next_actions: [] },
        },
      },
    ],
  },
  {
    when: { has_tool: "report_failure", tool_result: "write_file", last_user: { regexp: "Step key:" } },
    times: 0,
    reply: [
      { text: "The key is stored; I look whether it holds." },
      { delay: "1h" },
      {
        tool: {
          name: "attempt_completion",
          id: "s_key",
          input: { result: "Orders have a key now.\nA repeated request gets the first order." },
        },
      },
    ],
  },
  {
    when: { has_tool: "report_failure", tool_result: "write_file" },
    times: 0,
    reply: [
      {
        tool: {
          name: "attempt_completion",
          id: "s_done",
          input: { result: "Checkout looks up the key.\nThen it charges." },
        },
      },
    ],
  },
  {
    when: { has_tool: "report_failure", last_user: { regexp: "Step key:" } },
    times: 0,
    reply: [{ tool: { name: "write_file", id: "w_key", input: { path: "key.py", content: "a = 1\nb = 2\nc = 3\n" } } }],
  },
  {
    when: { has_tool: "report_failure", last_user: { regexp: "Step saved:" } },
    times: 0,
    reply: [{ tool: { name: "write_file", id: "w_saved", input: { path: "saved.py", content: "a = 1\n" } } }],
  },
  {
    when: { has_tool: "report_failure" },
    times: 0,
    reply: [{ tool: { name: "attempt_completion", id: "s_done", input: { result: "This part is done." } } }],
  },
];

/** Looks at three files and searches once, runs the command that it is told, and says what it thinks. */
export const looksAndRuns = [
  {
    when: { last_user: { regexp: "run: (.*)" }, turn: 1 },
    times: 0,
    reply: [
      { text: "I look first." },
      { tool: { name: "read_file", id: "r1", input: { path: "a.txt" } } },
      { tool: { name: "read_file", id: "r2", input: { path: "b.txt" } } },
      { tool: { name: "search_files", id: "r3", input: { pattern: "one", path: "." } } },
    ],
  },
  {
    when: { tool_result: "search_files", last_user: { regexp: "run: (.*)" } },
    times: 0,
    reply: [{ tool: { name: "execute_command", id: "c_run", input: { command: "{{match 1}}" } } }],
  },
  { when: { tool_result: "execute_command" }, times: 0, reply: [{ text: "It failed; that is what I wanted to see." }] },
  { times: 0, reply: [{ text: "Yes." }] },
];

/** A subtask that has a subtask of its own, which reads a file and waits until the model is released. */
export const nestedSubtasks = [
  {
    when: { last_user: { regexp: "^the inner part" }, tool_result: "read_file" },
    times: 0,
    reply: [
      { text: "I have read it." },
      { delay: "1h" },
      { tool: { name: "attempt_completion", id: "c_inner", input: { result: "The inner part is done." } } },
    ],
  },
  {
    when: { last_user: { regexp: "^the inner part" } },
    times: 0,
    reply: [{ tool: { name: "read_file", id: "c_read", input: { path: "a.txt" } } }],
  },
  {
    when: { last_user: { regexp: "^the outer part" }, tool_result: "new_task" },
    times: 0,
    reply: [{ tool: { name: "attempt_completion", id: "c_outer", input: { result: "The outer part is done." } } }],
  },
  {
    when: { last_user: { regexp: "^the outer part" } },
    times: 0,
    reply: [
      { text: "I give a part of it away." },
      { tool: { name: "new_task", id: "c_sub", input: { message: "the inner part", mode: "code" } } },
    ],
  },
  { when: { tool_result: "new_task" }, times: 0, reply: [{ text: "All of it is done." }] },
  {
    when: { last_user: "delegate" },
    times: 0,
    reply: [
      { text: "I give it away." },
      { tool: { name: "new_task", id: "c_sub", input: { message: "the outer part", mode: "code" } } },
    ],
  },
];
