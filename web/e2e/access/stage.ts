import type { World } from "../harness";

/** A session of each kind, so that pages have something to show. */
export interface Stage {
  story: string;
  asking: string;
  planned: string;
}

const answer = `## What I found

The test fails because **one price** is a *text*, see \`shop.go\` and [the rules](https://example.org/rules).

1. read the file
2. change the price
   - in one place
   - then in the other

\`\`\`go
func price(s string) (int, error) { return strconv.Atoi(s) }
\`\`\`

| File | State |
|---|---|
| shop.go | changed |

> Nothing else was touched.`;

const once = new WeakMap<World, Promise<Stage>>();

/** Sets the stage once for a world. */
export function staged(world: World): Promise<Stage> {
  const known = once.get(world) ?? set(world);
  once.set(world, known);
  return known;
}

async function set(world: World): Promise<Stage> {
  const plan = {
    message: "Two steps.",
    todos: [
      { id: "look", task: "Look around.", tool: "agent", priority: 9, depends_on: [], estimated_duration_sec: 5 },
      {
        id: "mend",
        task: "Mend the price.",
        tool: "agent",
        priority: 5,
        depends_on: ["look"],
        estimated_duration_sec: 5,
      },
    ],
  };
  await world.model.script([
    {
      when: { has_tool: "report_understanding" },
      times: 0,
      reply: [
        {
          tool: {
            name: "report_understanding",
            id: "k",
            input: { domain: "shop", category: "repair", confidence: 1, entities: [] },
          },
        },
      ],
    },
    { when: { has_tool: "propose_plan" }, times: 0, reply: [{ tool: { name: "propose_plan", id: "p", input: plan } }] },
    {
      when: { last_user: "Run", turn: 1 },
      times: 0,
      reply: [
        { text: "I run the tests." },
        { tool: { name: "execute_command", id: "c", input: { command: "go test ./..." } } },
      ],
    },
    {
      when: { turn: 1 },
      times: 0,
      reply: [
        { thinking: "A price may be wrong." },
        { text: "I look first." },
        { tool: { name: "read_file", id: "r", input: { path: "shop.go" } } },
        { tool: { name: "read_file", id: "n", input: { path: "none.go" } } },
      ],
    },
    {
      when: { turn: 2 },
      times: 0,
      reply: [
        {
          tool: {
            name: "write_file",
            id: "w",
            input: { path: "shop.go", content: "package shop\n\nconst price = 3\n" },
          },
        },
      ],
    },
    { times: 0, reply: [{ text: answer }] },
  ]);
  const files = { "shop.go": 'package shop\n\nconst price = "3"\n' };
  const story = await world.session("Mend the prices", files);
  await world.say(story, "Mend the price, please.\nIt is in shop.go.");
  await world.settled(story);
  const asking = await world.session("Run the tests", files);
  await world.say(asking, "Run the tests.");
  await world.question(asking);
  const planned = await world.session("A larger repair", files);
  await world.say(planned, "Mend all of it.", { mode: "run" });
  await world.question(planned);
  return { story, asking, planned };
}
