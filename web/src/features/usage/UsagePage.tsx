import { Download } from "lucide-react";
import { useMemo, useRef, useState, type ReactNode } from "react";
import { Link } from "wouter";
import { useAccount } from "@/app/account";
import { client } from "@/app/client";
import { notifyError } from "@/app/notices";
import { useWords } from "@/i18n";
import { count, day as dayName, money, month } from "@/lib/format";
import { saveAs } from "@/lib/saveAs";
import { useLoaded, type Loaded } from "@/lib/useLoaded";
import { Button, Empty, ErrorNote, Loading, Segmented, cx } from "@/ui";
import { Chart, ground, Spark } from "./Chart";
import {
  cached,
  change,
  chart,
  csv,
  onCourse,
  periods,
  since,
  sum,
  tokensOf,
  valueOf,
  type Budgets,
  type Kind,
  type Measure,
  type Period,
  type Row,
  type Usage,
} from "./sums";
import { usageWords } from "./words";

const kinds: Kind[] = ["model", "session", "person"];
const shown = 5; // rows of a list before one asks for all

const read = (query: Record<string, string>, signal?: AbortSignal) =>
  client.rest.request<Usage>("GET", "/usage/tokens", undefined, { query, signal });

/** What models read and wrote, and what that cost: over time, by model, session and person. */
export function UsagePage() {
  const t = useWords(usageWords);
  const account = useAccount((s) => s.account);
  const admin = account.state === "in" && account.me.role === "admin";
  const [period, setPeriod] = useState<Period>("month");
  const [everyone, setEveryone] = useState(admin);
  const [kind, setKind] = useState<Kind>("model");
  const [measure, setMeasure] = useState<Measure>("cost");
  const [now] = useState(Date.now); // the days of one visit stay the same
  const owner: Record<string, string> = everyone ? { owner: "*" } : {};
  const { first, before } = since(period, now);

  const days = useKept(
    useLoaded(`${period}|${everyone}|${kind}`, async (signal) => ({
      kind,
      period,
      first,
      usage: await read({ ...owner, by: `day,${kind}`, since: before }, signal),
    })),
  );
  const lists = useKept(
    useLoaded(`${period}|${everyone}`, async (signal) => {
      const [model, session, person] = await Promise.all(
        kinds.map((by) => read({ ...owner, by, since: first }, signal)),
      );
      return { model: model!, session: session!, person: person! };
    }),
  );

  const { drawn, total, earlier, byBar } = useMemo(() => {
    const { rows } = days.value?.usage ?? { rows: [] };
    const of = days.value ?? { kind, period, first };
    const inside = rows.filter((r) => r.day === undefined || r.day >= of.first);
    const drawn = chart(inside, of.kind, measure, of.period, now, {
      other: t.other,
      unknown: of.kind === "session" ? t.untitled : t.unknown,
    });
    return {
      drawn,
      total: sum(inside),
      earlier: sum(rows.filter((r) => r.day !== undefined && r.day < of.first)),
      byBar: drawn.bars.map((b) => sum(inside.filter((r) => r.day !== undefined && r.day >= b.from && r.day <= b.to))),
    };
  }, [days.value, kind, period, first, measure, now, t]);

  const format = measure === "cost" ? money : count;
  const used = lists.value?.session;
  const save = () =>
    void read({ ...owner, by: "day,person,session,model", since: first }).then(
      (all) => saveAs(new Blob([csv(all.rows)], { type: "text/csv" }), `clew-usage-${first}.csv`),
      notifyError,
    );
  const error = days.error ?? lists.error;
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex max-w-[1112px] flex-col gap-3 px-4 pt-5 pb-10 md:pt-7">
        <header className="flex flex-wrap items-center gap-2 pb-1.5">
          <h1 className="mr-auto text-2xl font-semibold">{t.title}</h1>
          {admin && (
            <Segmented
              label={t.whose}
              value={everyone ? "all" : "mine"}
              onChange={(v) => setEveryone(v === "all")}
              options={[
                { id: "all", name: t.everyone },
                { id: "mine", name: t.mine },
              ]}
            />
          )}
          <Segmented
            label={t.period}
            value={period}
            onChange={setPeriod}
            options={(Object.keys(periods) as Period[]).map((id) => ({ id, name: t.periods[id] }))}
          />
          <Button icon={<Download size={15} aria-hidden />} onClick={save}>
            {t.exportCsv}
          </Button>
        </header>
        {error !== undefined && (
          <ErrorNote
            error={error}
            retry={() => {
              days.reload();
              lists.reload();
            }}
          />
        )}
        {days.value === undefined && error === undefined && <Loading />}
        {days.value && (
          <>
            <div className="grid grid-cols-1 gap-3 sm:grid-cols-2 lg:grid-cols-4">
              <Figure
                name={t.cost}
                value={money(total.cost_usd)}
                note={<Change before={earlier.cost_usd} now={total.cost_usd} />}
                side={<Spark values={byBar.map((r) => r.cost_usd)} className="stroke-c1" />}
              />
              <Figure
                name={t.tokens}
                value={count(tokensOf(total))}
                note={t.inOut(count(tokensOf(total) - total.tokens_out), count(total.tokens_out))}
                side={<Spark values={byBar.map(tokensOf)} className="stroke-c3" />}
              />
              <Figure
                name={t.cache}
                value={cached(total) === undefined ? "–" : `${Math.round(100 * cached(total)!)}%`}
                note={
                  cached(total) === undefined
                    ? t.noInput
                    : t.ofInput(count(total.cache_reads), count(tokensOf(total) - total.tokens_out))
                }
                side={<Spark values={byBar.map((r) => cached(r) ?? 0)} className="stroke-c2" />}
              />
              <Budget budgets={days.value.usage.budgets} now={now} admin={admin} />
            </div>
            {total.calls === 0 && tokensOf(total) === 0 ? (
              <Empty title={t.none}>{t.noneHelp}</Empty>
            ) : (
              <>
                <section
                  aria-labelledby="by-time"
                  className="rounded-lg border border-line bg-sheet p-4 shadow-card sm:px-5"
                >
                  <div className="flex flex-wrap items-center gap-2 pb-3">
                    <h2 id="by-time" className="mr-auto text-xl font-semibold">
                      {(days.value.period === "year" ? t.byWeek : t.byDay)[measure]}
                    </h2>
                    <Segmented
                      label={t.measure}
                      value={measure}
                      onChange={setMeasure}
                      options={[
                        { id: "cost", name: t.cost },
                        { id: "tokens", name: t.tokens },
                      ]}
                    />
                    <Segmented
                      label={t.splitBy}
                      value={kind}
                      onChange={setKind}
                      options={kinds.map((id) => ({ id, name: t.split[id] }))}
                    />
                  </div>
                  <Chart
                    label={(days.value.period === "year" ? t.byWeek : t.byDay)[measure]}
                    series={drawn.series}
                    bars={drawn.bars}
                    format={format}
                  />
                </section>
                <div className="grid grid-cols-1 gap-3 lg:grid-cols-3">
                  <Ranking
                    title={t.by.session}
                    rows={used?.rows ?? []}
                    measure={measure}
                    nameOf={(r) => r.title || t.untitled}
                    hrefOf={(r) => `/s/${r.session_id}`}
                  />
                  <Ranking
                    title={t.by.model}
                    rows={lists.value?.model.rows ?? []}
                    measure={measure}
                    nameOf={(r) => r.model || t.unknown}
                    coloured={days.value.kind === "model" ? drawn.series.map((s) => s.id) : undefined}
                    idOf={(r) => r.model ?? ""}
                    aside={(r) => (measure === "cost" ? t.tokensOf(count(tokensOf(r))) : money(r.cost_usd))}
                  />
                  <Ranking
                    title={t.by.person}
                    rows={lists.value?.person.rows ?? []}
                    measure={measure}
                    nameOf={(r) => r.owner ?? "–"}
                    aside={(r) => (measure === "cost" ? t.tokensOf(count(tokensOf(r))) : money(r.cost_usd))}
                  />
                </div>
              </>
            )}
            {(days.value.usage.left_out ?? 0) > 0 && (
              <p className="text-sm text-soft">{t.leftOut(days.value.usage.left_out!)}</p>
            )}
            <p className="text-sm text-faint">
              {used && t.inSessions(used.sessions)}. {t.utc}
            </p>
          </>
        )}
      </div>
    </div>
  );
}

