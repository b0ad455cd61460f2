import { cx } from "./cx";

const looks = ["bg-[#d8e3d2] text-[#2f4a28]", "bg-[#e7d6c3] text-[#5a3a14]", "bg-[#d5dee8] text-[#27405c]"];

/** The first letters of a name: "Mina Park" is MP, "owner" is OW. */
export function initials(name: string): string {
  const parts = name.split(/[\s._@-]+/).filter(Boolean);
  const letters =
    parts.length > 1
      ? parts.slice(0, 2).map((p) => [...p][0])
      : [...(parts[0] ?? "?")].slice(0, /[가-힣]/.test(parts[0] ?? "") ? 1 : 2);
  return letters.join("").toUpperCase();
}

/** A person as a small disc. Who it is stands beside it, or in its place's name. */
export function Avatar({ name, className }: { name: string; className?: string }) {
  const look = [...name].reduce((n, c) => n + c.codePointAt(0)!, 0) % looks.length;
  return (
    <span
      aria-hidden
      className={cx(
        "inline-flex size-6 shrink-0 items-center justify-center rounded-full text-[10px] font-semibold tracking-normal",
        looks[look],
        className,
      )}
    >
      {initials(name)}
    </span>
  );
}
