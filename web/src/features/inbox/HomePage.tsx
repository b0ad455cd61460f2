import type { SessionSummary } from "@clew-run/client";
import { ArrowRight } from "lucide-react";
import { useId, useMemo, type ReactNode } from "react";
import { Link } from "wouter";
import { useMayStart, useMe } from "@/app/account";
import { useWords } from "@/i18n";
import { lazyPart } from "@/lib/lazyPart";
import { Empty, ErrorNote, Loading } from "@/ui";
import { alikeGroups, likeness } from "@/features/session/questions/alike";
import { InboxCard } from "./InboxCard";
import { NewSession } from "./NewSession";
import { SessionRow } from "./SessionRow";
import { NoModel } from "./NoModel";
import { useBegin } from "./useBegin";
import { useRows } from "./useRows";
import { isRunning, useSessionList } from "./useSessionList";
import { inboxWords } from "./words";

const FirstRun = lazyPart(() => import("@/features/start/FirstRun").then((m) => m.FirstRun));

const questionsShown = 4;
const recentShown = 12;

/** Where one begins: new work, what waits for an answer, what runs, what was. */
export function HomePage() {
  const t = useWords(inboxWords);
  const { rows, items, inbox, counts, synced } = useRows();
  const me = useMe();
  const mayStart = useMayStart();
  const groups = useMemo(() => alikeGroups(items), [items]);
  const sessions = useSessionList(40);
  const running = sessions.value?.filter(isRunning) ?? [];
  const recent = sessions.value?.filter((s) => !isRunning(s)).slice(0, recentShown) ?? [];
  const shown = rows.slice(0, questionsShown);
  const begin = useBegin(sessions, rows.length);
  if (begin.state === "asking") return <Loading />;
  if (begin.state === "first" && begin.model) {
    return (
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto w-full max-w-[792px] px-4 py-6 md:py-13">
          <FirstRun model={begin.model} missing={begin.missing} mayConnect={begin.mayConnect} onModel={begin.setModel} onSkip={begin.skip} />
        </div>
      </div>
    );
  }
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex w-full max-w-[792px] flex-col gap-8 px-4 py-6 md:py-10">
        {mayStart && begin.model && begin.missing && <NoModel begin={begin} />}
        <div className="flex flex-col gap-3">
          <h1 className="text-2xl font-semibold">{mayStart ? t.welcome : t.guest}</h1>
          {mayStart ? <NewSession /> : <p className="text-soft">{me?.role === "viewer" ? t.viewerHelp : t.approverHelp}</p>}
        </div>
        {shown.length > 0 && (
          <Section title={t.needsYou} aside={counts.total > questionsShown && <More href="/inbox">{t.allQuestions(counts.total)}</More>}>
            <div className="flex flex-col gap-3">
              {shown.map(({ item, goneAt }) => (
                <InboxCard
                  key={item.question.request_id}
                  item={item}
                  gone={goneAt !== undefined}
                  inbox={inbox}
                  alike={groups.get(likeness(item.question) ?? "")}
                  lineDown={!synced}
                />
              ))}
            </div>
          </Section>
        )}
        {sessions.value === undefined && sessions.loading && <Loading />}
        {sessions.error !== undefined && sessions.error !== null && <ErrorNote error={sessions.error} retry={sessions.reload} />}
        {running.length > 0 && <Section title={t.running}><Sessions list={running} onChange={sessions.reload} /></Section>}
        {recent.length > 0 && <Section title={t.recent} aside={<More href="/history">{t.allSessions}</More>}><Sessions list={recent} onChange={sessions.reload} /></Section>}
        {sessions.value?.length === 0 && <Empty title={mayStart ? t.noSessions : t.noShared}>{mayStart ? t.noSessionsHelp : t.noSharedHelp(me?.user_id ?? "")}</Empty>}
      </div>
    </div>
  );
}

function Section({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex flex-col gap-2">
      <div className="flex items-center gap-2">
        <h2 id={id} className="flex-1 font-semibold">{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}

function More({ href, children }: { href: string; children: ReactNode }) {
  return <Link href={href} className="inline-flex h-(--row) items-center gap-1 text-run hover:underline">{children}<ArrowRight size={13} aria-hidden /></Link>;
}

function Sessions({ list, onChange }: { list: SessionSummary[]; onChange(): void }) {
  return <ul className="-mx-2 flex flex-col">{list.map((s) => <SessionRow key={s.session_id} session={s} onChange={onChange} />)}</ul>;
}
