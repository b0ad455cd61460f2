import type { Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { Link } from "wouter";
import { useWords } from "@/i18n";
import { cx } from "@/ui";
import { sessionWords } from "../words";

/** The ways to look at a session that has a notebook: its transcript or the notebook. */
export function Views({ session, at }: { session: Session; at: "transcript" | "notebook" }) {
  const t = useWords(sessionWords);
  const first = useSnapshot(session, (s) => s.notebooks[0]?.notebook_id);
  if (first === undefined && at === "transcript") return null;
  const view = (id: typeof at, path: string, name: string) => (
    <Link
      href={path}
      aria-current={at === id ? "page" : undefined}
      className={cx(
        "flex h-6.5 items-center rounded-sm px-2.5 font-medium pointer-coarse:h-10",
        at === id ? "bg-sheet text-ink shadow-card" : "text-soft hover:text-ink",
      )}
    >
      {name}
    </Link>
  );
  return (
    <nav aria-label={t.views} className="flex shrink-0 rounded bg-hover p-0.5" data-views>
      {view("transcript", `/s/${session.id}`, t.transcriptView)}
      {view(
        "notebook",
        `/s/${session.id}/notebook${at === "notebook" ? "" : `/${encodeURIComponent(first ?? "")}`}`,
        t.notebook,
      )}
    </nav>
  );
}
