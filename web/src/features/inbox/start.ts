import type { CommandData, RestReceipt } from "@clew-run/client";
import { commandIn, type CommandWays } from "@/features/session/composer/completion";

/** What a person wants to begin. */
export interface NewWork {
  text: string;
  title: string;
  workspace: string;
  /** Make a plan first and ask about it. */
  plan: boolean;
  /** A mode by its name; empty is the server's. */
  mode: string;
  /** Settings of the new session, such as its model. */
  settings: Record<string, unknown>;
  /** What the chosen model is called. */
  modelName: string;
}

export const noWork: NewWork = {
  text: "",
  title: "",
  workspace: "",
  plan: false,
  mode: "",
  settings: {},
  modelName: "",
};

/** How far a beginning came, so that another try does not do a part twice. */
export interface Begun {
  sessionId?: string;
  messageId: string;
}

interface Ways extends CommandWays {
  create(s: { title?: string; workspace?: string }): Promise<{ session_id: string }>;
  command<T extends "user_message" | "update_settings">(
    id: string,
    type: T,
    data: CommandData[T],
    messageId?: string,
  ): Promise<RestReceipt>;
}

/**
 * Makes a session and says the first words in it. After a failure the same call
 * goes on where it stood: no second session, and the message counts once.
 */
export async function start(ways: Ways, work: NewWork, begun: Begun, images: readonly string[] = []): Promise<string> {
  begun.sessionId ??= (
    await ways.create({ title: work.title.trim() || undefined, workspace: work.workspace.trim() || undefined })
  ).session_id;
  if (Object.keys(work.settings).length > 0)
    await ways.command(begun.sessionId, "update_settings", { settings: work.settings });
  const text = work.text.trim();
  if (text !== "" || images.length > 0) {
    const command = await commandIn(ways, begun.sessionId, text); // the session is there: it knows what its commands stand for
    await ways.command(
      begun.sessionId,
      "user_message",
      {
        text: command?.text ?? text,
        mode: work.plan ? "run" : ((command?.mode ?? (work.mode || undefined)) as CommandData["user_message"]["mode"]),
        images: images.length > 0 ? [...images] : undefined,
      },
      begun.messageId,
    );
  }
  return begun.sessionId;
}

const key = "clew.new";

/** What was being written when the page went away. */
export function keptWork(): NewWork {
  try {
    return { ...noWork, ...(JSON.parse(localStorage.getItem(key) ?? "{}") as Partial<NewWork>) };
  } catch {
    return noWork; // unreadable or forbidden storage is no reason to fail
  }
}

export function keepWork(work: NewWork): void {
  try {
    if (
      work.text === "" &&
      work.title === "" &&
      work.workspace === "" &&
      work.mode === "" &&
      Object.keys(work.settings).length === 0
    )
      localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(work));
  } catch {
    // kept for this page then
  }
}
