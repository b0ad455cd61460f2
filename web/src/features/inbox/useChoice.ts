import type { InboxItem, Question } from "@clew-run/client";
import { useCallback, useMemo, useState } from "react";
import { likeness } from "@/features/session/questions/alike";

/** What is chosen to be approved together. The first one chosen says what the others must be like. */
export function useChoice(items: readonly InboxItem[]) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const chosen = useMemo(() => items.filter((i) => ids.has(i.question.request_id)), [items, ids]);
  const key = chosen[0] ? likeness(chosen[0].question) : null;
  const alike = useMemo(() => (key === null ? [] : items.filter((i) => likeness(i.question) === key)), [items, key]);
  const toggle = useCallback(
    (id: string) => {
      setIds((before) => {
        const next = new Set([...before].filter((b) => items.some((i) => i.question.request_id === b)));
        if (next.delete(id)) return next;
        const like = (r: string) => likeness(items.find((i) => i.question.request_id === r)!.question);
        const item = items.find((i) => i.question.request_id === id);
        const first = [...next][0];
        if (
          !item ||
          likeness(item.question) === null ||
          (first !== undefined && like(first) !== likeness(item.question))
        )
          return before;
        return next.add(id);
      });
    },
    [items],
  );
  return {
    chosen,
    /** How many more there are like those chosen. */
    rest: alike.length - chosen.length,
    has: (q: Question) => ids.has(q.request_id),
    fits: (q: Question) => key === null || likeness(q) === key,
    toggle,
    all: useCallback(() => setIds(new Set(alike.map((i) => i.question.request_id))), [alike]),
    clear: useCallback(() => setIds(new Set()), []),
  };
}
