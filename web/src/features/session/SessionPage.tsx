import type { Session, TimelineMark } from "@clew-run/client";
import { useConnection, useSession, useSnapshot } from "@clew-run/client/react";
import { CircleHelp } from "lucide-react";
import { useEffect, useRef } from "react";
import { useSearch } from "wouter";
import { announce, notify } from "@/app/notices";
import { useWords } from "@/i18n";
import { refreshSessions } from "@/features/inbox/useSessionList";
import { Notices } from "@/features/notices/Notices";
import { PhoneWindows, WindowBar, Windows } from "@/features/windows/Windows";
import { lazyPart } from "@/lib/lazyPart";
import { useNarrow } from "@/lib/useNarrow";
import { Empty, Loading } from "@/ui";
import { Composer } from "./composer/Composer";
import { useChoices, type Choices } from "./composer/useChoices";
import { FindBar } from "./find/FindBar";
import { Header } from "./header/Header";
import { isFinal, Problem } from "./Problem";
import { QuestionDock } from "./questions/QuestionDock";
import { QuestionSheet } from "./questions/QuestionSheet";
import { useSheet } from "./questions/sheet";
import { Returned } from "./Returned";
import { PhoneTabs } from "./side/PhoneTabs";
import { useSide } from "./side/side";
import { Changes, Plan, SidePanel } from "./side/SidePanel";
import { Terminal } from "./side/Terminal";
import { TimelineBar } from "./side/TimelineBar";
import { useTimeline } from "./side/useTimeline";
import { usePaletteRows } from "./usePaletteRows";
import type { Note } from "./transcript/notes";
import { Transcript } from "./transcript/Transcript";
import { useNotes } from "./transcript/useNotes";
import { transcriptWords } from "./transcript/words";
import { sessionWords } from "./words";

/** Nobody needs them before the page is there. */
const SessionDialogs = lazyPart(() => import("./header/SessionDialogs").then((m) => m.SessionDialogs), true);

const noMarks: readonly TimelineMark[] = [];

/** A session: what was said and done, what goes on, and a place to write. */
export function SessionPage({ sessionId }: { sessionId: string }) {
  const session = useSession(sessionId);
  const connection = useConnection(session);
  const known = useSnapshot(session, (s) => s.session !== null);
  const narrow = useNarrow();
  const { phone, setPhone } = useSide();
  const named = new URLSearchParams(useSearch()).get("question");
  useEffect(() => {
    if (named || useSide.getState().phoneOf !== sessionId) setPhone("chat"); // a named question is shown where it was asked
    useSide.setState({ phoneOf: "" });
  }, [named, sessionId, setPhone]);
  const returned = useSnapshot(session, (s) => s.session?.can_undo === true || s.session?.can_redo === true);
  const timeline = useTimeline(session, known && (!narrow || returned)); // a phone has no bar for it
  const marks = timeline?.marks ?? noMarks;
  const notes = useNotes(session, marks);
  const choices = useChoices(session);
  useSpokenEnd(session);
  useRestored(session);
  useListed(session);
  usePaletteRows(session, choices);
  if (!known && isFinal(connection.lastError))
    return <Problem error={connection.lastError} retry={session.reconnect} />;
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <Header session={session} choices={choices} />
      <div className="relative flex min-h-0 flex-1">
        {(!narrow || phone === "chat") && <Chat session={session} known={known} notes={notes} choices={choices} />}
        {narrow && phone !== "chat" && <PhonePart session={session} />}
        {!narrow && known && <SidePanel session={session} />}
        <Windows session={session} wide={!narrow} />
        <Notices session={session} className="top-3 right-4" />
      </div>
      {!narrow && <WindowBar session={session} />}
      {narrow ? <PhoneTabs session={session} /> : <TimelineBar session={session} timeline={timeline} />}
      <SessionDialogs session={session} />
    </div>
  );
}

/** The list in the rail has this session as well: it is asked for again when the session stands otherwise. */
function useListed(session: Session): void {
  const state = useSnapshot(
    session,
    (s) => s.session && `${s.session.status} ${s.session.title} ${s.questions.length}`,
  );
  const known = useRef<string | null>(null);
  useEffect(() => {
    if (known.current !== null && state !== known.current) refreshSessions();
    known.current = state;
  }, [state]);
}

/** Says aloud that the agent is done, for those who do not see it stop. */
function useSpokenEnd(session: Session): void {
  const t = useWords(transcriptWords);
  const working = useSnapshot(
    session,
    (s) => s.synced && (s.session?.status === "executing" || s.session?.status === "planning"),
  );
  const resting = useSnapshot(
    session,
    (s) => s.synced && (s.session?.status === "idle" || s.session?.status === "completed"),
  );
  const worked = useRef(false);
  useEffect(() => {
    if (working) worked.current = true;
    if (!resting || !worked.current) return;
    worked.current = false;
    announce(t.newAnswer);
  }, [working, resting, t]);
}

/** Says that the server was restored from a backup, and what was seen after it is gone. */
export function useRestored(session: Pick<Session, "on">): void {
  const t = useWords(sessionWords);
  useEffect(
    () =>
      session.on("error", ({ data }) => {
        if (data.code === "CURSOR_LOST") notify({ tone: "ask", text: t.restored, about: "restored", stays: true });
      }),
    [session, t],
  );
}

interface ChatProps {
  session: Session;
  known: boolean;
  notes: readonly Note[];
  choices: Choices | undefined;
}

function Chat({ session, known, notes, choices }: ChatProps) {
  const t = useWords(sessionWords);
  const sheet = useSheet(session);
  return (
    <section aria-label={t.chat} className="flex min-h-0 min-w-0 flex-1 flex-col">
      {known && <FindBar session={session} />}
      {known ? (
        <Transcript session={session} notes={notes} />
      ) : (
        <div className="flex-1">
          <Loading />
        </div>
      )}
      <Returned session={session} last={notes.findLast((n) => n.what === "back" || n.what === "forth")} />
      {sheet && <QuestionSheet session={session} sheet={sheet} />}
      {known && (
        <div className={sheet?.raised ? "hidden" : "contents"}>
          <Composer session={session} choices={choices} />
        </div>
      )}
    </section>
  );
}

/** The parts of the session besides the chat, on a phone. */
function PhonePart({ session }: { session: Session }) {
  const t = useWords(sessionWords);
  const phone = useSide((s) => s.phone);
  const asked = useSnapshot(session, (s) => s.questions.length > 0);
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col overflow-y-auto">
      {phone === "plan" && <Plan session={session} />}
      {phone === "terminal" && <Terminal session={session} />}
      {phone === "changes" && <Changes session={session} />}
      {phone === "windows" && <PhoneWindows session={session} />}
      {phone === "questions" &&
        (asked ? (
          <div className="p-3">
            <QuestionDock session={session} />
          </div>
        ) : (
          <Empty icon={<CircleHelp size={22} />} title={t.noQuestions}>
            {t.noQuestionsHelp}
          </Empty>
        ))}
    </div>
  );
}
