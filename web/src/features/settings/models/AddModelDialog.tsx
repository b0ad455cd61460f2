import type { ModelInfo } from "@clew-run/client";
import { useState } from "react";
import { client } from "@/app/client";
import { useWords } from "@/i18n";
import { Button, Dialog, ErrorNote, Field, Select } from "@/ui";
import type { Known } from "./ModelsPart";
import { alike, freeName, type ProviderGroup } from "./providers";
import { modelsWords } from "./words";

/** Adds another model of a provider that is connected, with the same key. */
export function AddModelDialog({
  group,
  models,
  known,
  onClose,
  onDone,
}: {
  group: ProviderGroup;
  models: ModelInfo[];
  known: Known;
  onClose(): void;
  onDone(): void;
}) {
  const t = useWords(modelsWords);
  const [model, setModel] = useState(models[0]!.model);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const add = () => {
    setBusy(true);
    const from = group.profiles.find((p) => p.in_use) ?? group.profiles[0]!;
    client.rest.models
      .save(freeName(model, known.profiles), alike(from, model))
      .then(onDone, setError)
      .finally(() => setBusy(false));
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t.addModelTitle(group.title)}
      footer={
        <Button look="main" type="submit" form="add-model" busy={busy}>
          {t.add}
        </Button>
      }
    >
      <form
        id="add-model"
        className="flex flex-col gap-3 text-base text-ink"
        onSubmit={(e) => {
          e.preventDefault();
          if (!busy) add();
        }}
      >
        <Field label={t.model}>
          {(p) => (
            <Select {...p} value={model} onChange={(e) => setModel(e.target.value)}>
              {models.map((m) => (
                <option key={m.model}>{m.model}</option>
              ))}
            </Select>
          )}
        </Field>
        {error !== undefined && <ErrorNote error={error} />}
      </form>
    </Dialog>
  );
}