/** What was there stays until the next is loaded: a choice changes numbers, not the page. */
function useKept<T>(loaded: Loaded<T>): Loaded<T> {
  const last = useRef(loaded.value);
  last.current = loaded.value ?? last.current;
  return { ...loaded, value: last.current };
}

function Figure({ name, value, note, side }: { name: string; value: ReactNode; note: ReactNode; side?: ReactNode }) {
  return (
    <div className="rounded-lg border border-line bg-sheet px-4 py-3.5 shadow-card">
      <h2 className="text-sm text-soft">{name}</h2>
      <div className="flex items-end justify-between gap-3">
        <span className="text-[24px] leading-8 font-semibold tracking-[-0.02em]">{value}</span>
        {side}
      </div>
      <div className="text-sm text-faint">{note}</div>
    </div>
  );
}

/** What is left of this month's budget, or, without one, what a task may cost. */
function Budget({ budgets: b, now, admin }: { budgets: Budgets; now: number; admin: boolean }) {
  const t = useWords(usageWords);
  const change = admin && (
    <Link
      href="/settings/all?q=budget"
      className="text-run underline underline-offset-2 pointer-coarse:inline-flex pointer-coarse:min-h-11 pointer-coarse:items-center"
    >
      {t.changeBudget}
    </Link>
  );
  if (b.month_usd === 0) {
    return (
      <Figure
        name={t.taskBudget}
        value={b.task_usd > 0 ? money(b.task_usd) : t.noBudget}
        note={
          <>
            {b.task_usd > 0 ? t.taskBudgetHelp : t.noBudgetHelp} {change}
          </>
        }
      />
    );
  }
  const left = Math.max(0, b.month_usd - b.month_spent_usd);
  const course = onCourse(b.month_spent_usd, now);
  return (
    <Figure
      name={t.monthBudget(month(now))}
      value={
        <>
          {money(left)}{" "}
          <span className="text-base font-normal tracking-normal text-soft">{t.leftOf(money(b.month_usd))}</span>
        </>
      }
      note={
        <>
          <span
            className="mt-1.5 mb-1.5 block h-1.5 overflow-hidden rounded-full bg-hover"
            role="progressbar"
            aria-label={t.monthBudget(month(now))}
            aria-valuemin={0}
            aria-valuemax={b.month_usd}
            aria-valuenow={Math.min(b.month_usd, b.month_spent_usd)}
          >
            <span
              className={cx("block h-full", left > 0 ? "bg-run" : "bg-ask")}
              style={{ width: `${Math.min(100, (100 * b.month_spent_usd) / b.month_usd)}%` }}
            />
          </span>
          {left > 0 ? t.onCourse(money(course.usd), dayName(course.last)) : t.usedUp} {change}
        </>
      }
    />
  );
}

