import type { Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { AppWindow } from "lucide-react";
import { announce } from "@/app/notices";
import { useWords } from "@/i18n";
import { Empty, Select } from "@/ui";
import { AgentFoot } from "./AgentFoot";
import { Content } from "./Content";
import { bringToFront, closeWindow, inOrder, numberOf, useDesk } from "./desk";
import { WindowMenu } from "./WindowMenu";
import { windowWords } from "./words";

/** On a phone there is one window at a time, and it has the whole room. */
export function PhoneWindows({ session }: { session: Session }) {
  const t = useWords(windowWords);
  const windows = useSnapshot(session, (s) => s.windows);
  const { front } = useDesk(session);
  const shown = inOrder(windows, front).at(-1);
  if (!shown)
    return (
      <Empty icon={<AppWindow size={22} />} title={t.none}>
        {t.noneHelp}
      </Empty>
    );
  const title = shown.title || t.untitled;
  const close = () => void closeWindow(session, shown).then((ok) => ok && announce(t.closed(title)));
  return (
    <section aria-label={t.windows} data-window={shown.window_id} className="flex min-h-0 flex-1 flex-col">
      <header className="flex shrink-0 items-center gap-2 border-b border-line px-3 py-1">
        {windows.length === 1 ? (
          <h2 className="min-w-0 flex-1 truncate font-medium">{title}</h2>
        ) : (
          <Select
            aria-label={t.which}
            className="min-w-0 flex-1"
            value={shown.window_id}
            onChange={(e) => bringToFront(session, e.target.value)}
          >
            {windows.map((w) => (
              <option
                key={w.window_id}
                value={w.window_id}
              >{`${w.title || t.untitled} (${t.monitor(numberOf(w.monitor_id))})`}</option>
            ))}
          </Select>
        )}
        <WindowMenu session={session} window={shown} title={title} close={close} />
      </header>
      <div className="min-h-0 flex-1 bg-sheet">
        <Content key={shown.window_id} session={session} window={shown} title={title} />
      </div>
      <AgentFoot session={session} window={shown} />
    </section>
  );
}
