import type { Session, TimelineMark } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { useMemo } from "react";
import { notesOf, type Note } from "./notes";

/** Where the session was taken back or forked, by its timeline. The same list as long as it says the same. */
export function useNotes(session: Session, marks: readonly TimelineMark[]): readonly Note[] {
  const from = useSnapshot(session, (s) => s.session?.forked_from);
  const told = JSON.stringify(notesOf(marks, from));
  return useMemo(() => JSON.parse(told) as Note[], [told]);
}
