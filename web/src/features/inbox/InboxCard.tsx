import type { Inbox, InboxItem } from "@clew-run/client";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { useWords } from "@/i18n";
import { Ago } from "@/ui";
import type { Asked } from "@/features/session/questions/alike";
import { Card } from "@/features/session/questions/Card";
import { Revealed } from "@/features/session/questions/Revealed";
import { byInbox, useSettlement } from "./settlement";
import { inboxWords } from "./words";

/** A question with the session that asks it, answerable in place. */
export function InboxCard({
  item,
  gone,
  inbox,
  alike,
  lead,
  heading,
  lineDown,
}: {
  item: InboxItem;
  /** It is not open any more. */
  gone: boolean;
  inbox: Inbox;
  alike?: readonly Asked[];
  /** What stands before the session's name, such as a box to choose it. */
  lead?: ReactNode;
  heading?: 2 | 3;
  lineDown?: boolean;
}) {
  const t = useWords(inboxWords);
  const settled = useSettlement(item, gone);
  const at = `/s/${item.session_id}?question=${item.question.request_id}`;
  return (
    <Card
      question={item.question}
      sessionId={item.session_id}
      answering={byInbox}
      clock={inbox}
      heading={heading}
      settled={gone ? settled : undefined}
      alike={gone ? undefined : alike}
      lineDown={lineDown}
      place={
        <p className="flex min-w-0 items-center gap-2 text-sm text-soft">
          {lead}
          <Link href={at} className="min-w-0 truncate font-medium text-ink hover:underline">
            <Revealed text={item.title || t.untitled} />
          </Link>
          <span className="shrink-0">
            <Ago ms={item.asked_ms} />
          </span>
        </p>
      }
    />
  );
}
