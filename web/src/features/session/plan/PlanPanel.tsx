import type { RunView, Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { History, ListTree, Route, Workflow } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { useWords } from "@/i18n";
import { lazyPart } from "@/lib/lazyPart";
import { Button, Empty, ErrorNote, Mark, Menu, Segmented } from "@/ui";
import { ownSteps } from "./own";
import { OwnSteps } from "./OwnSteps";
import { isOver } from "./possible";
import { RunControls } from "./RunControls";
import { RunHead } from "./RunHead";
import { RunResult } from "./RunResult";
import { TodoList } from "./TodoList";
import { TodoRow } from "./TodoRow";
import { useControls } from "./useControls";
import { usePlanView } from "./usePlanView";
import { planWords } from "./words";

const PlanGraph = lazyPart(() => import("./PlanGraph").then((m) => m.PlanGraph));

/** What the agent is up to: the steps it keeps for itself, and the runs of the session with their plans. */
export function PlanPanel({ session }: { session: Session }) {
  const t = useWords(planWords);
  const own = useSnapshot(session, ownSteps);
  const runs = useSnapshot(session, (s) => s.runs);
  const working = useSnapshot(session, (s) => s.session?.status === "executing" || s.session?.status === "planning");
  const resting = useSnapshot(session, (s) => s.session?.status === "idle" || s.session?.status === "completed");
  const owner = useSnapshot(session, (s) => s.session?.role === undefined || s.session.role === "owner");
  if (own.length === 0 && runs.length === 0)
    return (
      <Empty icon={<Route size={28} />} title={t.noPlan}>
        {owner ? t.noPlanHelp : t.noPlanWatch}
      </Empty>
    );
  return (
    <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
      {own.length > 0 && <OwnSteps todos={own} working={working} resting={resting} />}
      {own.length > 0 && runs.length > 0 && <hr className="mx-4 border-line" />}
      <Runs session={session} />
    </div>
  );
}

/** The newest run's plan as a list or a graph, live, with what can be done; older ones in a menu. */
function Runs({ session }: { session: Session }) {
  const t = useWords(planWords);
  const runs = useSnapshot(session, (s) => s.runs);
  const [chosen, setChosen] = useState<string | null>(null);
  const newest = runs.at(-1);
  const run = runs.find((r) => r.run_id === chosen) ?? newest;
  if (!run || !newest) return null;
  return (
    <div className="flex flex-1 flex-col" data-run={run.run_id}>
      {runs.length > 1 && (
        <div className="flex items-center gap-2 px-4 pt-2 text-sm text-soft">
          <span className="flex-1">{run === newest ? t.newestRun : t.olderRun}</span>
          <Menu
            label={t.runs}
            trigger={
              <Button look="quiet" icon={<History size={14} />}>
                {t.runs}
              </Button>
            }
            items={[...runs].reverse().map((r, i) => ({
              id: r.run_id,
              label: t.runNumber(runs.length - i, r.todos.length),
              icon: <Mark tone={r === run ? "run" : "past"} size={10} />,
              run: () => setChosen(r === newest ? null : r.run_id),
            }))}
          />
        </div>
      )}
      <RunBody key={run.run_id} session={session} run={run} />
    </div>
  );
}

function RunBody({ session, run }: { session: Session; run: RunView }) {
  const t = useWords(planWords);
  const controls = useControls(session);
  const [view, setView] = usePlanView();
  const [selected, setSelected] = useState<string | null>(null);
  const todo = run.todos.find((d) => d.id === selected);
  const mayAct = useSnapshot(session, (s) => s.session?.role === undefined || s.session.role === "owner");
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3 px-4 py-3">
      <RunHead session={session} run={run} />
      <div className="flex flex-wrap items-center gap-2">
        {run.todos.length > 0 && (
          <Segmented
            label={t.view}
            value={view}
            onChange={setView}
            options={[
              { id: "list", name: t.list, icon: <ListTree size={14} /> },
              { id: "graph", name: t.graph, icon: <Workflow size={14} /> },
            ]}
          />
        )}
        {mayAct && (
          <div className="ml-auto flex items-center gap-1">
            <RunControls run={run} controls={controls} />
          </div>
        )}
      </div>
      {controls.problem !== null && <ErrorNote error={controls.problem} />}
      <ReviewBanner session={session} run={run} />
      {isOver(run) && <RunResult run={run} />}
      {view === "list" || run.todos.length === 0 ? (
        <TodoList session={session} run={run} controls={mayAct ? controls : undefined} />
      ) : (
        <>
          <PlanGraph todos={run.todos} selected={selected} onSelect={setSelected} />
          {todo && (
            <ol className="border-t border-line pt-2">
              <TodoRow
                session={session}
                run={run}
                todo={todo}
                number={run.todos.indexOf(todo) + 1}
                controls={mayAct ? controls : undefined}
                onGo={setSelected}
                alone
              />
            </ol>
          )}
        </>
      )}
    </div>
  );
}

/** A plan that waits for a yes says so where the plan is looked at. */
function ReviewBanner({ session, run }: { session: Session; run: RunView }) {
  const t = useWords(planWords);
  const [, navigate] = useLocation();
  const review = useSnapshot(session, (s) =>
    s.questions.find((q) => q.type === "hitl_plan_review" && q.plan_id === run.plan?.id),
  );
  if (review?.type !== "hitl_plan_review") return null;
  return (
    <div className="flex flex-wrap items-center gap-2 rounded bg-ask-wash px-3 py-2">
      <Mark tone="ask" />
      <span className="min-w-0 flex-1">{t.waitsForYes(review.version)}</span>
      <Button onClick={() => navigate(`/s/${session.id}?question=${review.request_id}`)}>{t.goToReview}</Button>
    </div>
  );
}
