import type { NotebookInfo, Session } from "@clew-run/client";
import { Search, Variable as VariableIcon } from "lucide-react";
import { useState } from "react";
import { client } from "@/app/client";
import { useWords } from "@/i18n";
import { useLoaded, type Loaded } from "@/lib/useLoaded";
import { Empty, ErrorNote, Loading, TextInput } from "@/ui";
import { notebookWords } from "./words";

/** A name that the kernel knows. */
export interface Variable {
  name: string;
  type: string;
  shape: string;
  value: string;
}

/** What the kernel knows after the last run; what is shown stays until the new list is there. */
export function useVariables(session: Session, notebook: NotebookInfo): Loaded<readonly Variable[]> {
  const address = notebook.variables ?? "";
  return useLoaded(
    address,
    async () =>
      address === "" ? [] : variablesIn(await (await client.rest.sessions.blob(session.id, address)).json()),
    `${session.id} ${notebook.notebook_id}`,
  );
}

/** The list as it came from the kernel: what is none of it is left out. */
function variablesIn(list: unknown): Variable[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((v: unknown) => {
    const o = (v ?? {}) as Record<string, unknown>;
    if (typeof o.name !== "string") return [];
    const shape = Array.isArray(o.shape)
      ? o.shape
          .map(Number)
          .map((n) => n.toLocaleString("en"))
          .join(" × ")
      : "";
    return [
      {
        name: o.name,
        type: typeof o.type === "string" ? o.type : "",
        shape,
        value: typeof o.value === "string" ? o.value : "",
      },
    ];
  });
}

export function Variables({ variables }: { variables: Loaded<readonly Variable[]> }) {
  const t = useWords(notebookWords);
  const [wanted, setWanted] = useState("");
  if (variables.error !== undefined)
    return (
      <div className="p-3">
        <ErrorNote error={variables.error} retry={variables.reload} />
      </div>
    );
  if (!variables.value) return <Loading />;
  if (variables.value.length === 0)
    return (
      <Empty icon={<VariableIcon size={22} />} title={t.noVariables}>
        {t.noVariablesHelp}
      </Empty>
    );
  const shown = variables.value.filter((v) => v.name.toLowerCase().includes(wanted.trim().toLowerCase()));
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="relative shrink-0 p-2.5">
        <Search
          size={14}
          aria-hidden
          className="pointer-events-none absolute top-1/2 left-5 -translate-y-1/2 text-soft"
        />
        <TextInput
          type="search"
          aria-label={t.filter}
          placeholder={t.filter}
          value={wanted}
          onChange={(e) => setWanted(e.target.value)}
          className="pl-8"
        />
      </div>
      {shown.length === 0 && <p className="px-4 py-2 text-soft">{t.noneFits}</p>}
      <ul
        tabIndex={0}
        aria-label={t.variables}
        className="min-h-0 flex-1 overflow-y-auto px-2.5 pb-3 -outline-offset-2"
        data-variables={variables.value.length}
      >
        {shown.map((v) => (
          <li key={v.name} className="border-b border-line px-1.5 py-1.5 last:border-b-0">
            <p className="flex items-baseline gap-3">
              <span className="min-w-0 flex-1 truncate font-mono font-medium" title={v.name}>
                {v.name}
              </span>
              <span className="max-w-36 truncate font-mono text-sm" title={v.shape || v.value}>
                {v.shape || v.value}
              </span>
            </p>
            <p className="truncate text-sm text-soft">{v.type}</p>
          </li>
        ))}
      </ul>
    </div>
  );
}
