import type { NotebookInfo, Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { X } from "lucide-react";
import { useState } from "react";
import { Composer } from "@/features/session/composer/Composer";
import { Plan } from "@/features/session/side/SidePanel";
import { mainMonitor } from "@/features/session/transcript/scope";
import { useWords } from "@/i18n";
import { useNarrow } from "@/lib/useNarrow";
import { Badge, IconButton, Tabs } from "@/ui";
import { Asked } from "./Asked";
import { Conversation } from "./Conversation";
import { notebookWords } from "./words";
import { useVariables, Variables } from "./Variables";

/** What stands beside the cells: variables, the conversation, the plan; below them a place to write. */
export function Side({ session, notebook, onClose }: { session: Session; notebook: NotebookInfo; onClose?(): void }) {
  const t = useWords(notebookWords);
  const narrow = useNarrow();
  const [part, setPart] = useState("variables");
  const variables = useVariables(session, notebook);
  const asks = useSnapshot(session, (s) => s.questions.length > 0);
  const count = variables.value?.length ?? 0;
  return (
    <>
      <Tabs
        label={t.side}
        value={part}
        onChange={setPart}
        aside={onClose && <IconButton label={t.cancel} icon={<X size={16} />} className="mr-2" onClick={onClose} />}
        tabs={[
          {
            id: "variables",
            label: (
              <>
                {t.variables}
                {count > 0 && <Badge>{count}</Badge>}
              </>
            ),
            content: <Variables variables={variables} />,
          },
          { id: "transcript", label: t.transcript, content: <Conversation session={session} /> },
          { id: "plan", label: t.plan, content: <Plan session={session} /> },
        ]}
      />
      {!narrow && (
        <div className="flex shrink-0 flex-col gap-2 border-t border-line p-3">
          {asks && <Asked session={session} />}
          <Composer session={session} choices={undefined} monitor={mainMonitor} />
        </div>
      )}
    </>
  );
}
