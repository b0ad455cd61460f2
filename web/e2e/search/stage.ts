import { until, type World } from "../harness";

const said = {
  first: "Why does a retry create two orders? Look at the ledger.",
  answer: "Store a request key with each order, so that a repeated request returns the first order.",
  refund: "Could the refund call use the same request key as the charge?",
  korean: "결제 요청이 두 번 결제됩니다.",
};

/** Two sessions with something to find, in the index; once in a world. */
export async function findable(world: World): Promise<{ orders: string; refunds: string }> {
  const known = (await world.rest.sessions.list({ limit: 100 })).sessions;
  const by = (title: string) => known.find((s) => s.title === title)?.session_id;
  const [had, too] = [by("Duplicate orders on retry"), by("Refunds arrive twice")];
  if (had && too) return { orders: had, refunds: too };
  await world.model.script([
    {
      when: { last_user: "ledger" },
      reply: [{ text: said.answer }, { tool: { name: "execute_command", input: { command: "echo request_key" } } }],
    },
    { when: { last_user: "refund" }, times: 0, reply: [{ text: "The provider ignores repeats." }] },
    { when: { last_user: "결제" }, times: 0, reply: [{ text: "결제 열쇠를 저장하면 됩니다." }] },
    { times: 0, reply: [{ text: "Done." }] },
  ]);
  const orders = await world.session("Duplicate orders on retry");
  await world.say(orders, said.first);
  await world.settled(orders);
  const refunds = await world.session("Refunds arrive twice");
  for (const text of [said.refund, said.korean]) {
    await world.say(refunds, text);
    await world.settled(refunds);
  }
  await until("both are in the index", async () => {
    const r = await world.rest.search({ q: "request key" });
    const ko = await world.rest.search({ q: "결제" });
    return r.sessions === 2 && r.counts.command > 0 && ko.total === 2;
  });
  return { orders, refunds };
}

/** A session of so many messages, of which every hundredth one has the word. */
export async function longOne(world: World, messages: number): Promise<string> {
  const list = Array.from({ length: messages }, (_, i) => ({
    role: i % 2 === 0 ? "user" : "assistant",
    type: "text",
    timestamp: 1_700_000_000_000 + i * 1000,
    content: `${i % 2 === 0 ? "Question" : "Answer"} ${i}.${i % 100 === 50 ? ` Here is needle number ${i}.` : ""}\n\n${"Some more words about it. ".repeat(i % 7)}`,
  }));
  const file = new Blob([JSON.stringify({ sessionId: "haystack", messages: list, updatedAt: 1_700_000_900_000 })]);
  const { session_id: id } = await world.rest.sessions.import(file, { format: "message-store", new_id: true });
  await until(
    "it is in the index",
    async () => (await world.rest.search({ q: "needle", session: id })).total === Math.ceil((messages - 50) / 100),
  );
  return id;
}
