import { Cpu } from "lucide-react";
import { useState } from "react";
import { client } from "@/app/client";
import { modelChoices, modesOf, presets, type ModelChoice } from "@/features/chips/choices";
import { chipWords } from "@/features/chips/words";
import { useWords } from "@/i18n";
import { Menu, type MenuEntry } from "@/ui";
import type { Choices } from "../composer/useChoices";

/** Which model works here, in the head of the session; behind it the mode and the permissions as well. */
export function ModelFact({ now }: { now: Choices }) {
  const t = useWords(chipWords);
  const [models, setModels] = useState<ModelChoice[] | null>(null);
  const load = () =>
    void client.rest.models.list().then(
      (l) => setModels(modelChoices(l.models)),
      () => setModels([]),
    );
  const modes = modesOf(now.customModes).map((m) => ({ ...m, name: m.name ?? t.modes[m.slug] ?? m.slug }));
  const said = t.allThree(now.model, modes.find((m) => m.slug === now.mode)?.name ?? now.mode, t.presets[now.preset]!);
  const items: MenuEntry[] = [
    { heading: t.model },
    ...(models ?? []).map((m) => ({
      id: `model ${m.profile}/${m.model ?? ""}`,
      label: m.name,
      checked: m.name === now.model && (now.profile === undefined || now.profile === m.profile),
      run: () => now.chooseModel(m),
    })),
    ...(models?.length
      ? []
      : [{ id: "none", label: models === null ? t.loading : t.noModels, disabled: true, run: () => {} }]),
    { heading: t.mode },
    ...modes.map((m) => ({
      id: `mode ${m.slug}`,
      label: m.name,
      checked: m.slug === now.mode,
      run: () => now.chooseMode(m.slug, m.name),
    })),
    { heading: t.permissions },
    ...presets.map((p) => ({
      id: `permissions ${p}`,
      label: t.presets[p]!,
      checked: p === now.preset,
      run: () => now.choosePreset(p, t.presets[p]!),
    })),
  ];
  return (
    <Menu
      label={t.three}
      onOpen={load}
      items={items}
      trigger={
        <button
          type="button"
          aria-label={said}
          title={said}
          data-model-fact
          className="flex h-7 max-w-44 min-w-7 items-center gap-1.5 rounded px-1.5 text-sm text-soft hover:bg-hover hover:text-ink pointer-coarse:h-(--row) pointer-coarse:min-w-(--row)"
        >
          <Cpu size={14} aria-hidden className="shrink-0" />
          <span className="truncate">{now.model}</span>
        </button>
      }
    />
  );
}
