import type { Preset } from "@clew-run/client";
import { Folder } from "lucide-react";
import { useState } from "react";
import { client } from "@/app/client";
import { Chip, ModeChip, ModelChip, PermissionChip } from "@/features/chips/Chips";
import { modesOf } from "@/features/chips/choices";
import { chipWords } from "@/features/chips/words";
import { baseName } from "@/features/start/names";
import { useWords } from "@/i18n";
import { lazyPart } from "@/lib/lazyPart";
import { useLoaded } from "@/lib/useLoaded";
import type { NewWork } from "./start";

const FolderDialog = lazyPart(() => import("@/features/start/FolderDialog").then((m) => m.FolderDialog), true);

/** Where a new session works, with which model, in which mode, and what it may do without asking. */
export function NewChips({ work, change }: { work: NewWork; change(to: Partial<NewWork>): void }) {
  const t = useWords(chipWords);
  const [browsing, setBrowsing] = useState(false);
  const inUse = useLoaded("model", () => client.rest.models.inUse());
  const decided = useLoaded(`permissions ${work.workspace}`, async () => {
    if (!work.workspace.startsWith("/")) return undefined;
    const p = await client.rest.permissions.get(work.workspace);
    return p.decided ? p.holds : undefined;
  });
  const set = (settings: Record<string, unknown>) => change({ settings: { ...work.settings, ...settings } });
  const { model_profile: profile, permissions } = work.settings as { model_profile?: string; permissions?: Preset };
  const server = inUse.value?.why_code === "none" ? t.noModel : inUse.value?.model || inUse.value?.profile || t.model;
  return (
    <>
      <Chip icon={<Folder size={14} />} what={t.folder} value={work.workspace ? baseName(work.workspace) : t.ownFolder} onClick={() => setBrowsing(true)} aria-haspopup="dialog" />
      <ModelChip name={work.modelName || server} profile={profile} onChoose={(m) => change({ settings: { ...work.settings, model_profile: m.profile, model: m.model }, modelName: m.name })} />
      <ModeChip slug={work.mode || undefined} modes={modesOf()} onChoose={(mode) => change({ mode })} />
      <PermissionChip preset={permissions ?? decided.value} onChoose={(p) => set({ permissions: p })} />
      {browsing && <FolderDialog from={work.workspace || undefined} onClose={() => setBrowsing(false)} onChoose={(workspace) => { setBrowsing(false); change({ workspace }); }} />}
    </>
  );
}
