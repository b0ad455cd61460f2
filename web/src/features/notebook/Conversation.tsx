import type { Session, TimelineMark } from "@clew-run/client";
import { useTimeline } from "@/features/session/side/useTimeline";
import { Transcript } from "@/features/session/transcript/Transcript";
import { useNotes } from "@/features/session/transcript/useNotes";

const noMarks: readonly TimelineMark[] = [];

/** The conversation of the session, beside its notebook. */
export function Conversation({ session }: { session: Session }) {
  const notes = useNotes(session, useTimeline(session, true)?.marks ?? noMarks);
  return (
    <div className="@container flex min-h-0 flex-1 flex-col">
      <Transcript session={session} notes={notes} />
    </div>
  );
}
