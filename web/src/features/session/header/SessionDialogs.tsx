import { newId } from "@clew-run/client";
import type { Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { useState, type FormEvent, type ReactNode } from "react";
import { useLocation } from "wouter";
import { client } from "@/app/client";
import { lazyPart } from "@/lib/lazyPart";
import { saveAs } from "@/lib/saveAs";
import { notify } from "@/app/notices";
import { useWords } from "@/i18n";
import { Button, CopyButton, Dialog, ErrorNote, Field, Select, TextInput } from "@/ui";
import { ArchiveDialog } from "@/features/history/ArchiveDialog";
import { DeleteDialog } from "@/features/history/DeleteDialog";
import { EditDialog } from "../transcript/EditDialog";
import { sessionWords } from "../words";
import { AllowedDialog } from "./AllowedDialog";
import { useDialogs } from "./dialogs";

const OpenNotebook = lazyPart(() => import("@/features/notebook/OpenNotebook").then((m) => m.OpenNotebookDialog), true);

/** The dialogs of a session, whichever is open. */
export function SessionDialogs({ session }: { session: Session }) {
  const { dialog, close } = useDialogs();
  if (!dialog) return null;
  switch (dialog.kind) {
    case "rename":
      return <Rename session={session} onClose={close} />;
    case "share":
      return <Share session={session} onClose={close} />;
    case "allowed":
      return <AllowedDialog session={session} onClose={close} />;
    case "delete":
      return <Delete session={session} onClose={close} />;
    case "archive":
      return <Away session={session} onClose={close} />;
    case "export":
      return <Export session={session} onClose={close} />;
    case "fork":
      return <Fork session={session} messageId={dialog.messageId} onClose={close} />;
    case "notebook":
      return <OpenNotebook session={session} onClose={close} />;
    case "edit":
      return <EditDialog session={session} message={dialog.message} onClose={close} />;
  }
}

/** A dialog with a form: it stays open, and says why, if what it asks for is refused. */
function FormDialog({
  title,
  submit,
  act,
  onClose,
  children,
  ready = true,
}: {
  title: string;
  submit: string;
  act(): Promise<void>;
  onClose(): void;
  children: ReactNode;
  ready?: boolean;
}) {
  const t = useWords(sessionWords);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const go = async (e?: FormEvent) => {
    e?.preventDefault();
    if (busy || !ready) return;
    setBusy(true);
    setError(null);
    try {
      await act();
      onClose();
    } catch (refused) {
      setError(refused);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      footer={
        <>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button look="main" busy={busy} disabled={!ready} onClick={() => void go()}>
            {submit}
          </Button>
        </>
      }
    >
      <form onSubmit={(e) => void go(e)} className="flex flex-col gap-3">
        {children}
        {error !== null && <ErrorNote error={error} />}
      </form>
    </Dialog>
  );
}

function Rename({ session, onClose }: { session: Session; onClose(): void }) {
  const t = useWords(sessionWords);
  const now = useSnapshot(session, (s) => s.session?.title ?? "");
  const [title, setTitle] = useState(now);
  return (
    <FormDialog
      title={t.renameTitle}
      submit={t.save}
      onClose={onClose}
      ready={title.trim() !== ""}
      act={async () => void (await session.send("rename_session", { title: title.trim() }))}
    >
      <Field label={t.title}>
        {(f) => <TextInput {...f} value={title} maxLength={200} onChange={(e) => setTitle(e.target.value)} autoFocus />}
      </Field>
    </FormDialog>
  );
}

/** Puts the session away, and leaves its page for the first one. */
function Away({ session, onClose }: { session: Session; onClose(): void }) {
  const t = useWords(sessionWords);
  const [, navigate] = useLocation();
  const title = useSnapshot(session, (s) => s.session?.title ?? "");
  const questions = useSnapshot(session, (s) => s.questions.length);
  return (
    <ArchiveDialog
      sessionId={session.id}
      title={title || t.untitled}
      questions={questions}
      onClose={onClose}
      onChange={(archived) => archived && navigate("/")}
    />
  );
}

/** Deletes the session, and leaves its page for the first one. */
function Delete({ session, onClose }: { session: Session; onClose(): void }) {
  const t = useWords(sessionWords);
  const [, navigate] = useLocation();
  const title = useSnapshot(session, (s) => s.session?.title ?? "");
  return (
    <DeleteDialog
      sessionId={session.id}
      title={title || t.untitled}
      onClose={onClose}
      onChange={(deleted) => deleted && navigate("/")}
    />
  );
}

function Share({ session, onClose }: { session: Session; onClose(): void }) {
  const t = useWords(sessionWords);
  const [user, setUser] = useState("");
  const [role, setRole] = useState<"" | "viewer" | "approver">("viewer");
  const link = `${location.origin}/s/${session.id}`;
  const act = async () => {
    await client.rest.sessions.setAccess(session.id, user.trim(), role);
    notify({ tone: "done", text: role === "" ? t.unshared(user.trim()) : t.shared(user.trim()) });
  };
  return (
    <FormDialog title={t.shareTitle} submit={t.shareButton} onClose={onClose} ready={user.trim() !== ""} act={act}>
      <p className="text-soft">{t.shareHelp}</p>
      <Field label={t.shareUser}>
        {(f) => <TextInput {...f} value={user} onChange={(e) => setUser(e.target.value)} autoComplete="off" />}
      </Field>
      <Field label={t.shareRole}>
        {(f) => (
          <Select {...f} value={role} onChange={(e) => setRole(e.target.value as typeof role)}>
            <option value="viewer">{t.viewer}</option>
            <option value="approver">{t.approver}</option>
            <option value="">{t.noAccess}</option>
          </Select>
        )}
      </Field>
      <Field label={t.shareLink}>
        {(f) => (
          <div className="flex items-center gap-1">
            <TextInput {...f} readOnly value={link} className="font-mono" />
            <CopyButton text={link} />
          </div>
        )}
      </Field>
    </FormDialog>
  );
}

function Fork({ session, messageId, onClose }: { session: Session; messageId?: string; onClose(): void }) {
  const t = useWords(sessionWords);
  const [, navigate] = useLocation();
  const now = useSnapshot(session, (s) => s.session?.title ?? "");
  const [title, setTitle] = useState(now);
  const [workspace, setWorkspace] = useState("");
  const act = async () => {
    const made = await client.rest.sessions.command(
      session.id,
      "fork_session",
      {
        message_id: messageId,
        keep_target: messageId ? true : undefined,
        title: title.trim() || undefined,
        workspace: workspace.trim() || undefined,
      },
      newId(),
    );
    if (made.session_id) navigate(`/s/${made.session_id}`);
  };
  return (
    <FormDialog title={t.forkTitle} submit={t.forkButton} onClose={onClose} act={act}>
      <p className="text-soft">{messageId ? t.forkHere : t.forkHelp}</p>
      <Field label={t.title}>
        {(f) => <TextInput {...f} value={title} onChange={(e) => setTitle(e.target.value)} />}
      </Field>
      <Field label={t.workspace} hint={t.forkFiles}>
        {(f) => (
          <TextInput {...f} value={workspace} onChange={(e) => setWorkspace(e.target.value)} className="font-mono" />
        )}
      </Field>
    </FormDialog>
  );
}

const formats = ["bundle", "task-folder", "session-log", "message-store"] as const;

function Export({ session, onClose }: { session: Session; onClose(): void }) {
  const t = useWords(sessionWords);
  const [format, setFormat] = useState<(typeof formats)[number]>("bundle");
  const act = async () => {
    const response = await client.rest.sessions.export(session.id, format);
    const name =
      /filename="?([\w.-]+)"?/.exec(response.headers.get("Content-Disposition") ?? "")?.[1] ??
      `${session.id}.${format}`;
    saveAs(await response.blob(), name);
  };
  return (
    <FormDialog title={t.exportTitle} submit={t.exportButton} onClose={onClose} act={act}>
      <p className="text-soft">{t.exportHelp}</p>
      <Field label={t.format}>
        {(f) => (
          <Select {...f} value={format} onChange={(e) => setFormat(e.target.value as typeof format)}>
            {formats.map((x) => (
              <option key={x} value={x}>
                {t.formats[x]}
              </option>
            ))}
          </Select>
        )}
      </Field>
    </FormDialog>
  );
}
