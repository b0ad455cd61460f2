import { useState, type FormEvent } from "react";
import { client } from "@/app/client";
import { useWords } from "@/i18n";
import { Button, CopyButton, Dialog, ErrorNote, Field, Select, TextInput } from "@/ui";
import { settingsWords } from "@/features/settings/words";

const roles = ["viewer", "approver", "owner", "admin"] as const;

/** Makes a key, and shows it this once: with the dialog it is gone. */
export function NewKeyDialog({ onClose }: { onClose(): void }) {
  const t = useWords(settingsWords);
  const [name, setName] = useState("");
  const [user, setUser] = useState("");
  const [role, setRole] = useState<(typeof roles)[number]>("owner");
  const [token, setToken] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const make = (e: FormEvent) => {
    e.preventDefault();
    if (busy) return;
    setBusy(true);
    client.rest.keys
      .create({ name, user: user.trim(), role })
      .then((k) => setToken(k.token), setError)
      .finally(() => setBusy(false));
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t.newKey}
      footer={
        token !== null ? (
          <Button look="main" onClick={onClose}>
            {t.kept}
          </Button>
        ) : (
          <Button look="main" type="submit" form="new-key" busy={busy}>
            {t.makeKey}
          </Button>
        )
      }
    >
      {token !== null ? (
        <div className="flex flex-col gap-2">
          <p role="status">{t.keyMade}</p>
          <div className="flex items-center rounded bg-sunk pl-3">
            <code className="min-w-0 flex-1 py-1.5 font-mono text-sm break-all">{token}</code>
            <CopyButton text={token} />
          </div>
        </div>
      ) : (
        <form id="new-key" className="flex flex-col gap-3" onSubmit={make}>
          <Field label={t.name} hint={t.keyNameHint}>
            {(p) => <TextInput {...p} maxLength={200} value={name} onChange={(e) => setName(e.target.value)} />}
          </Field>
          <Field label={t.user} hint={t.keyUserHint}>
            {(p) => (
              <TextInput {...p} required spellCheck={false} value={user} onChange={(e) => setUser(e.target.value)} />
            )}
          </Field>
          <Field label={t.role} hint={t.roleHelp[role]}>
            {(p) => (
              <Select {...p} value={role} onChange={(e) => setRole(e.target.value as typeof role)}>
                {roles.map((r) => (
                  <option key={r} value={r}>
                    {t.roles[r]}
                  </option>
                ))}
              </Select>
            )}
          </Field>
          {error !== undefined && <ErrorNote error={error} />}
        </form>
      )}
    </Dialog>
  );
}
