import type { Session, WindowState } from "@clew-run/client";
import { useEffect, useState } from "react";
import { client } from "@/app/client";
import { useWords } from "@/i18n";
import { useLoaded } from "@/lib/useLoaded";
import { Loading } from "@/ui";
import { NotDrawn, reportFailed } from "../Attempt";
import { Ask } from "./Ask";
import type { ShownCall } from "./bridge";
import { pageId, useConsent } from "./consent";
import { McpApp } from "./McpApp";
import { PortApp } from "./PortApp";
import { appWords } from "./words";

interface Props {
  session: Session;
  window: WindowState;
  label: string;
}

const mib = 1 << 20;
const pageMax = 2 * mib;
const dataMax = mib;

/** An app: its page runs once a person lets this very page run, in this browser. */
export function AppWindow({ session, window: w, label }: Props) {
  const content = w.content!;
  const page = pageId(content);
  const consent = useConsent(page);
  const [round, setRound] = useState(0);
  if (!consent) return <Ask content={content} page={page} label={label} />;
  const again = () => setRound((r) => r + 1);
  return (
    <Allowed
      key={`${page} ${content.data ?? ""} ${consent} ${round}`}
      session={session}
      window={w}
      label={label}
      page={page}
      network={consent === "network"}
      again={again}
    />
  );
}

export interface Run extends Props {
  page: string;
  html: string;
  network: boolean;
  again(): void;
}

function Allowed(props: Omit<Run, "html">) {
  const { session, window: w, again } = props;
  const t = useWords(appWords);
  const { blob = "", data = "", bytes = 0, kind } = w.content!;
  const loaded = useLoaded(`${blob} ${data}`, async () => {
    if (bytes > pageMax) throw new Error(t.tooLarge(pageMax / mib));
    const read = async (address: string, max: number) => {
      const got = await (await client.rest.sessions.blob(session.id, address)).blob();
      if (got.size > max) throw new Error(t.tooLarge(max / mib));
      return got.text();
    };
    const [html, call] = await Promise.all([
      read(blob, pageMax),
      kind === "mcp_app" && data ? read(data, dataMax) : "{}",
    ]);
    return { html, call: JSON.parse(call) as Partial<ShownCall> };
  });
  const { error } = loaded;
  useEffect(() => {
    if (error !== undefined) reportFailed(session, w, `the app's page cannot be loaded: ${(error as Error).message}`);
  }, [session, w, error]);
  if (error !== undefined)
    return <NotDrawn error={new Error(`${t.noPage} ${(error as Error).message}`)} retry={again} />;
  if (!loaded.value) return <Loading label={t.loading} />;
  const { html, call } = loaded.value;
  if (kind !== "mcp_app") return <PortApp {...props} html={html} />;
  return <McpApp {...props} html={html} call={{ input: call.input, result: call.result }} />;
}
