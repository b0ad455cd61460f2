import type { NamedModelProfile, ModelTested } from "@clew-run/client";
import { useState } from "react";
import { client } from "@/app/client";
import { notify } from "@/app/notices";
import { useWords } from "@/i18n";
import { Button, Dialog, ErrorNote, Field, TextInput } from "@/ui";
import { fieldsOf, type ProviderGroup } from "./providers";
import { modelsWords } from "./words";

/** Replaces the key of a provider: it is tested first, and one that fails changes nothing. */
export function KeyDialog({
  group,
  profiles,
  owner,
  onClose,
  onDone,
}: {
  group: ProviderGroup;
  profiles: NamedModelProfile[];
  owner: boolean;
  onClose(): void;
  onDone(tested?: ModelTested): void;
}) {
  const t = useWords(modelsWords);
  const [key, setKey] = useState("");
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<string>();
  const [error, setError] = useState<unknown>();
  const save = async () => {
    setBusy(true);
    setRefused(undefined);
    setError(undefined);
    try {
      const first = profiles.find((p) => p.in_use) ?? profiles[0]!;
      const { key_name: _, ...fields } = fieldsOf(first);
      const tested = owner ? await client.rest.models.test(first.name, { ...fields, api_key: key.trim() }) : undefined;
      if (tested && !tested.ok)
        return setRefused(`${t.failures[tested.error?.kind ?? "request"]![0]}. ${t.nothingChanged}`);
      for (const p of profiles) await client.rest.models.change(p.name, { api_key: key.trim() });
      notify({ tone: "run", text: tested ? t.keyKept : t.saved });
      onDone(tested);
    } catch (e) {
      setError(e);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t.keyTitle(group.title)}
      footer={
        <Button look="main" type="submit" form="new-provider-key" busy={busy} disabled={key.trim() === ""}>
          {busy ? t.testing : owner ? t.saveKey : t.save}
        </Button>
      }
    >
      <form
        id="new-provider-key"
        className="flex flex-col gap-3 text-base text-ink"
        onSubmit={(e) => {
          e.preventDefault();
          if (!busy) void save();
        }}
      >
        <Field label={t.key} hint={owner ? t.keyHint : t.keyHintUntested} error={refused}>
          {(p) => (
            <TextInput
              {...p}
              type="password"
              autoComplete="off"
              spellCheck={false}
              maxLength={8192}
              className="font-mono"
              value={key}
              onChange={(e) => setKey(e.target.value)}
            />
          )}
        </Field>
        {error !== undefined && <ErrorNote error={error} />}
      </form>
    </Dialog>
  );
}
