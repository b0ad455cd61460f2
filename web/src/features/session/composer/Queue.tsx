import type { QueuedMessage, Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { ArrowDown, ArrowUp, CornerDownRight, MoreHorizontal, Pencil, Zap, X } from "lucide-react";
import { useMemo, useState } from "react";
import { notifyError } from "@/app/notices";
import { useWords } from "@/i18n";
import { useNarrow } from "@/lib/useNarrow";
import { Badge, Button, Dialog, IconButton, Menu, TextArea, type MenuItem } from "@/ui";
import { mainMonitor } from "../transcript/scope";
import { composerWords } from "./words";

/** The messages that wait for the main agent, in order (a window shows what waits for its own): they can be changed, moved, sent now or taken out. */
export function Queue({ session, monitor }: { session: Session; /** Of this one alone. */ monitor?: string }) {
  const t = useWords(composerWords);
  const all = useSnapshot(session, (s) => s.queue);
  const queue = useMemo(
    () => all.filter((q) => !q.window_id && (monitor === undefined || (q.monitor_id ?? mainMonitor) === monitor)),
    [all, monitor],
  );
  const [edited, setEdited] = useState<QueuedMessage | null>(null);
  if (queue.length === 0) return null;
  return (
    <section aria-label={t.queueTitle(queue.length)} className="border-t border-line py-1.5">
      <p aria-hidden className="text-xs text-soft">
        {t.queueTitle(queue.length)}
      </p>
      <ol className="max-h-40 overflow-y-auto">
        {queue.map((q, i) => (
          <QueuedRow key={q.message_id} session={session} queue={queue} at={i} onEdit={() => setEdited(q)} />
        ))}
      </ol>
      {edited && <EditQueued session={session} message={edited} onClose={() => setEdited(null)} />}
    </section>
  );
}

function QueuedRow({
  session,
  queue,
  at,
  onEdit,
}: {
  session: Session;
  queue: readonly QueuedMessage[];
  at: number;
  onEdit(): void;
}) {
  const t = useWords(composerWords);
  const narrow = useNarrow(); // there the words need the place of the buttons
  const q = queue[at]!;
  const say = (type: "remove_queued" | "move_queued" | "send_queued", more: { before?: string } = {}) =>
    void session.send(type, { message_id: q.message_id, ...more }).catch(notifyError);
  const items: MenuItem[] = [
    { id: "edit", label: t.edit, icon: <Pencil size={14} />, run: onEdit },
    { id: "remove", label: t.remove, icon: <X size={14} />, run: () => say("remove_queued") },
  ];
  if (queue.length > 1) {
    items.unshift(
      {
        id: "up",
        label: t.up,
        icon: <ArrowUp size={14} />,
        disabled: at === 0,
        run: () => say("move_queued", { before: queue[at - 1]?.message_id }),
      },
      {
        id: "down",
        label: t.down,
        icon: <ArrowDown size={14} />,
        disabled: at === queue.length - 1,
        run: () => say("move_queued", { before: queue[at + 2]?.message_id }),
      },
    );
  }
  return (
    <li data-queued={q.message_id} className="flex min-h-8 items-center gap-1.5">
      <CornerDownRight size={13} aria-hidden className="shrink-0 text-soft" />
      <span className="line-clamp-2 min-w-0 flex-1 wrap-anywhere desk:line-clamp-1" title={q.text}>
        {q.text}
      </span>
      {q.images && q.images.length > 0 && <Badge>{t.withImages(q.images.length)}</Badge>}
      {q.new_task && <Badge>{t.newTask}</Badge>}
      {q.mode === "run" && <Badge>{t.run}</Badge>}
      <span className="flex shrink-0">
        <IconButton label={t.sendNow} icon={<Zap size={14} />} onClick={() => say("send_queued")} />
        {narrow ? (
          <Menu
            label={t.moreQueued(at + 1)}
            trigger={<IconButton label={t.moreQueued(at + 1)} icon={<MoreHorizontal size={15} />} />}
            items={items}
          />
        ) : (
          items.map((m) => (
            <IconButton key={m.id} label={m.label} icon={m.icon} disabled={m.disabled} onClick={m.run} />
          ))
        )}
      </span>
    </li>
  );
}

function EditQueued({ session, message: q, onClose }: { session: Session; message: QueuedMessage; onClose(): void }) {
  const t = useWords(composerWords);
  const [text, setText] = useState(q.text);
  const save = () =>
    void session.send("edit_queued", { message_id: q.message_id, text, images: q.images }).then(onClose, notifyError);
  return (
    <Dialog
      open
      onClose={onClose}
      title={t.editQueued}
      footer={
        <>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button look="main" disabled={text.trim() === ""} onClick={save}>
            {t.save}
          </Button>
        </>
      }
    >
      <TextArea aria-label={t.editQueued} rows={6} value={text} onChange={(e) => setText(e.target.value)} />
    </Dialog>
  );
}
