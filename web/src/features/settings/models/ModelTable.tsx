import type { ModelInfo, NamedModelProfile } from "@clew-run/client";
import { client } from "@/app/client";
import { announce, notifyError } from "@/app/notices";
import { useWords } from "@/i18n";
import { count } from "@/lib/format";
import { Badge, cx, Select } from "@/ui";
import { Group } from "../Layout";
import type { Known } from "./ModelsPart";
import { modelsWords } from "./words";

const levels = ["", "off", "low", "medium", "high"] as const;
const cell = "px-3 py-2";

/** The models that sessions can use, with what the server knows of each. */
export function ModelTable({ known, onChange }: { known: Known; onChange(): void }) {
  const t = useWords(modelsWords);
  const profiles = new Map(known.profiles.map((p) => [p.name, p]));
  const models = known.list.models.filter((m) => m.profile !== "" && m.provider !== "echo");
  if (models.length === 0) return null;
  return (
    <Group title={t.available} aside={<span className="text-sm text-soft">{t.prices}</span>}>
      <div className="overflow-x-auto" role="group" tabIndex={0} aria-label={t.available}>
        <table className="w-full">
          <thead>
            <tr className="border-b border-line text-xs text-faint">
              {(["model", "provider", "context", "price", "thinking"] as const).map((c, i) => (
                <th
                  key={c}
                  scope="col"
                  className={cx(
                    "px-3 py-2 font-semibold whitespace-nowrap",
                    i < 2 ? "text-left" : "text-right",
                    c === "provider" && "max-sm:hidden",
                  )}
                >
                  {t.columns[c]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {models.map((m) => (
              <ModelRow key={m.profile} model={m} profile={profiles.get(m.profile)} known={known} onChange={onChange} />
            ))}
          </tbody>
        </table>
      </div>
    </Group>
  );
}

function ModelRow({
  model: m,
  profile,
  known,
  onChange,
}: {
  model: ModelInfo;
  profile?: NamedModelProfile;
  known: Known;
  onChange(): void;
}) {
  const t = useWords(modelsWords);
  const from = profile?.base_url
    ? m.profile
    : (known.list.providers.find((v) => v.id === m.provider)?.title ?? m.provider);
  const name = m.model || m.profile;
  const price = m.local ? t.free : m.priced ? `${usd(m.price_in)} / ${usd(m.price_out)}` : t.notKnown;
  return (
    <tr>
      <td className={cell}>
        <span className="flex flex-wrap items-center gap-x-2">
          <span className="font-medium wrap-anywhere">{name}</span>
          {m.in_use && <Badge>{t.isDefault}</Badge>}
        </span>
        {m.profile !== name && m.profile !== from && (
          <span className="block font-mono text-xs text-faint">{m.profile}</span>
        )}
      </td>
      <td className={cx(cell, "text-soft max-sm:hidden")}>{from}</td>
      <td className={cx(cell, "text-right whitespace-nowrap text-soft")}>
        {m.context_window > 0 ? count(m.context_window) : t.notKnown}
      </td>
      <td className={cx(cell, "text-right whitespace-nowrap text-soft")}>{price}</td>
      <td className={cx(cell, "text-right")}>
        {profile && !profile.variable ? (
          <Thinking name={name} profile={profile} can={m.thinking === true || !!profile.thinking} onChange={onChange} />
        ) : (
          <span className="text-soft">{profile?.thinking ? t.thinking[profile.thinking] : t.cannotThink}</span>
        )}
      </td>
    </tr>
  );
}

function Thinking({
  name,
  profile,
  can,
  onChange,
}: {
  name: string;
  profile: NamedModelProfile;
  can: boolean;
  onChange(): void;
}) {
  const t = useWords(modelsWords);
  if (!can) return <span className="text-soft">{t.cannotThink}</span>;
  const change = (to: string) =>
    void client.rest.models
      .change(profile.name, { thinking: to === "" ? null : to })
      .then(() => announce(t.saved), notifyError)
      .finally(onChange);
  return (
    <Select
      aria-label={t.thinkingOf(name)}
      className="ml-auto w-36! max-sm:w-24! border-transparent [text-align-last:right] bg-transparent hover:bg-hover"
      value={profile.thinking ?? ""}
      onChange={(e) => change(e.target.value)}
    >
      {levels.map((l) => (
        <option key={l} value={l}>
          {t.thinking[l]}
        </option>
      ))}
    </Select>
  );
}

function usd(n: number): string {
  return `$${Number.isInteger(n) ? n : n.toFixed(2)}`;
}
