import type { Todo } from "@clew-run/client";
import { useWords } from "@/i18n";
import { cx, Mark, toneOf } from "@/ui";
import { Revealed } from "../questions/Revealed";
import { tally } from "./possible";
import { planWords } from "./words";

/** The list that an agent keeps for itself, on a thread. Nobody approves it, and nothing can be done to it but say so. */
export function OwnSteps({ todos, working, resting }: { todos: readonly Todo[]; working: boolean; resting: boolean }) {
  const t = useWords(planWords);
  const n = tally(todos);
  // An agent that ended its turn leaves a step as it was; nobody works on it.
  const now = (d: Todo) => (resting && d.status === "in_progress" ? "pending" : d.status);
  return (
    <section aria-label={t.ownSteps} className="px-4 py-3" data-own-steps={todos.length}>
      <div className="flex items-baseline gap-3 pb-1.5">
        <h2 className="font-medium">{t.ownSteps}</h2>
        <span className="text-sm text-soft">{t.doneOf(n.done, n.total)}</span>
      </div>
      <ol className="flex flex-col">
        {todos.map((d, i) => (
          <li
            key={d.id}
            data-status={d.status}
            className={cx(
              "relative flex gap-2.5 py-1",
              i < todos.length - 1 && "before:absolute before:top-5 before:-bottom-1.5 before:left-[5px] before:w-0.5",
              i < todos.length - 1 && (d.status === "completed" ? "before:bg-run" : "before:bg-line"),
            )}
          >
            <span className="z-10 mt-1 h-3 bg-paper">
              <Mark tone={toneOf(now(d))} live={working && d.status === "in_progress"} />
            </span>
            <p
              className={cx(
                "min-w-0 flex-1",
                d.status === "completed" && "text-soft",
                d.status === "skipped" && "text-soft line-through",
                d.status === "in_progress" && "font-medium",
              )}
            >
              <Revealed text={d.task} />
              <span className="sr-only"> ({t.todoStatus[now(d)]})</span>
            </p>
          </li>
        ))}
      </ol>
      <p className="pt-1.5 text-sm text-soft">{t.ownStepsHelp}</p>
    </section>
  );
}
