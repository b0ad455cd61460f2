import { memo } from "react";
import { ModeChip, ModelChip, PermissionChip } from "@/features/chips/Chips";
import { modesOf } from "@/features/chips/choices";
import { chipWords } from "@/features/chips/words";
import { useWords } from "@/i18n";
import type { Choices } from "./useChoices";

/** The model, the mode and the permissions of a session, and how to change them. */
export const SessionChips = memo(function SessionChips({ now }: { now: Choices | undefined }) {
  const t = useWords(chipWords);
  if (!now) return null;
  const modes = modesOf(now.customModes);
  return (
    <>
      <ModelChip name={now.model} profile={now.profile} onChoose={now.useModel} />
      <ModeChip slug={now.mode} modes={modes} onChoose={(slug) => now.useMode(slug, modes.find((m) => m.slug === slug)?.name ?? t.modes[slug] ?? slug)} />
      <PermissionChip preset={now.preset} onChoose={(p) => now.usePreset(p, t.presets[p]!)} />
    </>
  );
});
