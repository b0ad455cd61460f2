import { newId } from "@clew-run/client";
import type { Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { useState } from "react";
import { useLocation } from "wouter";
import { client } from "@/app/client";
import { notify } from "@/app/notices";
import { useWords } from "@/i18n";
import { Button, Dialog, ErrorNote, Field, TextInput } from "@/ui";
import type { Where } from "./usePlace";
import { timeWords } from "./words";

/** Leaves this session as it is and goes on in a new one; it says whose files that one works on. */
export function ForkDialog({
  session,
  where,
  answer,
  onClose,
}: {
  session: Session;
  where: Where;
  /** It begins before an answer. */
  answer: boolean;
  onClose(): void;
}) {
  const t = useWords(timeWords);
  const [, navigate] = useLocation();
  const own = useSnapshot(session, (s) => s.session !== null && !s.session.workspace);
  const [workspace, setWorkspace] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [name] = useState(() => newId()); // a second try makes no second fork
  const fork = async () => {
    setBusy(true);
    try {
      const made = await client.rest.sessions.command(
        session.id,
        "fork_session",
        { message_id: where.messageId, keep_target: where.keep, workspace: workspace.trim() || undefined },
        name,
      );
      notify({ tone: "run", text: t.forked });
      if (made.session_id) navigate(`/s/${made.session_id}`);
    } catch (e) {
      setError(e);
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={answer ? t.forkAnswer : t.fork}
      footer={
        <Button look="main" type="submit" form="fork" busy={busy}>
          {t.forkButton}
        </Button>
      }
    >
      <form
        id="fork"
        className="flex flex-col gap-3"
        onSubmit={(e) => {
          e.preventDefault();
          if (!busy) void fork();
        }}
      >
        <p>{answer ? t.forkAnswerHelp : t.forkHelp}</p>
        <Field label={t.forkWorkspace} hint={own ? t.forkOwnHint : t.forkWorkspaceHint}>
          {(p) => (
            <TextInput
              {...p}
              spellCheck={false}
              className="font-mono"
              value={workspace}
              onChange={(e) => setWorkspace(e.target.value)}
            />
          )}
        </Field>
        {error !== undefined && <ErrorNote error={error} />}
      </form>
    </Dialog>
  );
}
