import type { Page } from "playwright-core";
import { until } from "./until";
import type { World } from "./world";

export interface Line {
  id: string;
  text: string;
}

/** What REST says of a transcript: the words of people and agents, in order. */
export async function told(world: World, session: string): Promise<Line[]> {
  const all: Line[] = [];
  let before: string | undefined;
  do {
    const page = await world.rest.sessions.messages(session, { limit: 200, before });
    all.unshift(
      ...page.messages
        .filter((m) => m.text && (m.role === "user" || m.say === "text"))
        .map((m) => ({ id: m.message_id, text: plain(m.text!) })),
    );
    before = page.next ? page.messages[0]?.message_id : undefined;
  } while (before);
  return all;
}

/**
 * What a page shows of it, from top to end: it scrolls through, since only what
 * is in view is there. A message that is there twice at a time is an error.
 */
export async function shown(page: Page): Promise<Line[]> {
  const found = await page.evaluate(async () => {
    const box = document.querySelector<HTMLElement>("[data-transcript]")!;
    const seen = new Map<string, { place: number; text: string }>();
    const twice: string[] = [];
    const frame = () => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)));
    const read = () => {
      const here = new Set<string>();
      for (const row of box.querySelectorAll<HTMLElement>("[data-row=user], [data-row=text]")) {
        const id = row.dataset.message!;
        if (here.has(id)) twice.push(id);
        here.add(id);
        const text = (row.querySelector(".md") ?? row.querySelector("p"))?.textContent ?? "";
        seen.set(id, { place: Number(row.getAttribute("aria-posinset")), text });
      }
    };
    box.scrollTop = 0;
    await frame();
    for (let last = -1; box.scrollTop !== last; await frame()) {
      read();
      last = box.scrollTop;
      box.scrollTop += box.clientHeight / 2;
    }
    read();
    const lines = [...seen].sort((a, b) => a[1].place - b[1].place).map(([id, { text }]) => ({ id, text }));
    return { lines, twice };
  });
  if (found.twice.length > 0) throw new Error(`shown twice: ${found.twice.join(", ")}`);
  return found.lines.map((l) => ({ id: l.id, text: plain(l.text) })).filter((l) => l.text !== "");
}

/** Waits until the page says that it is in sync. */
export async function live(page: Page): Promise<void> {
  await until("live", () => page.locator("[data-connection=active]").first().isVisible(), 45_000);
}

const plain = (text: string): string => text.replace(/\s+/g, " ").trim();
