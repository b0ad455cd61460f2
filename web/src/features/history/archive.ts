import { flushSync } from "react-dom";
import { client } from "@/app/client";
import { notify, notifyError } from "@/app/notices";
import { wordsNow } from "@/i18n";
import { confirmed } from "./confirmed";
import { historyWords } from "./words";

/** Puts a session away, once the server says so, with a way back in the notice. */
export async function archive(sessionId: string, title: string, onChange: (archived: boolean) => void): Promise<void> {
  await move(sessionId, true, onChange);
  const t = wordsNow(historyWords);
  notify({
    tone: "past",
    text: t.wasArchived(title),
    action: { label: t.bringBack, run: () => bringBack(sessionId, title, onChange) },
  });
}

/** Brings a session back into the lists. */
export function bringBack(sessionId: string, title: string, onChange: (archived: boolean) => void): void {
  void move(sessionId, false, onChange).then(
    () => notify({ tone: "done", text: wordsNow(historyWords).cameBack(title) }),
    notifyError,
  );
}

async function move(sessionId: string, archived: boolean, onChange: (archived: boolean) => void): Promise<void> {
  const receipt = await client.rest.sessions.archive(sessionId, archived);
  flushSync(() => {
    confirmed(sessionId, receipt, { archived });
    onChange(archived);
  });
  // Its line is gone, and the focus that was in it: the keyboard goes on from the page.
  if (document.activeElement === document.body) document.getElementById("main")?.focus();
}
