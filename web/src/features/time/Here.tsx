import type { TimelineMark } from "@clew-run/client";
import { Link } from "wouter";
import { client } from "@/app/client";
import { useWords } from "@/i18n";
import { clockTime } from "@/lib/format";
import { useLoaded } from "@/lib/useLoaded";
import { Time } from "@/ui";
import { MarkText } from "./MarkText";
import { targetOf } from "./marks";
import { timeWords } from "./words";

/** The place somebody stands at, in words: what happened there, and when. */
export function Here({ sessionId, mark }: { sessionId: string; mark: TimelineMark }) {
  const t = useWords(timeWords);
  return (
    <p className="min-w-0 flex-1 basis-48 truncate" data-here={mark.message_id}>
      <span className="font-medium">{t.kinds[mark.kind]}</span> <Time ms={mark.ts} className="text-soft" />{" "}
      <span className="text-soft">
        <MarkText mark={mark} />
      </span>
      {mark.kind === "rewind" && <Target sessionId={sessionId} mark={mark} />}
      {mark.kind === "fork" && mark.session && (
        <>
          {" "}
          <Link href={`/s/${mark.session}`} className="text-run underline">
            {t.openFork}
          </Link>
        </>
      )}
    </p>
  );
}

/** Where a rewind went to, by its words: ids say nothing to people. */
function Target({ sessionId, mark }: { sessionId: string; mark: TimelineMark }) {
  const t = useWords(timeWords);
  const target = targetOf(mark);
  const id = target?.messageId;
  const found = useLoaded(`${sessionId}/${id}`, async () => {
    if (!id) return null;
    const { messages } = await client.rest.sessions.messages(sessionId, { as_of: id, limit: 1 });
    return messages.at(-1) ?? null;
  });
  const m = found.value;
  if (!target || !m) return null;
  const words = ((m.tool ? m.tool.target : m.text) ?? "").trim().split("\n", 1)[0]!;
  const short = words.length > 60 ? `${words.slice(0, 59)}…` : words;
  if (short === "") return null;
  const went = target.kept ? t.wentAfter : m.message_id === id ? t.wentBefore : t.wentBeforeAnswer; // an answer is no message
  return <span className="text-soft">, {went(short, clockTime(m.ts))}</span>;
}