function Change({ before, now }: { before: number; now: number }) {
  const t = useWords(usageWords);
  const by = change(before, now);
  if (by === undefined) return t.noBefore;
  const percent = `${Math.abs(Math.round(by * 100))}%`;
  return percent === "0%" ? t.same : by > 0 ? t.up(percent) : t.down(percent);
}

/** Rows by what they used, the largest first, with bars that compare them. */
function Ranking({
  title,
  rows,
  measure,
  nameOf,
  hrefOf,
  aside,
  coloured,
  idOf,
}: {
  title: string;
  rows: readonly Row[];
  measure: Measure;
  nameOf(r: Row): string;
  hrefOf?(r: Row): string;
  aside?(r: Row): string;
  /** The ids in the order of their colours in the chart. */
  coloured?: string[];
  idOf?(r: Row): string;
}) {
  const t = useWords(usageWords);
  const [all, setAll] = useState(false);
  const ordered = useMemo(() => [...rows].sort((a, b) => valueOf(b, measure) - valueOf(a, measure)), [rows, measure]);
  const top = Math.max(0, ...ordered.map((r) => valueOf(r, measure)));
  const colour = (r: Row) => {
    const at = coloured && idOf ? coloured.indexOf(idOf(r)) : 0;
    return ground(at < 0 ? 4 : at);
  };
  return (
    <section className="rounded-lg border border-line bg-sheet pt-3 pb-2 shadow-card">
      <h2 className="px-4 pb-1 font-semibold">{title}</h2>
      <ul>
        {ordered.slice(0, all ? 200 : shown).map((r, i) => (
          <li key={i} className="px-4 py-2">
            <div className="flex items-baseline gap-2">
              {hrefOf ? (
                <Link href={hrefOf(r)} className="min-w-0 truncate font-medium hover:underline pointer-coarse:py-3">
                  {nameOf(r)}
                </Link>
              ) : (
                <span className="min-w-0 truncate font-medium">{nameOf(r)}</span>
              )}
              {aside && <span className="shrink-0 text-sm whitespace-nowrap text-faint">{aside(r)}</span>}
              <span className="ml-auto shrink-0">{measure === "cost" ? money(r.cost_usd) : count(tokensOf(r))}</span>
            </div>
            <div className="mt-1.5 h-1 overflow-hidden rounded-full bg-hover">
              <div
                className={cx("h-full rounded-full", colour(r))}
                style={{ width: `${top > 0 ? (100 * valueOf(r, measure)) / top : 0}%` }}
              />
            </div>
          </li>
        ))}
      </ul>
      {ordered.length > shown && (
        <Button look="quiet" className="mx-2" onClick={() => setAll(!all)}>
          {all ? t.showLess : t.showAll(Math.min(200, ordered.length))}
        </Button>
      )}
    </section>
  );
}
