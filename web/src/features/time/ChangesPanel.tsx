import type { CheckpointFile, DiffAgainst, FileChange, Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { ChevronDown, GitCompare, RotateCw } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { client } from "@/app/client";
import { useWords } from "@/i18n";
import { useDebounced } from "@/lib/useDebounced";
import { useLoaded } from "@/lib/useLoaded";
import { Button, Empty, ErrorNote, IconButton, Loading, Menu } from "@/ui";
import { DiffView, type Review } from "@/features/diff/DiffView";
import { timeWords } from "./words";

/** What changed in the files; lines can be commented on, as one message. */
export function ChangesPanel({ session }: { session: Session }) {
  const t = useWords(timeWords);
  const [against, setAgainst] = useState<DiffAgainst>("start");
  const checkpoint = useDebounced(
    useSnapshot(session, (s) => s.session?.checkpoint),
    300,
  );
  const owner = useSnapshot(session, (s) => s.session?.role === undefined || s.session.role === "owner");
  // One key over all checkpoints: what is shown stays until the new one is there.
  const diff = useLoaded(`${session.id} ${against}`, async () =>
    checkpoint && owner ? changesOf(session, against) : null,
  );
  const { reload } = diff;
  useEffect(() => reload(), [checkpoint, owner, reload]);
  const review = useMemo<Review>(
    () => ({
      session: session.id,
      // Comments are for the agent; words to an agent that asks would be taken for the answer.
      send: (text) =>
        session.send("user_message", {
          text,
          may_answer: [],
          delivery: session.store.getSnapshot().questions.length > 0 ? "queue" : undefined,
        }),
    }),
    [session],
  );
  if (!owner) return <p className="p-4 text-soft">{t.ownerFiles}</p>;
  const lead = (
    <span className="flex min-w-0 items-center gap-1">
      <Against session={session} value={against} onChange={setAgainst} />
      <IconButton label={t.refresh} icon={<RotateCw size={14} />} onClick={diff.reload} />
    </span>
  );
  if (diff.error !== undefined)
    return (
      <div className="flex flex-col gap-3 p-3">
        {lead}
        <ErrorNote error={diff.error} retry={diff.reload} />
      </div>
    );
  if (diff.value === undefined) return <Loading />;
  if (!diff.value) return <Empty title={t.noCheckpoint}>{t.noCheckpointHelp}</Empty>;
  if (diff.value.files.length === 0)
    return (
      <div className="flex flex-1 flex-col">
        <div className="border-b border-line px-3 py-1">{lead}</div>
        <Empty title={t.noDifference} />
      </div>
    );
  return <DiffView key={against} files={diff.value.files} total={diff.value.files_count} review={review} lead={lead} />;
}

/** What the files are compared with. The server says whether the session has a work tree, when somebody wants to know. */
function Against({
  session,
  value,
  onChange,
}: {
  session: Session;
  value: DiffAgainst;
  onChange(against: DiffAgainst): void;
}) {
  const t = useWords(timeWords);
  const [tree, setTree] = useState(value !== "start");
  const names: Record<DiffAgainst, string> = { start: t.since, base: t.sinceBase, head: t.sinceHead };
  const choices: DiffAgainst[] = tree ? ["start", "base", "head"] : ["start"];
  return (
    <Menu
      label={t.compareWith}
      onOpen={() =>
        void client.rest.sessions.diff(session.id).then(
          (d) => setTree(d.against === "base"),
          () => {},
        )
      }
      trigger={
        <Button
          icon={<GitCompare size={14} aria-hidden className="shrink-0 text-soft" />}
          className="min-w-0 shrink px-2.5 text-sm"
        >
          <span className="truncate">{names[value]}</span>
          <ChevronDown size={12} aria-hidden className="shrink-0 text-soft" />
        </Button>
      }
      items={choices.map((id) => ({ id, label: names[id], checked: id === value, run: () => onChange(id) }))}
    />
  );
}

async function changesOf(
  session: Session,
  against: DiffAgainst,
): Promise<{ files: CheckpointFile[]; files_count?: number }> {
  if (against === "start") return session.query("checkpoint_diff", {});
  const { files, files_count } = await client.rest.sessions.diff(session.id, { against });
  return { files: files.map(fileOf), files_count };
}

/** The same in the words of checkpoints. Commits come without the whole text of a file. */
function fileOf(c: FileChange): CheckpointFile {
  return {
    paths: { relative: c.path, absolute: "", old: c.old_path },
    content: { before: "", after: "" },
    status: c.status,
    binary: c.binary,
    truncated: c.truncated,
    unified: c.unified,
  };
}
