import type { RememberOffer } from "@clew-run/client";
import { useId } from "react";
import { useWords } from "@/i18n";
import { cx, Field, Mark, TextInput } from "@/ui";
import { Revealed } from "./Revealed";
import type { Rule, Scope } from "./useRule";
import { questionWords } from "./words";

/** For how long an approval holds. A rule shows what it covers and what it just does not. */
export function ScopePicker({ offer, rule, tool }: { offer: RememberOffer; rule: Rule; tool: string }) {
  const t = useWords(questionWords);
  const group = useId();
  const scopes: Scope[] = ["once", ...offer.scopes];
  return (
    <div className="flex flex-col gap-2">
      <fieldset className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
        <legend className="float-left text-sm text-soft slim:sr-only">{t.scope}</legend>
        <div className="flex min-w-0 flex-wrap gap-0.5 rounded-[7px] bg-hover p-0.5 slim:flex-1">
          {scopes.map((id) => (
            <label
              key={id}
              className="relative flex h-[26px] cursor-pointer items-center justify-center rounded-[5px] px-2.5 text-sm font-medium whitespace-nowrap text-soft slim:px-1.5 has-checked:bg-sheet has-checked:text-ink has-checked:shadow-card has-focus-visible:outline-2 has-focus-visible:outline-run slim:flex-auto pointer-coarse:h-(--row)"
            >
              <input
                type="radio"
                aria-label={t.scopes[id]}
                name={group}
                checked={rule.scope === id}
                onChange={() => rule.setScope(id)}
                className="absolute inset-0 cursor-pointer opacity-0"
              />
              <span className="slim:hidden">{t.scopes[id]}</span>
              <span className="sm:hidden">{t.scopesShort[id]}</span>
            </label>
          ))}
        </div>
      </fieldset>
      {rule.scope !== "once" && (
        <>
          {offer.pattern === undefined && (
            <p className="text-sm text-soft">{offer.host ? t.coversHost(offer.host) : t.coversTool(tool)}</p>
          )}
          {offer.pattern !== undefined && (
            <>
              <div className="max-w-md">
                <Field
                  label={t.rule}
                  error={rule.check?.covers === false || rule.problem ? (rule.problem ?? t.ruleMisses) : undefined}
                >
                  {(props) => (
                    <TextInput
                      {...props}
                      value={rule.pattern}
                      onChange={(e) => rule.setPattern(e.target.value)}
                      spellCheck={false}
                      autoCapitalize="off"
                      autoComplete="off"
                      className="font-mono"
                    />
                  )}
                </Field>
              </div>
              <dl
                className="flex flex-wrap items-baseline gap-x-5 gap-y-1 text-sm text-soft"
                data-rule-check={rule.check ? "done" : "asking"}
              >
                {rule.check?.match && <Example name={t.ruleCovers} text={rule.check.match} tone="done" />}
                {rule.check?.near_miss && <Example name={t.ruleNearMiss} text={rule.check.near_miss} tone="past" />}
                {!rule.check && !rule.problem && <dd>{t.ruleChecking}</dd>}
              </dl>
              {rule.check?.runs_workspace && <p className="text-sm text-ask">{t.ruleRuns}</p>}
            </>
          )}
          <p className="text-sm text-soft">{t.scopeHelp[rule.scope]}</p>
        </>
      )}
    </div>
  );
}

function Example({ name, text, tone }: { name: string; text: string; tone: "done" | "past" }) {
  return (
    <div className="flex min-w-0 items-center gap-1.5">
      <dt className="flex shrink-0 items-center gap-1.5">
        <Mark tone={tone} size={11} />
        {name}
      </dt>
      <dd className={cx("min-w-0 font-mono font-medium", tone === "done" && "text-ink")}>
        <Revealed text={text} />
      </dd>
    </div>
  );
}
