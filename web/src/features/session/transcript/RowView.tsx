import type { Question, Session } from "@clew-run/client";
import { memo, useId, useState, type KeyboardEvent } from "react";
import { cx } from "@/ui";
import { Brief } from "./Brief";
import { CellRun } from "./CellRun";
import { GroupHead, GroupThread } from "./GroupHead";
import { isHalted, toneOfCall, viewOf } from "./call";
import { MessageActions } from "./MessageActions";
import { ErrorRow, LoneOutput, Marker, Meta } from "./Notes";
import { QuestionRow } from "./QuestionRow";
import { Reads } from "./Reads";
import { ReturnNote } from "./ReturnNote";
import { RowHead, useSpeaker } from "./RowHead";
import { sameRow, type Row } from "./rows";
import { AgentText, Alone, Reasoning, Result, UserText } from "./Said";
import { Thread, type ThreadMark } from "./Thread";
import { ToolCard } from "./ToolCard";
import { useCalmMessage } from "./useCalmMessage";

export interface RowProps {
  session: Session;
  row: Row;
  question?: Question;
  /** The turn that this row is part of goes on. */
  current: boolean;
  /** The one row that Tab reaches; the arrow keys go on from it. */
  reachable: boolean;
  place: number;
  of: number;
  onMove(place: number, key: string): void;
  onFocusRow(key: string): void;
  onToggle(task: string, open: boolean): void;
}

