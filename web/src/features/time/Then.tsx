import type { Session, TaskInfo, TimelineMark, TranscriptMessage } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { Eye } from "lucide-react";
import { useMemo, useState } from "react";
import { useWords } from "@/i18n";
import type { Loaded } from "@/lib/useLoaded";
import { Badge, cx, ErrorNote, Loading, Mark, Time } from "@/ui";
import { GroupLine, numberOf, titleOf, toneOfTask } from "@/features/session/transcript/GroupHead";
import { factsKey, factsOf } from "@/features/session/transcript/groups";
import { buildRows, everyRow, type Row } from "@/features/session/transcript/rows";
import { choice } from "./marks";
import { asked, Explored, ThenLine, toneOf } from "./ThenLine";
import type { Place } from "./usePlace";
import { timeWords } from "./words";

/** The end of the transcript as it was then, in the same groups. */
export function Then({ session, place: page }: { session: Session; place: Loaded<Place | null> }) {
  const t = useWords(timeWords);
  return (
    <section aria-label={t.snapshot} className="flex flex-col md:min-h-0 md:flex-1">
      <header className="flex min-h-12 flex-wrap items-center gap-x-2.5 px-5 pt-2">
        <h2 className="text-xl font-semibold">{t.snapshot}</h2>
        <Badge>
          <Eye size={12} aria-hidden />
          {t.snapshotHelp}
        </Badge>
      </header>
      <div
        tabIndex={0}
        role="group"
        aria-label={t.snapshot}
        className="flex flex-col-reverse -outline-offset-2 md:min-h-0 md:flex-1 md:overflow-y-auto"
      >
        {page.error !== undefined ? (
          <div className="p-4">
            <ErrorNote error={page.error} retry={page.reload} />
          </div>
        ) : !page.value ? (
          <Loading />
        ) : (
          <Told session={session} place={page.value} />
        )}
      </div>
    </section>
  );
}

/** Messages of a cell's run that are shown: its status and the first outputs. */
const cellLines = 5;

/** What the rows of a place are drawn from. */
interface Scene {
  session: Session;
  runs: Parameters<typeof numberOf>[0];
  get(id: string): TranscriptMessage | undefined;
  taskOf(group: string): TaskInfo | undefined;
  /** Whether the place is this row. */
  isHere(row: Row): boolean;
  isOpen(group: Row): boolean;
  set(group: string, open: boolean): void;
}

function Told({ session, place }: { session: Session; place: Place }) {
  const { messages, tasks, answer, messageId } = place;
  const runs = useSnapshot(session, (s) => s.runs);
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map());
  const built = useMemo(() => {
    const byId = new Map(messages.map((m) => [m.message_id, m]));
    const facts = factsOf(factsKey(tasks));
    const asking = new Set(
      messages
        .filter(asked)
        .map((m) => m.tool_call_id)
        .filter((id) => id !== undefined),
    );
    return {
      byId,
      facts,
      rows: buildRows([...byId.keys()], (id) => byId.get(id), {
        verbose: false,
        queued: new Set(),
        asking,
        tasks: facts,
      }),
    };
  }, [messages, tasks]);
  const isHere = (r: Row) => r.kind !== "group" && (r.id === messageId || r.more.includes(messageId ?? ""));
  const scene: Scene = {
    session,
    runs,
    isHere: (r) => !answer && isHere(r),
    get: (id) => built.byId.get(id),
    taskOf: (group) => tasks.find((k) => k.task_id === group),
    // One that was at work then is open, and one that the place is in.
    isOpen: (r) =>
      chosen.get(r.group!) ?? (built.facts.get(r.group!)?.live === true || everyRow(r.inner!).some(isHere)),
    set: (group, open) => setChosen((c) => new Map(c).set(group, open)),
  };
  return (
    <ol className="relative mb-auto ml-6.5 border-l-2 border-line py-3 pr-5">
      {built.rows.map((r) => (
        <Item key={r.key} row={r} depth={0} scene={scene} />
      ))}
      {answer && <Answered mark={answer} />}
    </ol>
  );
}

interface ItemProps {
  row: Row;
  /** How many groups it stands in. */
  depth: number;
  scene: Scene;
}

function Item({ row, depth, scene }: ItemProps) {
  if (row.kind === "group") return <Group row={row} depth={depth} scene={scene} />;
  const list = [row.id, ...row.more].map(scene.get).filter((m) => m !== undefined);
  const here = scene.isHere(row);
  return (
    <li
      aria-current={here ? "step" : undefined}
      className={cx(
        "relative",
        depth === 0 ? "pb-3 pl-5" : "rounded py-0.5",
        here && cx("font-medium", depth > 0 && "-mx-2 bg-run-wash px-2"),
      )}
    >
      {depth === 0 && (
        <span className="absolute top-0.5 -left-[7px] bg-paper py-1">
          <Mark tone={toneOf(list[0]!)} />
        </span>
      )}
      {row.kind === "reads" ? (
        <Explored list={list} open={here} inGroup={depth > 0} />
      ) : (
        (row.kind === "cell" ? list.slice(0, cellLines) : list).map((m) => (
          <ThenLine key={m.message_id} session={scene.session} message={m} inGroup={depth > 0} />
        ))
      )}
    </li>
  );
}

/** A subtask or a step, as it stood then. */
function Group({ row, depth, scene }: ItemProps) {
  const task = scene.taskOf(row.group!);
  const tone = toneOfTask(task);
  const open = scene.isOpen(row);
  const result = task?.result || scene.get(row.inner!.findLast((r) => r.kind === "result")?.id ?? "")?.text;
  return (
    <li className={cx("relative", depth === 0 && "pb-3 pl-5")}>
      {depth === 0 && (
        <span className="absolute top-2 -left-[7px] bg-paper py-1">
          <Mark tone={tone} />
        </span>
      )}
      <div
        className={cx(
          depth === 0 && cx("rounded-lg border bg-sheet", tone === "run" ? "border-run-line" : "border-line"),
        )}
      >
        <GroupLine
          group={row.group!}
          title={titleOf(task, scene.get(row.id)!)}
          number={numberOf(scene.runs, task)}
          tone={tone}
          open={open}
          depth={depth}
          result={result}
          task={task}
          took={task?.ended_ms ? task.ended_ms - task.created_ms : 0}
          onToggle={() => scene.set(row.group!, !open)}
          className={depth === 0 ? "rounded-lg" : undefined}
        />
        {open && (
          <ol className={depth === 0 ? "pr-3 pb-2 pl-8 max-sm:pl-3" : "ml-[7px] border-l border-line pl-3"}>
            {row.inner!.map((r) => (
              <Item key={r.key} row={r} depth={depth + 1} scene={scene} />
            ))}
          </ol>
        )}
      </div>
    </li>
  );
}

/** An answer that is no message: it stands under its question. */
function Answered({ mark: m }: { mark: TimelineMark }) {
  const t = useWords(timeWords);
  const tone = m.by_timeout || m.what === "skip" ? "past" : m.what === "reject" ? "fail" : "done";
  return (
    <li aria-current="step" className="relative pb-3 pl-5 font-medium">
      <span className="absolute top-0.5 -left-[7px] bg-paper py-1">
        <Mark tone={tone} />
      </span>
      <p className="flex gap-2 text-xs text-soft">
        <span>{t.kinds[m.kind]}</span>
        <Time ms={m.ts} />
      </p>
      <p>{choice(m, t)}</p>
    </li>
  );
}
