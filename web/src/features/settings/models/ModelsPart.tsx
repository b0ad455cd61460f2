import type { ModelInUse, ModelList, NamedModelProfile } from "@clew-run/client";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useMe } from "@/app/account";
import { client } from "@/app/client";
import { announce, notifyError } from "@/app/notices";
import { useWords } from "@/i18n";
import { useLoaded } from "@/lib/useLoaded";
import { Button, Dialog, ErrorNote, Loading, Select } from "@/ui";
import { ConnectModel } from "@/features/start/ConnectModel";
import { FieldRow, Group, None, Part } from "../Layout";
import { labelWords } from "../labels";
import { SettingRows } from "../SettingRow";
import { useServerSettings, type ServerSettings } from "../useServerSettings";
import { settingsWords } from "../words";
import { ModelTable } from "./ModelTable";
import { ProviderRow } from "./ProviderRow";
import { modelName, providersOf } from "./providers";
import { modelsWords } from "./words";

export interface Known {
  list: ModelList;
  profiles: NamedModelProfile[];
  now: ModelInUse;
}

/** Where answers come from, and which model does what. */
export function ModelsPart() {
  const t = useWords(modelsWords);
  const s = useWords(settingsWords);
  const me = useMe();
  const owner = me?.user_id === "owner" || me?.auth === "off"; // only whoever runs the server makes test calls
  const [connecting, setConnecting] = useState(false);
  const known = useLoaded("models", async (): Promise<Known> => {
    const [list, { profiles }, now] = await Promise.all([
      client.rest.models.list(),
      client.rest.models.profiles(),
      client.rest.models.inUse(),
    ]);
    return { list, profiles, now };
  });
  const settings = useServerSettings();
  const reload = () => {
    known.reload();
    settings.reload();
  };
  return (
    <Part
      title={s.sections.models}
      help={t.help}
      action={
        owner && (
          <Button look="main" icon={<Plus size={15} />} onClick={() => setConnecting(true)}>
            {t.connect}
          </Button>
        )
      }
    >
      {known.error !== undefined && <ErrorNote error={known.error} retry={known.reload} />}
      {settings.error !== undefined && <ErrorNote error={settings.error} retry={settings.reload} />}
      {(!known.value || !settings.value) && known.error === undefined && settings.error === undefined && <Loading />}
      {known.value && settings.value && (
        <>
          <Group title={t.providers}>
            {providersOf(known.value.profiles, known.value.list).map((g) => (
              <ProviderRow key={g.id} group={g} known={known.value!} owner={owner} onChange={reload} />
            ))}
            {providersOf(known.value.profiles, known.value.list).length === 0 && <None>{t.noProviders}</None>}
          </Group>
          <Which known={known.value} settings={settings.value} onChange={reload} />
          <ModelTable known={known.value} onChange={reload} />
          <Group title={t.trouble}>
            <SettingRows settings={settings.value} keys={["model_retries", "model_stall_sec", "model_crash_retry"]} />
          </Group>
        </>
      )}
      {connecting && (
        <Dialog open wide onClose={() => setConnecting(false)} title={t.connect}>
          <ConnectModel
            onDone={() => {
              setConnecting(false);
              reload();
            }}
          />
        </Dialog>
      )}
    </Part>
  );
}

/** Which model is used for what. */
function Which({ known, settings, onChange }: { known: Known; settings: ServerSettings; onChange(): void }) {
  const t = useWords(modelsWords);
  const save = async (key: string, profile: string) => {
    try {
      // Using a profile also clears the model that was named for another one.
      if (key === "model_profile" && profile !== "") await client.rest.models.use(profile);
      else await client.rest.settings.change({ [key]: profile === "" ? null : profile });
      announce(t.saved);
    } catch (e) {
      notifyError(e);
    }
    onChange();
  };
  const override = String(settings.of("model")?.value ?? "");
  return (
    <Group title={t.which}>
      {(["model_profile", "model_small", "model_subtasks"] as const).map((key) => {
        const setting = settings.of(key);
        return (
          setting && (
            <WhichRow
              key={key}
              name={key}
              value={String(setting.value ?? "")}
              known={known}
              note={key === "model_profile" && override !== "" ? t.override(override) : undefined}
              onSave={(v) => void save(key, v)}
            />
          )
        );
      })}
    </Group>
  );
}

function WhichRow({
  name,
  value,
  known,
  note,
  onSave,
}: {
  name: "model_profile" | "model_small" | "model_subtasks";
  value: string;
  known: Known;
  note?: string;
  onSave(profile: string): void;
}) {
  const t = useWords(modelsWords);
  const { label, help } = useWords(labelWords)[name];
  const offered = known.profiles.filter((p) => !p.hidden);
  const none =
    name === "model_profile"
      ? t.automatic(known.now.why_code === "none" || known.now.why_code === "missing" ? "" : known.now.model)
      : t.sameAsDefault;
  return (
    <FieldRow
      id={name}
      label={label}
      name={name}
      help={
        note ? (
          <>
            {help}. {note}
          </>
        ) : (
          help
        )
      }
      control={
        <Select id={name} aria-describedby={`${name}-d`} value={value} onChange={(e) => onSave(e.target.value)}>
          <option value="">{none}</option>
          {offered.map((p) => (
            <option key={p.name} value={p.name}>
              {p.provider === "echo" ? t.echo : modelName(p, known.list)}
            </option>
          ))}
          {value !== "" && !offered.some((p) => p.name === value) && (
            <option value={value}>{value === "echo" ? t.echo : t.gone(value)}</option>
          )}
        </Select>
      }
    />
  );
}
