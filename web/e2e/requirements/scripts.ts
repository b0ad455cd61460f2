/** The agent runs the command that it is told ("run: …"), and says that it did. */
export const runsCommands = [
  {
    when: { last_user: { regexp: "run: (.*)" }, turn: 1 },
    times: 0,
    reply: [
      { text: "I run it." },
      { tool: { name: "execute_command", id: "c_run", input: { command: "{{match 1}}" } } },
    ],
  },
  { when: { tool_result: "execute_command" }, times: 0, reply: [{ text: "It is done." }] },
];

/** A run of four steps. With "takes long" the second step waits until the model is released, with "fails" it fails for good. */
export const plansRuns = [
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
            message: "Four steps, two of them at the same time.",
            todos: [
              { id: "look", task: "Look around.", tool: "agent", priority: 9, estimated_duration_sec: 1 },
              {
                id: "left",
                task: "Do the left half.",
                tool: "agent",
                priority: 5,
                depends_on: ["look"],
                estimated_duration_sec: 1,
              },
              {
                id: "right",
                task: "Do the right half.",
                tool: "agent",
                priority: 4,
                depends_on: ["look"],
                estimated_duration_sec: 1,
              },
              {
                id: "join",
                task: "Put both together.",
                tool: "agent",
                priority: 1,
                depends_on: ["left", "right"],
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
          input: { text: "All of it is **done**.", summary: "Done.", next_actions: ["Go home."] },
        },
      },
    ],
  },
  {
    when: { has_tool: "report_failure", last_user: { regexp: "(?s)Step left:.*takes long" } },
    times: 0,
    reply: [
      { text: "I begin." },
      { delay: "1h" },
      { tool: { name: "attempt_completion", id: "s_left", input: { result: "The left half is done." } } },
    ],
  },
  {
    when: { has_tool: "report_failure", last_user: { regexp: "(?s)Step left:.*fails" } },
    times: 0,
    reply: [
      {
        tool: {
          name: "report_failure",
          id: "s_failed",
          input: { message: "There is no left half", recoverable: false },
        },
      },
    ],
  },
  {
    when: { has_tool: "report_failure" },
    times: 0,
    reply: [{ tool: { name: "attempt_completion", id: "s_done", input: { result: "This part is done." } } }],
  },
];
