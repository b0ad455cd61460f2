import type { ModelInUse, ModelList, ModelTested, LocalModelServer } from "@clew-run/client";
import { Check, Compass, HardDrive, Link as LinkIcon } from "lucide-react";
import { useId, useRef, useState, type ReactNode } from "react";
import { client } from "@/app/client";
import { useWords } from "@/i18n";
import { useLoaded } from "@/lib/useLoaded";
import { Badge, Button, cx, ErrorNote, Field, Loading, Select, TextInput } from "@/ui";
import { fieldsOf, keep, modelsOf, profileName, sourcesOf, type Filled, type Source } from "./connect";
import { startWords } from "./words";

/** Connects a model: who it comes from, its key, a test by one real call. What fails is not stored. */
export function ConnectModel({ onDone, onSkip }: { onDone(now: ModelInUse): void; onSkip?(): void }) {
  const offered = useLoaded("connect", async () => {
    const [list, found] = await Promise.all([client.rest.models.list(), client.rest.models.discover()]);
    return { list, servers: found.servers };
  });
  if (offered.value)
    return (
      <Form
        list={offered.value.list}
        servers={offered.value.servers}
        again={offered.reload}
        onDone={onDone}
        onSkip={onSkip}
      />
    );
  return offered.loading ? <Loading /> : <ErrorNote error={offered.error} retry={offered.reload} />;
}

type Outcome = { state: "testing" } | { state: "tested"; tested: ModelTested } | { state: "failed"; error: unknown };

function Form({
  list,
  servers,
  again,
  onDone,
  onSkip,
}: {
  list: ModelList;
  servers: LocalModelServer[];
  again(): void;
  onDone(now: ModelInUse): void;
  onSkip?(): void;
}) {
  const t = useWords(startWords);
  const { shown, more } = sourcesOf(list, servers);
  const [wide, setWide] = useState(false);
  const offered = (
    wide
      ? [...shown.filter((s) => s.kind === "provider"), ...more, ...shown.filter((s) => s.kind !== "provider")]
      : shown
  ).filter((s) => s.kind !== "none" || onSkip);
  const [chosen, setChosen] = useState(offered[0]!.id);
  const source = offered.find((s) => s.id === chosen) ?? offered[0]!;
  const models = modelsOf(source, list);
  const [filled, setFilled] = useState<Filled>({ key: "", model: models[0] ?? "", address: "" });
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [busy, setBusy] = useState(false);
  const round = useRef(0); // an answer about what was filled in before counts for nothing
  const fields = fieldsOf(source, filled);
  const works = outcome?.state === "tested" && outcome.tested.ok;

  const change = (to: Partial<Filled>): Filled => {
    round.current++;
    const next = { ...filled, ...to };
    setFilled(next);
    setOutcome(null);
    return next;
  };
  const choose = (s: Source) => {
    setChosen(s.id);
    round.current++;
    setOutcome(null);
    setFilled({ key: "", model: modelsOf(s, list)[0] ?? "", address: "" });
  };
  /** One real call with what is filled in; nothing is stored. */
  const test = async (with_: Record<string, unknown>): Promise<boolean> => {
    const mine = ++round.current;
    setOutcome({ state: "testing" });
    try {
      const tested = await client.rest.models.test(profileName(source, list.models), with_);
      if (mine !== round.current) return false;
      setOutcome({ state: "tested", tested });
      return tested.ok;
    } catch (error) {
      if (mine === round.current) setOutcome({ state: "failed", error });
      return false;
    }
  };
  const submit = async () => {
    if (source.kind === "none") return onSkip?.();
    if (busy || !fields) return;
    setBusy(true);
    try {
      if (!works && !(await test(fields))) return;
      const now = await keep(client.rest.models, profileName(source, list.models), fields);
      setFilled({ ...filled, key: "" });
      onDone(now);
    } catch (error) {
      setOutcome({ state: "failed", error });
    } finally {
      setBusy(false);
    }
  };
  const local = source.kind === "local" ? source.server : undefined;
  const needsKey = source.kind === "provider" && source.provider.needs_key;
  return (
    <form
      aria-label={t.connect}
      className="flex flex-col gap-4 rounded-lg border border-line bg-sheet p-4 shadow-card"
      onSubmit={(e) => {
        e.preventDefault();
        void submit();
      }}
    >
      <Tiles sources={offered} chosen={source.id} choose={choose} />
      {local && models.length === 0 && (
        <p className="flex flex-wrap items-center gap-2 text-ask">
          {local.loading ? t.loadingModel : t.noModels}
          <Button onClick={again}>{t.lookAgain}</Button>
        </p>
      )}
      {source.kind !== "none" && (
        <div className="grid gap-3 sm:grid-cols-[1fr_220px]">
          {(source.kind === "compatible" || (source.kind === "provider" && source.provider.needs_address)) && (
            <div className="sm:col-span-2">
              <Field label={t.address}>
                {(p) => (
                  <TextInput
                    {...p}
                    type="url"
                    value={filled.address}
                    placeholder="http://127.0.0.1:9000/v1"
                    className="font-mono"
                    spellCheck={false}
                    onChange={(e) => change({ address: e.target.value })}
                  />
                )}
              </Field>
            </div>
          )}
          {(needsKey || source.kind === "compatible") && (
            <Field label={needsKey ? t.apiKey : t.keyOptional} hint={<KeyHint source={source} />}>
              {(p) => (
                <TextInput
                  {...p}
                  type="password"
                  autoComplete="off"
                  spellCheck={false}
                  maxLength={8192}
                  className="font-mono"
                  value={filled.key}
                  onChange={(e) => {
                    const next = fieldsOf(source, change({ key: e.target.value }));
                    // A pasted key is whole: it is tested at once.
                    if (next && (e.nativeEvent as InputEvent).inputType === "insertFromPaste") void test(next);
                  }}
                />
              )}
            </Field>
          )}
          {models.length > 0 ? (
            <Field label={t.model} hint={local?.models.find((m) => m.name === filled.model)?.why_not}>
              {(p) => (
                <Select {...p} value={filled.model} onChange={(e) => change({ model: e.target.value })}>
                  {models.map((m) => (
                    <option key={m}>{m}</option>
                  ))}
                </Select>
              )}
            </Field>
          ) : (
            source.kind !== "local" && (
              <Field label={t.modelName}>
                {(p) => (
                  <TextInput
                    {...p}
                    value={filled.model}
                    className="font-mono"
                    spellCheck={false}
                    onChange={(e) => change({ model: e.target.value })}
                  />
                )}
              </Field>
            )
          )}
        </div>
      )}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Button type="submit" look="main" busy={busy} disabled={source.kind !== "none" && !fields}>
          {source.kind === "none" ? t.goOn : t.continue}
        </Button>
        <div role="status" className="min-h-5 min-w-0 flex-1 basis-48 text-sm">
          <Said outcome={outcome} keyed={filled.key !== ""} />
        </div>
        {!wide && more.length > 0 && (
          <Button look="quiet" onClick={() => setWide(true)}>
            {t.moreOptions}
          </Button>
        )}
      </div>
    </form>
  );
}

