import type { SessionSummary } from "@clew-run/client";
import { useId, type ReactNode } from "react";
import { Link } from "wouter";
import { useMayStart, useMe } from "@/app/account";
import { sectionsOf } from "@/app/rail/sections";
import { useWords } from "@/i18n";
import { lazyPart } from "@/lib/lazyPart";
import { Badge, Empty, ErrorNote, Loading } from "@/ui";
import { AskRow } from "./AskRow";
import { NewSession } from "./NewSession";
import { SessionRow } from "./SessionRow";
import { NoModel } from "./NoModel";
import { useBegin } from "./useBegin";
import { useRows } from "./useRows";
import { isRunning, useSessionList } from "./useSessionList";
import { inboxWords } from "./words";

const FirstRun = lazyPart(() => import("@/features/start/FirstRun").then((m) => m.FirstRun));

const questionsShown = 4;
const recentShown = 8;

/** Where one begins: new work, what waits for an answer, what runs, what was. */
export function HomePage() {
  const t = useWords(inboxWords);
  const { rows, items, inbox, counts, synced } = useRows();
  const me = useMe();
  const mayStart = useMayStart();
  const sessions = useSessionList();
  const { running } = sectionsOf(items, sessions.value ?? []); // what needs an answer stands above already
  const recent = sessions.value?.filter((s) => !isRunning(s)).slice(0, recentShown) ?? [];
  const shown = rows.slice(0, questionsShown);
  const begin = useBegin(sessions, rows.length);
  if (begin.state === "asking") return <Loading />;
  if (begin.state === "first" && begin.model) {
    return (
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto w-full max-w-[792px] px-4 py-6 desk:py-13">
          <FirstRun
            model={begin.model}
            missing={begin.missing}
            mayConnect={begin.mayConnect}
            onModel={begin.setModel}
            onSkip={begin.skip}
          />
        </div>
      </div>
    );
  }
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex w-full max-w-[892px] flex-col gap-7 px-4 py-6 desk:pt-10">
        {mayStart && begin.model && begin.missing && <NoModel begin={begin} />}
        <div className="flex flex-col gap-4">
          <h1 className="text-3xl font-semibold">{mayStart ? t.welcome : t.guest}</h1>
          {mayStart ? (
            <NewSession model={begin.model} />
          ) : (
            <p className="text-soft">{me?.role === "viewer" ? t.viewerHelp : t.approverHelp}</p>
          )}
        </div>
        {shown.length > 0 && (
          <Section
            title={t.needsYou}
            count={
              <Badge tone="ask" label={t.openQuestions(counts.total)}>
                {counts.total}
              </Badge>
            }
            aside={<More href="/inbox">{t.openInbox}</More>}
          >
            <ul className="divide-y divide-line rounded-lg border border-ask-line bg-sheet shadow-card">
              {shown.map(({ item, goneAt }) => (
                <AskRow
                  key={item.question.request_id}
                  item={item}
                  gone={goneAt !== undefined}
                  inbox={inbox}
                  lineDown={!synced}
                />
              ))}
            </ul>
          </Section>
        )}
        {sessions.value === undefined && sessions.loading && <Loading />}
        {sessions.error !== undefined && sessions.error !== null && (
          <ErrorNote error={sessions.error} retry={sessions.reload} />
        )}
        {running.length > 0 && (
          <Section title={t.running} count={<Badge>{running.length}</Badge>}>
            <Sessions list={running} onChange={sessions.reload} />
          </Section>
        )}
        {recent.length > 0 && (
          <Section title={t.recent} aside={<More href="/history">{t.allSessions}</More>}>
            <Sessions list={recent} onChange={sessions.reload} />
          </Section>
        )}
        {sessions.value?.length === 0 && (
          <Empty title={mayStart ? t.noSessions : t.noShared}>
            {mayStart ? t.noSessionsHelp : t.noSharedHelp(me?.user_id ?? "")}
          </Empty>
        )}
      </div>
    </div>
  );
}

function Section({
  title,
  count,
  aside,
  children,
}: {
  title: string;
  count?: ReactNode;
  aside?: ReactNode;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex flex-col gap-2">
      <div className="flex min-h-7 items-center gap-2">
        <h2 id={id} className="text-xl font-semibold">
          {title}
        </h2>
        {count}
        <span className="flex-1" />
        {aside}
      </div>
      {children}
    </section>
  );
}

function More({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link
      href={href}
      className="-mr-2 inline-flex h-7 items-center rounded px-2 text-sm font-medium text-soft hover:bg-hover hover:text-ink pointer-coarse:h-(--row)"
    >
      {children}
    </Link>
  );
}

function Sessions({ list, onChange }: { list: SessionSummary[]; onChange(): void }) {
  return (
    <ul className="divide-y divide-line rounded-lg border border-line bg-sheet shadow-card">
      {list.map((s) => (
        <SessionRow key={s.session_id} session={s} onChange={onChange} />
      ))}
    </ul>
  );
}
