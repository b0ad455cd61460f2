import type { ClewError } from "@clew-run/client";
import { useLocation } from "wouter";
import { useWords } from "@/i18n";
import { Button, Empty } from "@/ui";
import { sessionWords } from "./words";

const final = new Set(["SESSION_NOT_FOUND", "FORBIDDEN", "SESSION_DAMAGED", "SESSION_EXPIRED"]);

/** Whether a session cannot be shown for a reason that waiting does not mend. */
export function isFinal(error: ClewError | undefined): error is ClewError {
  return error !== undefined && final.has(error.code);
}

/** A session that cannot be shown: why, and what to do. */
export function Problem({ error, retry }: { error: ClewError; retry(): void }) {
  const t = useWords(sessionWords);
  const [, navigate] = useLocation();
  const damaged = error.code === "SESSION_DAMAGED";
  const title = damaged
    ? t.damaged
    : error.code === "FORBIDDEN"
      ? t.forbidden
      : error.code === "SESSION_EXPIRED"
        ? t.expired
        : t.notFound;
  return (
    <Empty
      top
      title={title}
      action={
        <div className="flex gap-2">
          <Button onClick={retry}>{t.tryAgain}</Button>
          <Button look="main" onClick={() => navigate("/")}>
            {t.goHome}
          </Button>
        </div>
      }
    >
      <p>{damaged ? t.damagedHelp : t.notFoundHelp}</p>
      <p className="pt-1 font-mono text-xs">{error.code}</p>
    </Empty>
  );
}
