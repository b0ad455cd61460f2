import { useConnection, useSnapshot } from "@clew-run/client/react";
import { AppWindow } from "lucide-react";
import { useMemo, useState } from "react";
import { useLocation } from "wouter";
import { ConnectionBadge } from "@/app/Connection";
import { announce } from "@/app/notices";
import { Composer } from "@/features/session/composer/Composer";
import { QuestionSheet } from "@/features/session/questions/QuestionSheet";
import { useSheet } from "@/features/session/questions/sheet";
import { Content } from "@/features/windows/Content";
import { closeWindow } from "@/features/windows/desk";
import { AgentFoot } from "@/features/windows/AgentFoot";
import { WindowMenu } from "@/features/windows/WindowMenu";
import { windowWords } from "@/features/windows/words";
import { useWords } from "@/i18n";
import { Select, Tabs } from "@/ui";
import { AgentsRow } from "./AgentsRow";
import { BackAndTitle, DesktopMenu } from "./DesktopHead";
import { transcriptId } from "./layout";
import { monitorOf, nextMonitor, useMonitorViews } from "./monitors";
import { MonitorTranscript, useScope } from "./TranscriptWindow";
import type { DesktopProps } from "./WideDesktop";
import { desktopWords } from "./words";

const newOne = "+";

/** On a phone the conversation and each window are tabs, and the monitors a list. */
export function PhoneDesktop({ session, monitor, notes }: DesktopProps) {
  const t = useWords(desktopWords);
  const w = useWords(windowWords);
  const [, navigate] = useLocation();
  const connection = useConnection(session);
  const views = useMonitorViews(session, monitor);
  const windows = useSnapshot(session, (s) => s.windows);
  const here = useMemo(() => windows.filter((x) => monitorOf(x) === monitor), [windows, monitor]);
  const [tab, setTab] = useState(transcriptId);
  const { scope } = useScope(session, monitor);
  const sheet = useSheet(session, monitor);
  const next = nextMonitor(views);
  const go = (id: string) => navigate(`/s/${session.id}/desktop/${id === newOne ? next : id}`);
  return (
    <>
      <header className="flex h-14 shrink-0 items-center gap-1 border-b border-line px-1">
        <BackAndTitle session={session} />
        <span className="ml-auto shrink-0 text-sm">
          <ConnectionBadge connection={connection} onRetry={session.reconnect} />
        </span>
        <DesktopMenu session={session} monitor={monitor} views={views} />
      </header>
      {(views.length > 1 || next) && (
        <div className="flex shrink-0 items-center border-b border-line px-2.5 py-1.5">
          <Select
            className="text-ellipsis"
            aria-label={t.monitors}
            value={monitor}
            onChange={(e) => go(e.target.value)}
          >
            {views.map((v) => (
              <option key={v.id} value={v.id}>
                {[
                  t.monitor(v.number),
                  v.asks ? t.needsYou : "",
                  v.title,
                  v.windows.length > 0 ? t.windows(v.windows.length) : "",
                ]
                  .filter(Boolean)
                  .join(" · ")}
              </option>
            ))}
            {next && <option value={newOne}>{t.add}</option>}
          </Select>
        </div>
      )}
      <Tabs
        label={t.messages}
        value={tab}
        onChange={setTab}
        tabs={[
          {
            id: transcriptId,
            label: t.transcript,
            content: (
              <div className="flex min-h-0 flex-1 flex-col">
                <div className="min-h-0 flex-1">
                  <MonitorTranscript key={monitor} session={session} notes={notes} scope={scope} />
                </div>
                {sheet && <QuestionSheet session={session} sheet={sheet} />}
              </div>
            ),
          },
          ...here.map((x) => {
            const title = x.title || w.untitled;
            const close = () => void closeWindow(session, x).then((ok) => ok && announce(w.closed(title)));
            return {
              id: x.window_id,
              label: (
                <>
                  <AppWindow size={14} aria-hidden />
                  <span className="max-w-36 truncate">{title}</span>
                </>
              ),
              content: (
                <section aria-label={title} data-window={x.window_id} className="flex min-h-0 flex-1 flex-col bg-sheet">
                  <div className="flex shrink-0 items-center border-b border-line pl-4">
                    <h2 className="min-w-0 flex-1 truncate font-semibold">{title}</h2>
                    <WindowMenu session={session} window={x} title={title} close={close} />
                  </div>
                  <div className="min-h-0 flex-1">
                    <Content session={session} window={x} title={title} />
                  </div>
                  <AgentFoot session={session} window={x} />
                </section>
              ),
            };
          }),
        ]}
      />
      <div className="flex shrink-0 flex-col gap-2 bg-paper pt-2 pb-[max(0.5rem,env(safe-area-inset-bottom))]">
        <AgentsRow session={session} monitor={monitor} views={views} />
        <div className="px-2">
          <Composer session={session} choices={undefined} monitor={monitor} />
        </div>
      </div>
    </>
  );
}
