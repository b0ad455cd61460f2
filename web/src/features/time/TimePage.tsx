import { ArrowLeft, ChevronLeft, ChevronRight, GitCompare, Link2 } from "lucide-react";
import { useSession, useSnapshot } from "@clew-run/client/react";
import { useCallback, useEffect, useMemo, useState } from "react";
import { Link, useLocation } from "wouter";
import { client } from "@/app/client";
import { type Command, useCommands } from "@/app/commands";
import { ConnectionBadge } from "@/app/Connection";
import { announce, notify } from "@/app/notices";
import { useWords } from "@/i18n";
import { copyText } from "@/lib/copy";
import { useDebounced } from "@/lib/useDebounced";
import { useLoaded } from "@/lib/useLoaded";
import { Button, Empty, ErrorNote, IconButton, Loading, Select, Switch } from "@/ui";
import { uiWords } from "@/ui/words";
import { transcriptWords } from "@/features/session/transcript/words";
import { CompareDialog } from "./CompareDialog";
import { Here } from "./Here";
import { describe, sinceRewind } from "./marks";
import { PreviewPanel } from "./PreviewPanel";
import { Scrubber } from "./Scrubber";
import { step, type StepBy } from "./steps";
import { Then } from "./Then";
import { usePlace } from "./usePlace";
import { usePosition } from "./usePosition";
import { timeWords } from "./words";

const walks = "size-7 border border-line2 bg-sheet shadow-card pointer-coarse:size-(--row)";

/** The session's past: scrub through it, see it as it was, go back, undo, fork. */
export function TimePage({ sessionId }: { sessionId: string }) {
  const t = useWords(timeWords);
  const ui = useWords(uiWords);
  const { tools } = useWords(transcriptWords);
  const session = useSession(sessionId);
  const info = useSnapshot(session, (s) => s.session);
  const connection = useSnapshot(session, (s) => s.connection);
  const newest = useSnapshot(session, (s) => s.messageIds.at(-1));
  const [, navigate] = useLocation();
  const [hidden, setHidden] = useState(false);
  const [by, setBy] = useState<StepBy>("everything");
  const [comparing, setComparing] = useState(false);

  // The timeline is read again when messages came, but not with each of them.
  const settled = useDebounced(newest, 800) ?? newest; // the first one counts at once: a preview that is shown stays
  const timeline = useLoaded(`${sessionId}/${hidden}`, () =>
    client.rest.sessions.timeline(sessionId, { hidden: hidden || undefined }),
  );
  const { reload } = timeline;
  useEffect(() => {
    if (settled) reload();
  }, [settled, reload]);

  const marks = useMemo(() => timeline.value?.marks ?? [], [timeline.value]);
  const { at, record, link, go, toEnd } = usePosition(marks);
  const here = marks[at];
  const place = usePlace(sessionId, useDebounced(record, 120), marks);
  const said = useMemo(() => sinceRewind(marks), [marks]);
  const owner = info?.role === undefined || info.role === "owner"; // an administrator of others' sessions watches
  // The slider tells its value itself; by the buttons and keys it is told here.
  const walk = useCallback(
    (direction: 1 | -1) => {
      const to = step(marks, at, by, direction);
      const mark = marks[to];
      go(to);
      if (mark) announce(`${t.position(to + 1, marks.length)}: ${t.kinds[mark.kind]}, ${describe(mark, t, tools)}`);
    },
    [marks, at, by, go, t, tools],
  );

  useCommands(
    useMemo<Command[]>(
      () => [
        { id: "time:prev", title: t.previous, group: t.title, keys: "[", run: () => walk(-1) },
        { id: "time:next", title: t.next, group: t.title, keys: "]", run: () => walk(1) },
        ...(owner
          ? [{ id: "time:compare", title: t.compare, group: t.title, keys: "c", run: () => setComparing(true) }]
          : []),
        { id: "time:back", title: t.back, group: t.title, keys: "b", run: () => navigate(`/s/${sessionId}`) },
      ],
      [t, walk, owner, sessionId, navigate],
    ),
  );

  const copyLink = () => void copyText(link).then((done) => done && notify({ tone: "run", text: ui.copied }));
  return (
    <>
      <header className="flex min-h-13 flex-wrap items-center gap-x-3 border-b border-line px-3">
        <Link
          href={`/s/${sessionId}`}
          aria-label={t.back}
          title={t.back}
          className="flex size-(--row) items-center justify-center rounded hover:bg-hover"
        >
          <ArrowLeft size={16} />
        </Link>
        <h1 className="min-w-0 flex-1 truncate text-lg font-semibold">
          {t.title}
          <span className="ml-2.5 text-base font-normal text-soft">{info?.title || sessionId}</span>
        </h1>
        <ConnectionBadge connection={connection} onRetry={() => session.reconnect()} />
        {owner && (
          <Button icon={<GitCompare size={14} />} onClick={() => setComparing(true)}>
            {t.compare}
          </Button>
        )}
      </header>
      {timeline.error !== undefined && !timeline.value ? (
        <div className="p-4">
          <ErrorNote error={timeline.error} retry={timeline.reload} />
        </div>
      ) : !timeline.value ? (
        <Loading />
      ) : !here ? (
        <Empty title={t.empty}>{t.emptyHelp}</Empty>
      ) : (
        <>
          <div className="border-b border-line">
            <Scrubber marks={marks} steps={timeline.value.steps} at={at} by={by} onMove={go} />
            <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-5 pb-3 max-md:px-3">
              <span className="flex gap-2">
                <IconButton
                  className={walks}
                  label={t.previous}
                  icon={<ChevronLeft size={16} />}
                  disabled={at === 0}
                  onClick={() => walk(-1)}
                />
                <IconButton
                  className={walks}
                  label={t.next}
                  icon={<ChevronRight size={16} />}
                  disabled={at === marks.length - 1}
                  onClick={() => walk(1)}
                />
              </span>
              <Here sessionId={sessionId} mark={here} />
              <span className="text-sm text-soft">{t.position(at + 1, marks.length)}</span>
              <span className="w-40">
                <Select aria-label={t.stepBy} value={by} onChange={(e) => setBy(e.target.value as StepBy)}>
                  <option value="everything">{t.everything}</option>
                  <option value="people">{t.people}</option>
                  <option value="questions">{t.questions}</option>
                  <option value="checkpoints">{t.checkpoints}</option>
                </Select>
              </span>
              <Switch checked={hidden} onChange={setHidden} label={t.hidden} />
              <IconButton label={t.link} icon={<Link2 size={15} />} onClick={copyLink} />
            </div>
          </div>
          <div className="flex min-h-0 flex-1 flex-col overflow-y-auto md:flex-row md:overflow-hidden">
            <div className="order-2 flex flex-col border-line max-md:shrink-0 max-md:border-t md:order-1 md:w-2/5 md:border-r">
              <Then session={session} place={place} />
            </div>
            <div className="order-1 flex flex-col max-md:shrink-0 md:order-2 md:flex-1 md:overflow-y-auto">
              <PreviewPanel
                session={session}
                record={record}
                place={place.value ?? undefined}
                hidden={!!here.hidden}
                owner={owner}
                said={said}
                newest={settled}
                filesTravelled={marks.some((m) => m.kind === "rewind" && m.checkpoint)}
                onTravel={() => {
                  toEnd();
                  timeline.reload();
                }}
              />
            </div>
          </div>
        </>
      )}
      <CompareDialog session={session} marks={marks} open={comparing} onClose={() => setComparing(false)} />
    </>
  );
}
