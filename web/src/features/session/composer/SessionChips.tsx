import { memo } from "react";
import { ModeChip, ModelChip, PermissionChip } from "@/features/chips/Chips";
import { modesOf } from "@/features/chips/choices";
import { chipWords } from "@/features/chips/words";
import { useWords } from "@/i18n";
import type { Choices } from "./useChoices";

/**
 * The model, the mode and the permissions of a session, and how to change them. They take
 * the room that the buttons leave: with little of it they are cut, then icons.
 */
export function SessionChips({ now }: { now: Choices | undefined }) {
  return (
    <span className="@container/chips flex min-w-[calc(3*var(--row)+4px)] flex-1 items-center gap-x-0.5">
      {now && <Three now={now} />}
    </span>
  );
}

const Three = memo(function Three({ now }: { now: Choices }) {
  const t = useWords(chipWords);
  const modes = modesOf(now.customModes);
  return (
    <>
      <ModelChip name={now.model} profile={now.profile} onChoose={now.chooseModel} />
      <ModeChip
        slug={now.mode}
        modes={modes}
        onChoose={(slug) => now.chooseMode(slug, modes.find((m) => m.slug === slug)?.name ?? t.modes[slug] ?? slug)}
      />
      <PermissionChip preset={now.preset} onChoose={(p) => now.choosePreset(p, t.presets[p]!)} />
    </>
  );
});