/** How the test came out. */
function Said({ outcome, keyed }: { outcome: Outcome | null; keyed: boolean }) {
  const t = useWords(startWords);
  if (!outcome) return null;
  if (outcome.state === "testing") return <span className="text-soft">{t.testing}</span>;
  if (outcome.state === "failed")
    return (
      <span className="text-fail">
        {(outcome.error as Error).message} {t.nothingStored}
      </span>
    );
  const { ok, latency_ms, error } = outcome.tested;
  const took = (latency_ms / 1000).toFixed(1);
  if (ok)
    return (
      <span className="inline-flex items-center gap-1.5 text-run">
        <Check size={14} aria-hidden />
        {keyed ? t.works(took) : t.answers(took)}
      </span>
    );
  return (
    <span className="text-fail">
      {error?.kind === "auth" && keyed ? t.rejected : `${error?.message ?? ""} ${error?.next ?? ""}`} {t.nothingStored}
    </span>
  );
}

function KeyHint({ source }: { source: Source }) {
  const t = useWords(startWords);
  const page = source.kind === "provider" ? source.provider.key_page : undefined;
  return (
    <>
      {t.stored}{" "}
      {source.kind === "provider" && page && (
        <a href={page} target="_blank" rel="noreferrer noopener" className="text-run underline">
          {t.getKey(source.provider.title)}
        </a>
      )}
    </>
  );
}

function Tiles({ sources, chosen, choose }: { sources: Source[]; chosen: string; choose(s: Source): void }) {
  const t = useWords(startWords);
  const group = useId();
  return (
    <div role="radiogroup" aria-label={t.provider} className="grid grid-cols-2 gap-2 sm:grid-cols-3">
      {sources.map((s) => {
        const { icon, title, help } = tileOf(s, t);
        return (
          <label
            key={s.id}
            className={cx(
              "flex min-h-14 cursor-pointer items-center gap-2.5 rounded-lg border border-line2 p-2.5 hover:bg-hover has-checked:border-run has-checked:bg-run-wash has-checked:outline-1 has-checked:outline-run",
              "has-focus-visible:outline-2 has-focus-visible:outline-offset-1 has-focus-visible:outline-run",
            )}
          >
            <input type="radio" name={group} className="sr-only" checked={s.id === chosen} onChange={() => choose(s)} />
            <span
              aria-hidden
              className={cx(
                "flex size-8 shrink-0 items-center justify-center rounded font-semibold max-sm:hidden",
                s.kind === "local" ? "bg-run-wash text-run" : "bg-hover text-soft",
              )}
            >
              {icon}
            </span>
            <span className="min-w-0 flex-1">
              <span className="block font-semibold">{title}</span>
              <span className="block truncate text-sm text-soft">{help}</span>
            </span>
            {s.kind === "local" && <Badge tone="run">{t.found}</Badge>}
          </label>
        );
      })}
    </div>
  );
}

function tileOf(s: Source, t: (typeof startWords)["en"]): { icon: ReactNode; title: string; help: string } {
  switch (s.kind) {
    case "provider":
      return { icon: s.provider.title[0], title: s.provider.title, help: s.provider.needs_key ? t.withKey : t.noKey };
    case "local":
      return { icon: <HardDrive size={16} />, title: s.server.title, help: s.server.address };
    case "compatible":
      return { icon: <LinkIcon size={16} />, title: t.compatible, help: t.anyAddress };
    case "none":
      return { icon: <Compass size={16} />, title: t.notYet, help: t.lookAround };
  }
}