/** A row of the transcript: the thread, who speaks, and what. */
export const RowView = memo(
  function RowView({ session, row, question, current, reachable, place, of, onMove, onFocusRow, onToggle }: RowProps) {
    const m = useCalmMessage(session, row.id);
    const id = useId();
    const speaker = useSpeaker(row, m);
    const [near, setNear] = useState(false); // its menu is made when somebody comes near, not for every row
    if (!m && !question && !row.note) return null;
    const sub = row.voice === "sub";
    const asking = question !== undefined;
    const live = m?.partial === true;
    const content = () => {
      if (row.note) return <ReturnNote session={session} note={row.note} />;
      if (!m) return <QuestionRow session={session} question={question} />;
      switch (row.kind) {
        case "user":
          return <UserText session={session} message={m} />;
        case "text":
          return (
            <>
              <AgentText session={session} message={m} />
              <Alone message={m} />
            </>
          );
        case "group":
          return <GroupHead session={session} row={row} message={m} onToggle={onToggle} />;
        case "brief":
          return <Brief session={session} message={m} inGroup />;
        case "reasoning":
          return <Reasoning text={m.reasoning ?? m.text ?? ""} growing={live} />;
        case "call":
          return <ToolCard session={session} message={m} outputs={row.more} question={question} />;
        case "reads":
          return <Reads session={session} ids={[row.id, ...row.more]} />;
        case "question":
          return <QuestionRow session={session} message={m} question={question} />;
        case "result":
          return (
            <>
              <Result session={session} message={m} sub={sub || m.say === "subtask_result"} />
              <Alone message={m} />
            </>
          );
        case "output":
          return <LoneOutput message={m} />;
        case "cell":
          return <CellRun session={session} row={row} />;
        case "error":
          return <ErrorRow message={m} />;
        case "marker":
          return <Marker session={session} message={m} />;
        case "meta":
          return <Meta session={session} ids={[row.id, ...row.more]} />;
        case "return":
          return null; // told by its note
      }
    };
    const mark = (): ThreadMark => {
      if (asking) return "ask";
      if (row.card) return "none";
      if (row.note) return "past";
      if (!m) return "none";
      switch (row.kind) {
        case "user":
          return "user";
        case "error":
          return "fail";
        case "result":
          return "done";
        case "question":
          return "past";
        case "marker":
          return m.say === "api_req_retry_delayed" && current ? "ask" : "past";
        case "call": {
          const v = viewOf(m, asking, row.more.length > 0, isHalted(session.store.getSnapshot().questions, m.task_id));
          const tone = toneOfCall(v);
          return tone === "fail" || tone === "run" ? tone : row.head ? "agent" : "none";
        }
        default:
          return row.head || live ? "agent" : "none";
      }
    };
    const slim = row.kind === "marker" || row.kind === "meta" || row.kind === "return";
    const said = row.kind === "user" || row.kind === "text" || row.kind === "result";
    const onKeyDown = (e: KeyboardEvent<HTMLElement>) => {
      if (e.target !== e.currentTarget && !e.key.startsWith("Page")) return; // keys inside are for what is inside
      if (e.target instanceof HTMLTextAreaElement || e.target instanceof HTMLInputElement) return;
      if (
        !["ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End"].includes(e.key) ||
        e.ctrlKey ||
        e.metaKey ||
        e.altKey
      )
        return;
      e.preventDefault();
      onMove(place, e.key);
    };
    return (
      <article
        data-row={row.kind}
        data-message={row.id}
        tabIndex={reachable ? 0 : -1}
        aria-labelledby={row.head && m ? id : undefined}
        aria-label={row.head && m ? undefined : speaker}
        aria-posinset={place + 1}
        aria-setsize={of}
        onKeyDown={onKeyDown}
        onPointerEnter={() => setNear(true)}
        onFocus={() => {
          setNear(true);
          onFocusRow(row.key);
        }}
        className={cx(
          "group/row relative px-10 -outline-offset-2 slim:pr-3.5 slim:pl-[34px]",
          row.card
            ? cx(row.card.first && "pt-1.5", row.card.last && "pb-2")
            : row.head
              ? "pt-3"
              : row.kind === "cell" || row.kind === "call" || row.kind === "reads" || slim
                ? "pt-0"
                : "pt-2",
          !row.card && (slim ? "pb-0.5" : "pb-1"),
        )}
      >
        {row.kind === "group" && !row.card?.depth && !asking ? (
          <GroupThread session={session} group={row.group!} line={current ? "run" : "past"} />
        ) : (
          <Thread
            mark={mark()}
            line={asking ? "ask" : current ? "run" : "past"}
            live={live}
            place={
              row.card || (asking && !row.head)
                ? "card"
                : row.head
                  ? "head"
                  : row.kind === "cell" || row.kind === "call" || row.kind === "reads"
                    ? "call"
                    : row.kind === "reasoning"
                      ? "fold"
                      : slim
                        ? "note"
                        : "text"
            }
          />
        )}
        <div className={cx("min-w-0", row.card && cardLook(row))}>
          {row.head && m && <RowHead row={row} message={m} id={id} />}
          {row.card && row.card.depth > 1 ? (
            <div
              className="border-l border-line py-0.5 pl-3"
              style={{ marginLeft: 7 + (Math.min(row.card.depth, deepest) - 2) * 19 }}
            >
              {content()}
            </div>
          ) : (
            content()
          )}
        </div>
        {near && said && m && !live && <MessageActions session={session} message={m} />}
      </article>
    );
  },
  (a, b) =>
    sameRow(a.row, b.row) &&
    a.session === b.session &&
    a.question === b.question &&
    a.current === b.current &&
    a.reachable === b.reachable &&
    a.place === b.place &&
    a.of === b.of &&
    a.onMove === b.onMove &&
    a.onFocusRow === b.onFocusRow &&
    a.onToggle === b.onToggle,
);

/** Rows of groups further inside are not indented more: they need room for their words. */
const deepest = 5;

/** A row's part of the card that it and its neighbours make up. */
function cardLook({ kind, card }: Row): string {
  const { first, last, live, end, depth } = card!;
  return cx(
    "border-x bg-sheet",
    live ? "border-run-line" : "border-line",
    first && "rounded-t-lg border-t",
    last && cx("rounded-b-lg border-b", live && "shadow-card"),
    kind === "group" && depth === 0
      ? !first && "border-t border-t-line"
      : cx("pr-3 pl-8 slim:px-3", depth > 1 ? end && "pb-2" : end ? "pt-0.5 pb-2.5" : "py-0.5"),
  );
}
