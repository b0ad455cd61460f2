/** The ball of thread, and the name unless the mark is enough. */
export function Logo({ small, mark }: { small?: boolean; mark?: boolean }) {
  const size = mark ? 22 : small ? 20 : 24;
  return (
    <span className="inline-flex items-center gap-2 font-semibold">
      <svg
        viewBox="0 0 24 24"
        width={size}
        height={size}
        aria-hidden
        className="text-run"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.8"
        strokeLinecap="round"
      >
        <circle cx="11" cy="10" r="7" />
        <path d="M5 13c3.500-6 8-8 12.500-6.500M4.700 9c3-3 6-4.500 9-5M7.500 16c2-4 6-7 10-6.500M17 13c1 3.500-1.500 5.500-4 6.500s-3 2.500-.8 3 5 .2 8.300-1.200" />
      </svg>
      {!mark && <span className="text-lg tracking-[-0.02em]">clew</span>}
    </span>
  );
}
