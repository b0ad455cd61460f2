import type { TimelineMark } from "@clew-run/client";
import { useCallback, useEffect, useRef, useState } from "react";
import { useLocation, useSearch } from "wouter";
import { useDebounced } from "@/lib/useDebounced";
import { indexOf } from "./steps";

/**
 * Where on the timeline somebody stands. It is in the address, so that it can be
 * linked to, but follows there with a delay: browsers take only so many changes
 * of the address a second, and scrubbing makes more. At the end it stays at the
 * end when more comes.
 */
export function usePosition(marks: readonly TimelineMark[]) {
  const [path, navigate] = useLocation();
  const wanted = new URLSearchParams(useSearch()).get("at");
  const [picked, setPicked] = useState(wanted);
  const written = useRef(wanted);
  const settled = useDebounced(picked, 200);
  useEffect(() => {
    if (wanted !== written.current) setPicked(wanted); // back, forward, a link
    written.current = wanted;
  }, [wanted]);
  useEffect(() => {
    if (settled === written.current) return;
    written.current = settled;
    navigate(settled ? `${path}?at=${settled}` : path, { replace: true });
  }, [settled, path, navigate]);

  const at = picked ? indexOf(marks, picked) : marks.length - 1;
  const record = picked ?? marks.at(-1)?.message_id;
  return {
    at,
    record,
    link: `${location.origin}${path}?at=${record}`,
    go: useCallback((i: number) => setPicked(i >= marks.length - 1 ? null : (marks[i]?.message_id ?? null)), [marks]),
    toEnd: () => setPicked(null),
  };
}
