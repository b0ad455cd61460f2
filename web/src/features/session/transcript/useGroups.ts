import { useCallback, useEffect, useRef, useState } from "react";
import type { GroupFacts } from "./groups";

/**
 * Which groups are unfolded: those that are at work, and what somebody chose. One that
 * ends while somebody reads further up stays as it is, so that nothing moves under them.
 */
export function useGroups(facts: ReadonlyMap<string, GroupFacts>, reading: boolean) {
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map());
  const before = useRef(facts);
  const ended = [...before.current]
    .filter(([task, f]) => f.live && facts.get(task)?.live === false && !chosen.has(task))
    .map(([task]) => task);
  const kept = useRef(new Set<string>());
  if (reading) for (const task of ended) kept.current.add(task);
  useEffect(() => {
    before.current = facts;
  }, [facts]);
  const isOpen = useCallback(
    (task: string) => chosen.get(task) ?? (facts.get(task)?.live === true || kept.current.has(task)),
    [chosen, facts],
  );
  const set = useCallback(
    (task: string, open: boolean) => setChosen((c) => (c.get(task) === open ? c : new Map(c).set(task, open))),
    [],
  );
  return { isOpen, set };
}
