import type { ModelInUse, Preset } from "@clew-run/client";
import { Folder } from "lucide-react";
import { useState } from "react";
import { client } from "@/app/client";
import { Chip, ModeChip, ModelChip, PermissionChip } from "@/features/chips/Chips";
import { modesOf, presetOf } from "@/features/chips/choices";
import { chipWords } from "@/features/chips/words";
import { baseName } from "@/features/start/names";
import { useWords } from "@/i18n";
import { lazyPart } from "@/lib/lazyPart";
import { useLoaded } from "@/lib/useLoaded";
import type { NewWork } from "./start";

const FolderDialog = lazyPart(() => import("@/features/start/FolderDialog").then((m) => m.FolderDialog), true);

/** Where a new session works, with which model, in which mode, and what it may do without asking. */
export function NewChips({
  work,
  model,
  change,
}: {
  work: NewWork;
  model: ModelInUse | undefined;
  change(to: Partial<NewWork>): void;
}) {
  const t = useWords(chipWords);
  const [browsing, setBrowsing] = useState(false);
  const defaults = useLoaded(work.workspace, () => client.rest.before("defaults", { path: work.workspace })).value;
  const set = (settings: Record<string, unknown>) => change({ settings: { ...work.settings, ...settings } });
  const { model_profile: profile, permissions } = work.settings as { model_profile?: string; permissions?: Preset };
  const server = model && (model.why_code === "none" ? t.noModel : model.model || model.profile);
  return (
    <>
      <Chip
        icon={<Folder size={14} />}
        what={t.folder}
        value={work.workspace ? baseName(work.workspace) : t.ownFolder}
        onClick={() => setBrowsing(true)}
        aria-haspopup="dialog"
      />
      <ModelChip
        name={work.modelName || server || "…"}
        profile={profile}
        onChoose={(m) =>
          change({ settings: { ...work.settings, model_profile: m.profile, model: m.model }, modelName: m.name })
        }
      />
      <ModeChip
        slug={work.mode || defaults?.mode}
        modes={modesOf(defaults?.custom_modes)}
        onChoose={(mode) => change({ mode })}
      />
      <PermissionChip
        preset={permissions ?? (defaults && presetOf(defaults))}
        onChoose={(p) => set({ permissions: p })}
      />
      {browsing && (
        <FolderDialog
          from={work.workspace || undefined}
          onClose={() => setBrowsing(false)}
          onChoose={(workspace) => {
            setBrowsing(false);
            change({ workspace });
          }}
        />
      )}
    </>
  );
}
