import type { QueuedMessage, Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { ArrowDown, ArrowUp, CornerDownRight, Pencil, Zap, X } from "lucide-react";
import { useState } from "react";
import { notifyError } from "@/app/notices";
import { useWords } from "@/i18n";
import { Badge, Button, Dialog, IconButton, TextArea } from "@/ui";
import { composerWords } from "./words";

/** The messages that wait in line, in order: they can be changed, moved, sent now or taken out. */
export function Queue({ session }: { session: Session }) {
  const t = useWords(composerWords);
  const queue = useSnapshot(session, (s) => s.queue);
  const [edited, setEdited] = useState<QueuedMessage | null>(null);
  if (queue.length === 0) return null;
  const id = (i: number) => queue[i]?.message_id;
  const say = (type: "remove_queued" | "move_queued" | "send_queued", data: { message_id: string; before?: string }) => void session.send(type, data).catch(notifyError);
  return (
    <section aria-label={t.queueTitle(queue.length)} className="border-t border-line px-3 py-1.5">
      <p aria-hidden className="text-xs text-soft">{t.queueTitle(queue.length)}</p>
      <ol className="max-h-40 overflow-y-auto">
        {queue.map((q, i) => (
          <li key={q.message_id} data-queued={q.message_id} className="flex min-h-8 items-center gap-1.5">
            <CornerDownRight size={13} aria-hidden className="shrink-0 text-soft" />
            <span className="min-w-0 flex-1 truncate">{q.text}</span>
            {q.images && q.images.length > 0 && <Badge>{t.withImages(q.images.length)}</Badge>}
            {q.new_task && <Badge>{t.newTask}</Badge>}
            {q.mode === "run" && <Badge>{t.run}</Badge>}
            <span className="flex shrink-0">
              <IconButton label={t.sendNow} icon={<Zap size={14} />} onClick={() => say("send_queued", { message_id: q.message_id })} />
              {queue.length > 1 && <IconButton label={t.up} icon={<ArrowUp size={14} />} disabled={i === 0} onClick={() => say("move_queued", { message_id: q.message_id, before: id(i - 1) })} />}
              {queue.length > 1 && <IconButton label={t.down} icon={<ArrowDown size={14} />} disabled={i === queue.length - 1} onClick={() => say("move_queued", { message_id: q.message_id, before: id(i + 2) })} />}
              <IconButton label={t.edit} icon={<Pencil size={14} />} onClick={() => setEdited(q)} />
              <IconButton label={t.remove} icon={<X size={14} />} onClick={() => say("remove_queued", { message_id: q.message_id })} />
            </span>
          </li>
        ))}
      </ol>
      {edited && <EditQueued session={session} message={edited} onClose={() => setEdited(null)} />}
    </section>
  );
}

function EditQueued({ session, message: q, onClose }: { session: Session; message: QueuedMessage; onClose(): void }) {
  const t = useWords(composerWords);
  const [text, setText] = useState(q.text);
  const save = () => void session.send("edit_queued", { message_id: q.message_id, text, images: q.images }).then(onClose, notifyError);
  return (
    <Dialog open onClose={onClose} title={t.editQueued} footer={<><Button onClick={onClose}>{t.cancel}</Button><Button look="main" disabled={text.trim() === ""} onClick={save}>{t.save}</Button></>}>
      <TextArea aria-label={t.editQueued} rows={6} value={text} onChange={(e) => setText(e.target.value)} />
    </Dialog>
  );
}
