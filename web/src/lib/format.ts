import { usePrefs } from "@/app/prefs";

const locale = () => (usePrefs.getState().language === "ko" ? "ko-KR" : "en-GB");

const formats = {
  time: { hour: "2-digit", minute: "2-digit", hour12: false },
  day: { month: "short", day: "numeric" },
  date: { month: "short", day: "numeric", timeZone: "UTC" },
  month: { month: "long", timeZone: "UTC" },
  full: { dateStyle: "medium", timeStyle: "medium", hour12: false },
} satisfies Record<string, Intl.DateTimeFormatOptions>;
const made = new Map<string, Intl.DateTimeFormat>();

/** A formatter costs a hundred times what it does, so each is made once. */
function formatter(name: keyof typeof formats): Intl.DateTimeFormat {
  const key = `${locale()} ${name}`;
  const known = made.get(key) ?? new Intl.DateTimeFormat(locale(), formats[name]);
  made.set(key, known);
  return known;
}

/** 14:05, of today; with the day before that. */
export function clockTime(ms: number): string {
  const d = new Date(ms);
  const time = formatter("time").format(d);
  if (d.toDateString() === new Date().toDateString()) return time;
  return `${formatter("day").format(d)} ${time}`;
}

/** "Nov 8", of a day such as 2026-11-08, which is none of a time zone. */
export function day(date: string): string {
  return formatter("date").format(new Date(`${date}T00:00:00Z`));
}

/** "November". */
export function month(ms: number): string {
  return formatter("month").format(ms);
}

export function fullTime(ms: number): string {
  return formatter("full").format(ms);
}

/** "5 min ago", "3일 전". */
export function ago(ms: number, now: number): string {
  const s = Math.round((ms - now) / 1000);
  const f = new Intl.RelativeTimeFormat(locale(), { numeric: "auto", style: "short" });
  const steps: [Intl.RelativeTimeFormatUnit, number][] = [
    ["day", 86_400],
    ["hour", 3_600],
    ["minute", 60],
  ];
  for (const [unit, size] of steps) if (Math.abs(s) >= size) return f.format(Math.round(s / size), unit);
  return f.format(Math.min(0, s), "second");
}

/** How old, in little room: "now", "5m", "2h", "Tue", "Nov 9". */
export function age(ms: number, now: number): string {
  const min = Math.max(0, Math.round((now - ms) / 60_000));
  const unit = (n: number, u: "minute" | "hour") =>
    new Intl.NumberFormat(locale(), { style: "unit", unit: u, unitDisplay: "narrow" }).format(n);
  if (min === 0) return new Intl.RelativeTimeFormat(locale(), { numeric: "auto" }).format(0, "second");
  if (min < 60) return unit(min, "minute");
  if (min < 24 * 60) return unit(Math.round(min / 60), "hour");
  return new Intl.DateTimeFormat(
    locale(),
    min < 6 * 24 * 60 ? { weekday: "short" } : { month: "short", day: "numeric" },
  ).format(ms);
}

/** 0.4 s, 12 s, 3:05, 1:02:03. */
export function duration(ms: number): string {
  if (ms < 950) return `${(ms / 1000).toFixed(1)} s`;
  const s = Math.round(ms / 1000);
  if (s < 60) return `${s} s`;
  const two = (n: number) => String(n).padStart(2, "0");
  const h = Math.floor(s / 3600);
  const m = Math.floor((s % 3600) / 60);
  return h > 0 ? `${h}:${two(m)}:${two(s % 60)}` : `${m}:${two(s % 60)}`;
}

/** How long work took: 0.4 s, 58 s, 1 min 12 s, 2 h 5 min. */
export function spent(ms: number): string {
  if (ms < 950) return duration(ms);
  const ko = usePrefs.getState().language === "ko";
  const unit = ko ? ["시간", "분", "초"] : [" h", " min", " s"];
  const s = Math.round(ms / 1000);
  const parts = [Math.floor(s / 3600), Math.floor((s % 3600) / 60), s % 60];
  const first = parts.findIndex((n) => n > 0);
  return parts
    .slice(first, first + 2)
    .flatMap((n, i) => (n > 0 ? [`${n}${unit[first + i]}`] : []))
    .join(" ");
}

/** A countdown: 4:31, 0:09, never below zero. */
export function countdown(ms: number): string {
  const s = Math.max(0, Math.ceil(ms / 1000));
  const h = Math.floor(s / 3600);
  if (h >= 48) return `${Math.floor(h / 24)} d`;
  const two = (n: number) => String(n).padStart(2, "0");
  return h > 0 ? `${h}:${two(Math.floor((s % 3600) / 60))}:${two(s % 60)}` : `${Math.floor(s / 60)}:${two(s % 60)}`;
}

/** 812, 41.2k, 1.3M. */
export function count(n: number): string {
  if (n < 1000) return String(n);
  if (n < 1_000_000) return `${(n / 1000).toFixed(n < 100_000 ? 1 : 0)}k`;
  return `${(n / 1_000_000).toFixed(1)}M`;
}

/** $0.83; small sums keep two figures that say something. */
export function money(usd: number): string {
  if (usd === 0) return "$0";
  if (usd < 0.01) return `$${usd.toPrecision(2)}`;
  return `$${usd.toFixed(2)}`;
}

export function bytes(n: number): string {
  if (n < 1024) return `${n} B`;
  if (n < 1024 ** 2) return `${(n / 1024).toFixed(1)} KiB`;
  if (n < 1024 ** 3) return `${(n / 1024 ** 2).toFixed(1)} MiB`;
  return `${(n / 1024 ** 3).toFixed(1)} GiB`;
}
