import type { Session } from "@clew-run/client";
import { useEffect, useRef } from "react";
import { useLocation } from "wouter";
import { notify } from "@/app/notices";
import { usePrefs } from "@/app/prefs";
import { useWords } from "@/i18n";
import { useSide } from "../side/side";
import { onAcceptInput, onInvoke, onShowView, type ComposerPart, type Page } from "./react";
import { hush, speak } from "./speech";
import { askWords } from "./words";

/** Hears what the server asks of the page, and offers it to whoever sits before it. */
export function useAsks(session: Session, composer: ComposerPart): void {
  const t = useWords(askWords);
  const [, navigate] = useLocation();
  const latest = useRef({ t, composer });
  latest.current = { t, composer };
  useEffect(() => {
    const page: Page = {
      offer: (text, label, run) => notify({ tone: "ask", text, action: { label, run } }),
      tell: (text) => notify({ tone: "run", text }),
      navigate,
      showPart: (part) => (part === "chat" ? useSide.getState().setPhone("chat") : useSide.getState().show(part)),
      question: () => session.store.getSnapshot().questions[0]?.request_id,
      composer: {
        isEmpty: () => latest.current.composer.isEmpty(), isTyping: () => latest.current.composer.isTyping(),
        putIn: (text, images) => latest.current.composer.putIn(text, images), submit: () => latest.current.composer.submit(),
      },
    };
    const words = () => latest.current.t;
    const now = () => session.store.getSnapshot().synced; // what a replay brings was asked of a page before this one
    const stops = [
      session.on("show_view", (e) => void (now() && onShowView(page, words(), session.id, e.data.view))),
      session.on("invoke", (e) => void (now() && onInvoke(page, words(), session.id, e.data))),
      session.on("accept_input", () => void (now() && onAcceptInput(page, words()))),
      session.on("auto_approval_changed", (e) => void (now() && page.tell(e.data.auto_approval_enabled ? words().autoOn : words().autoOff))),
      session.on("tts_start", (e) => {
        const { speak: wanted, language } = usePrefs.getState();
        if (now() && wanted) speak(e.data.text, language);
      }),
      session.on("tts_stop", hush),
    ];
    return () => {
      hush();
      for (const stop of stops) stop();
    };
  }, [session, navigate]);
}
