import type { Session } from "@clew-run/client";
import { useQuestions, useSnapshot } from "@clew-run/client/react";
import { CodeXml, Cpu, FileDiff, ListChecks, ShieldCheck, SquareTerminal } from "lucide-react";
import { useMemo } from "react";
import { useLocation } from "wouter";
import { useCommands, type Command } from "@/app/commands";
import { chipWords } from "@/features/chips/words";
import { useWords } from "@/i18n";
import { Mark } from "@/ui";
import type { Choices } from "./composer/useChoices";
import { answers } from "./header/status";
import { subjectOf } from "./questions/kinds";
import { useSide, type SidePart } from "./side/side";
import { sessionWords } from "./words";

/** What the palette offers of the session that is open, besides what its menu has. An open request is on top: the palette goes to it and never answers it. */
export function usePaletteRows(session: Session, choices: Choices | undefined): void {
  const t = useWords(sessionWords);
  const chips = useWords(chipWords);
  const [, navigate] = useLocation();
  const question = useQuestions(session)[0];
  const asked = useSnapshot(session, (s) => answers(s.session?.role)) ? question : undefined;
  const show = useSide((s) => s.show);
  useCommands(
    useMemo<Command[]>(() => {
      const row = (
        id: string,
        title: string,
        icon: Command["icon"],
        rank: number,
        run: () => void,
        note?: string,
      ): Command => ({ id: `session:${id}`, title, icon, note, rank, group: t.parts, here: true, run });
      const chip = (name: string) => () => document.querySelector<HTMLElement>(`[data-chip="${name}"]`)?.click();
      const part = (p: SidePart, icon: Command["icon"]) => row(p, t[p], icon, 40, () => show(p));
      return [
        ...(asked
          ? [
              row(
                "request",
                t.toRequest,
                <Mark tone="ask" />,
                0,
                () => goTo(asked.request_id, () => navigate(`/s/${session.id}?question=${asked.request_id}`)),
                subjectOf(asked).slice(0, 120),
              ),
            ]
          : []),
        ...(choices
          ? [
              row("model", t.switchModel, <Cpu size={16} />, 10, chip("model"), choices.model),
              row(
                "mode",
                t.switchMode,
                <CodeXml size={16} />,
                30,
                chip("mode"),
                chips.modes[choices.mode] ?? choices.mode,
              ),
              row(
                "permissions",
                t.switchPermissions,
                <ShieldCheck size={16} />,
                31,
                chip("permissions"),
                chips.presets[choices.preset],
              ),
            ]
          : []),
        part("plan", <ListChecks size={16} />),
        part("changes", <FileDiff size={16} />),
        part("terminal", <SquareTerminal size={16} />),
      ];
    }, [t, chips, asked, choices, session, navigate, show]),
  );
}

/** To a question that is on the page already; its address alone would not move the page a second time. */
function goTo(id: string, otherwise: () => void): void {
  const card = document.querySelector<HTMLElement>(`[data-question="${CSS.escape(id)}"]`);
  if (!card) return otherwise();
  card.scrollIntoView({ block: "center" });
  card.focus({ preventScroll: true });
}
