import type { RememberedRule, Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { ShieldCheck } from "lucide-react";
import { useState } from "react";
import { useAccount } from "@/app/account";
import { announce, notifyError } from "@/app/notices";
import { useWords } from "@/i18n";
import { Button, Dialog, Empty, Time } from "@/ui";
import { Revealed } from "../questions/Revealed";
import { transcriptWords } from "../transcript/words";
import { sessionWords } from "../words";

/** What is done without asking because somebody said so, and how to take that back. */
export function AllowedDialog({ session, onClose }: { session: Session; onClose(): void }) {
  const t = useWords(sessionWords);
  const allowed = useSnapshot(session, (s) => s.allowed);
  const role = useSnapshot(session, (s) => s.session?.role);
  return (
    <Dialog open onClose={onClose} title={t.allowed} footer={<Button onClick={onClose}>{t.close}</Button>}>
      {allowed.length === 0 ? (
        <Empty icon={<ShieldCheck size={22} />} title={t.noAllowed}>
          {t.noAllowedHelp}
        </Empty>
      ) : (
        <>
          <p className="pb-2 text-soft">{t.allowedHelp}</p>
          <ul className="divide-y divide-line">
            {allowed.map((r) => (
              <Rule key={r.id} session={session} rule={r} may={role !== "viewer" && role !== "admin"} />
            ))}
          </ul>
        </>
      )}
    </Dialog>
  );
}

function Rule({ session, rule: r, may }: { session: Session; rule: RememberedRule; may: boolean }) {
  const t = useWords(sessionWords);
  const tools = useWords(transcriptWords).tools;
  const task = useSnapshot(session, (s) => s.tasks.find((k) => k.task_id === r.task_id)?.text);
  const me = useAccount((s) => (s.account.state === "in" ? s.account.me.user_id : undefined));
  const [busy, setBusy] = useState(false);
  const forget = () => {
    setBusy(true);
    session.send("forget_rule", { id: r.id }).then(
      () => announce(t.forgotten),
      (e: unknown) => {
        setBusy(false);
        notifyError(e);
      },
    );
  };
  return (
    <li data-rule={r.id} className="flex items-center gap-3 py-2">
      <div className="min-w-0 flex-1">
        <p className="flex min-w-0 gap-2">
          <span className="shrink-0 font-medium">{tools[r.tool] ?? r.tool}</span>
          {r.pattern && (
            <code className="min-w-0 font-mono">
              <Revealed text={r.pattern} />
            </code>
          )}
        </p>
        <p className="flex flex-wrap gap-x-2 text-sm text-soft">
          <span className="min-w-0 truncate">{task ? t.allowedFor(task) : t.allowedForTask}</span>
          {r.by && <span>{r.by === me ? t.allowedByYou : t.allowedBy(r.by)}</span>}
          <Time ms={r.ts} />
        </p>
      </div>
      {may && (
        <Button busy={busy} onClick={forget} aria-label={t.forgetRule(r.pattern ?? tools[r.tool] ?? r.tool)}>
          {t.forget}
        </Button>
      )}
    </li>
  );
}
