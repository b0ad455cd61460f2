import type { RememberOffer } from "@clew-run/client";
import { useId } from "react";
import { useWords } from "@/i18n";
import { Field, Mark, TextInput } from "@/ui";
import { Revealed } from "./Revealed";
import type { Rule, Scope } from "./useRule";
import { questionWords } from "./words";

/** For how long an approval holds. A rule shows what it covers and what it just does not. */
export function ScopePicker({ offer, rule, tool }: { offer: RememberOffer; rule: Rule; tool: string }) {
  const t = useWords(questionWords);
  const group = useId();
  const scopes: Scope[] = ["once", ...offer.scopes];
  return (
    <div className="flex flex-col items-start gap-2">
      <fieldset className="flex flex-wrap items-center gap-x-4">
        <legend className="float-left text-sm text-soft">{t.scope}</legend>
        {scopes.map((id) => (
          <label key={id} className="flex min-h-6 cursor-pointer items-center gap-1.5 pointer-coarse:min-h-(--row)">
            <input type="radio" name={group} checked={rule.scope === id} onChange={() => rule.setScope(id)} className="size-3.5 accent-(--c-run) pointer-coarse:size-5" />
            {t.scopes[id]}
          </label>
        ))}
      </fieldset>
      {rule.scope !== "once" && (
        <div className="flex w-full flex-col gap-1.5 border-l-2 border-line pl-3">
          <p className="text-sm text-soft">{t.scopeHelp[rule.scope]}</p>
          {offer.pattern === undefined && <p className="text-sm text-soft">{offer.host ? t.coversHost(offer.host) : t.coversTool(tool)}</p>}
          {offer.pattern !== undefined && (
            <>
              <Field label={t.rule} error={rule.check?.covers === false || rule.problem ? (rule.problem ?? t.ruleMisses) : undefined}>
                {(props) => (
                  <TextInput {...props} value={rule.pattern} onChange={(e) => rule.setPattern(e.target.value)} spellCheck={false} autoCapitalize="off" autoComplete="off" className="font-mono" />
                )}
              </Field>
              {rule.check?.runs_workspace && <p className="text-sm text-ask">{t.ruleRuns}</p>}
              <dl className="grid grid-cols-[auto_1fr] items-baseline gap-x-2 gap-y-0.5 text-sm" data-rule-check={rule.check ? "done" : "asking"}>
                {rule.check?.match && <Example name={t.ruleCovers} text={rule.check.match} tone="done" />}
                {rule.check?.near_miss && <Example name={t.ruleNearMiss} text={rule.check.near_miss} tone="past" />}
                {!rule.check && !rule.problem && <dd className="col-span-2 text-soft">{t.ruleChecking}</dd>}
              </dl>
            </>
          )}
        </div>
      )}
    </div>
  );
}

function Example({ name, text, tone }: { name: string; text: string; tone: "done" | "past" }) {
  return (
    <>
      <dt className="flex items-center gap-1.5 text-soft"><Mark tone={tone} size={10} />{name}</dt>
      <dd className="min-w-0 font-mono"><Revealed text={text} /></dd>
    </>
  );
}
