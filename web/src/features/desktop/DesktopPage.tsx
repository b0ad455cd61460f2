import type { TimelineMark } from "@clew-run/client";
import { useConnection, useSnapshot } from "@clew-run/client/react";
import { useEffect } from "react";
import { Redirect, useSearch } from "wouter";
import { Notices } from "@/features/notices/Notices";
import { isFinal, Problem } from "@/features/session/Problem";
import { useTimeline } from "@/features/session/side/useTimeline";
import { mainMonitor } from "@/features/session/transcript/scope";
import { useNotes } from "@/features/session/transcript/useNotes";
import { lookAt, monitors } from "@/features/windows/desk";
import { useSpokenWindows } from "@/features/windows/Windows";
import { lazyPart } from "@/lib/lazyPart";
import { useNarrow } from "@/lib/useNarrow";
import { Loading } from "@/ui";
import { PhoneDesktop } from "./PhoneDesktop";
import { useScreenSession } from "./useScreenSession";
import { WideDesktop } from "./WideDesktop";

const SessionDialogs = lazyPart(
  () => import("@/features/session/header/SessionDialogs").then((m) => m.SessionDialogs),
  true,
);
const noMarks: readonly TimelineMark[] = [];

/** A session as a desktop: its monitors, the windows on one of them, the conversation there, and the agents at work. */
export function DesktopPage({ sessionId, monitor = mainMonitor }: { sessionId: string; monitor?: string }) {
  const screen = new URLSearchParams(useSearch()).has("screen");
  const session = useScreenSession(sessionId, monitor, screen);
  const connection = useConnection(session);
  const known = useSnapshot(session, (s) => s.session !== null);
  const notes = useNotes(session, useTimeline(session, known)?.marks ?? noMarks);
  const narrow = useNarrow();
  const there = (monitors as readonly string[]).includes(monitor);
  useSpokenWindows(session);
  useEffect(() => {
    if (there) lookAt(session, monitor);
  }, [session, monitor, there]);
  if (!there) return <Redirect to={`/s/${sessionId}/desktop`} replace />;
  if (!known)
    return isFinal(connection.lastError) ? (
      <Problem error={connection.lastError} retry={session.reconnect} />
    ) : (
      <Loading />
    );
  const Shown = narrow ? PhoneDesktop : WideDesktop;
  return (
    <div className="relative flex min-h-0 flex-1 flex-col" data-desktop={monitor}>
      <Shown session={session} monitor={monitor} notes={notes} />
      <Notices session={session} className="right-5 bottom-20" />
      <SessionDialogs session={session} />
    </div>
  );
}
