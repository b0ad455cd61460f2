import type { RunView, Session } from "@clew-run/client";
import { useRef } from "react";
import { useWords } from "@/i18n";
import { TodoRow } from "./TodoRow";
import type { Controls } from "./useControls";
import { planWords } from "./words";

/** The plan as a list on a thread. Dependencies are links that lead to their step. */
export function TodoList({ session, run, controls }: { session: Session; run: RunView; controls?: Controls }) {
  const t = useWords(planWords);
  const list = useRef<HTMLOListElement>(null);
  const go = (id: string) => {
    const row = list.current?.querySelector<HTMLElement>(`[data-todo="${CSS.escape(id)}"]`);
    row?.scrollIntoView({ block: "nearest" });
    row?.focus();
  };
  if (run.todos.length === 0) return <p className="text-soft">{t.planComing}</p>;
  return (
    <ol ref={list} aria-label={t.steps} className="flex flex-col">
      {run.todos.map((todo, i) => (
        <TodoRow
          key={todo.id}
          session={session}
          run={run}
          todo={todo}
          number={i + 1}
          controls={controls}
          onGo={go}
          last={i === run.todos.length - 1}
        />
      ))}
    </ol>
  );
}
