import { Ellipsis, HardDrive } from "lucide-react";
import { useState, type ReactNode } from "react";
import { create } from "zustand";
import type { ModelTested } from "@clew-run/client";
import { client } from "@/app/client";
import { notifyError } from "@/app/notices";
import { useWords } from "@/i18n";
import { Badge, Button, Dialog, IconButton, Mark, Menu, type MenuItem } from "@/ui";
import { Row } from "../Layout";
import { AddModelDialog } from "./AddModelDialog";
import { KeyDialog } from "./KeyDialog";
import type { Known } from "./ModelsPart";
import { furtherModels, standingOf, type ProviderGroup, type Standing } from "./providers";
import { modelsWords } from "./words";

/** How tests came out, for as long as the page is open: leaving the section forgets none. */
const useTests = create<Record<string, ModelTested | "testing">>(() => ({}));

/** A provider: how it stands as far as anybody knows, and what to do about it. */
export function ProviderRow({
  group: g,
  known,
  owner,
  onChange,
}: {
  group: ProviderGroup;
  known: Known;
  owner: boolean;
  onChange(): void;
}) {
  const t = useWords(modelsWords);
  const tested = useTests((s) => s[g.id]);
  const standing = standingOf(g, tested);
  const [open, setOpen] = useState<"key" | "add" | { remove: string } | null>(null);
  const stored = g.profiles.filter((p) => !p.variable);
  const noKey = standing.state === "not_usable" && standing.code === "no_key";
  const test = async () => {
    if (tested === "testing") return;
    useTests.setState({ [g.id]: "testing" });
    try {
      const first = g.profiles.find((p) => p.in_use) ?? g.profiles[0]!;
      useTests.setState({ [g.id]: await client.rest.models.test(first.name) });
    } catch (e) {
      useTests.setState({ [g.id]: undefined });
      notifyError(e);
    }
  };
  const further = furtherModels(g, known.list);
  const items: MenuItem[] = [
    ...(further.length > 0 ? [{ id: "add", label: t.addModel, run: () => setOpen("add") }] : []),
    ...g.profiles.map((p) => ({
      id: p.name,
      label: t.removeModel(p.model || p.name),
      danger: true,
      disabled: !!p.variable,
      note: p.variable ? t.fromEnvironment : undefined,
      run: () => setOpen({ remove: p.name }),
    })),
  ];
  const removing =
    typeof open === "object" && open !== null ? g.profiles.find((p) => p.name === open.remove) : undefined;
  const remove = (name: string) => {
    setOpen(null);
    client.rest.models.remove(name).then(onChange, notifyError);
  };
  return (
    <Row
      label={g.title}
      icon={
        <span
          aria-hidden
          className={`flex size-8.5 shrink-0 items-center justify-center rounded-lg text-md font-semibold ${g.local ? "bg-run-wash text-run" : "bg-sunk text-soft"}`}
        >
          {g.local ? <HardDrive size={17} /> : g.title.slice(0, 1).toUpperCase()}
        </span>
      }
      title={g.title}
      tag={<Tag standing={standing} />}
      actions={
        <>
          {owner && !noKey && (
            <Button
              busy={standing.state === "testing"}
              aria-label={`${t.test}: ${g.title}`}
              onClick={() => void test()}
            >
              {t.test}
            </Button>
          )}
          {g.needsKey && stored.length > 0 && !g.variable && (
            <Button aria-label={`${noKey ? t.addKey : t.replaceKey}: ${g.title}`} onClick={() => setOpen("key")}>
              {noKey ? t.addKey : t.replaceKey}
            </Button>
          )}
          <Menu
            label={`${t.more}: ${g.title}`}
            trigger={<IconButton label={`${t.more}: ${g.title}`} icon={<Ellipsis size={16} />} />}
            items={items}
          />
        </>
      }
    >
      <span role={tested ? "status" : undefined}>
        <Line group={g} standing={standing} />
      </span>
      {open === "key" && (
        <KeyDialog
          group={g}
          profiles={stored}
          owner={owner}
          onClose={() => setOpen(null)}
          onDone={(result) => {
            setOpen(null);
            useTests.setState({ [g.id]: result });
            onChange();
          }}
        />
      )}
      {open === "add" && (
        <AddModelDialog
          group={g}
          models={further}
          known={known}
          onClose={() => setOpen(null)}
          onDone={() => {
            setOpen(null);
            onChange();
          }}
        />
      )}
      {removing && (
        <Dialog
          open
          onClose={() => setOpen(null)}
          title={t.confirmRemove(removing.model || removing.name)}
          footer={
            <Button look="danger" onClick={() => remove(removing.name)}>
              {t.remove}
            </Button>
          }
        >
          <p className="text-base text-ink">{t.removeHelp}</p>
        </Dialog>
      )}
    </Row>
  );
}

function Tag({ standing: s }: { standing: Standing }): ReactNode {
  const t = useWords(modelsWords);
  switch (s.state) {
    case "untested":
      return null;
    case "testing":
      return <Badge>{t.testing}</Badge>;
    case "connected":
      return (
        <Badge tone="run">
          <Mark tone="done" size={9} />
          {t.connected}
        </Badge>
      );
    case "failed":
      return (
        <Badge tone="fail">
          <Mark tone="fail" size={9} />
          {t.failures[s.kind]![0]}
        </Badge>
      );
    case "not_usable":
      return <Badge tone="ask">{(t.notUsable[s.code] ?? t.notUsable.missing!)[0]}</Badge>;
  }
}

/** The second line: what to do if something is wrong, else where key and models are. */
function Line({ group: g, standing: s }: { group: ProviderGroup; standing: Standing }): ReactNode {
  const t = useWords(modelsWords);
  if (s.state === "failed")
    return (
      <>
        {t.failures[s.kind]![1]}
        {s.kind === "request" && s.message && <span className="block wrap-anywhere">{s.message}</span>}
      </>
    );
  if (s.state === "not_usable") return (t.notUsable[s.code] ?? t.notUsable.missing!)[1];
  const key = g.local ? t.here : g.variable ? t.keyFrom(g.variable) : g.needsKey ? t.keyStored : t.noKey;
  return [key, g.host, t.models(g.profiles.length), s.state === "connected" && t.answered(s.seconds)]
    .filter(Boolean)
    .join(" · ");
}
