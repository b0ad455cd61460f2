import { Plus } from "lucide-react";
import { useState } from "react";
import { useMe } from "@/app/account";
import { client } from "@/app/client";
import { useWords } from "@/i18n";
import { useLoaded } from "@/lib/useLoaded";
import { Badge, Button, ErrorNote, Loading } from "@/ui";
import { KeyRow } from "@/features/settings/KeyRow";
import { Group, None, Part, Row } from "@/features/settings/Layout";
import { settingsWords } from "@/features/settings/words";
import { EverySession } from "./EverySession";
import { NewKeyDialog } from "./NewKeyDialog";
import { peopleOf, type Person } from "./people";
import { adminWords } from "./words";

/** Who may do what on this server, by which keys, and everybody's sessions. */
export function PeoplePart() {
  const t = useWords(adminWords);
  const s = useWords(settingsWords);
  const me = useMe();
  const keys = useLoaded("keys", () => client.rest.keys.list());
  const [making, setMaking] = useState(false);
  const people = keys.value && peopleOf(keys.value.keys, Date.now());
  const end = async (id: string) => {
    await client.rest.keys.revoke(id);
    keys.reload();
  };
  return (
    <Part
      title={s.sections.people}
      help={t.peopleHelp}
      action={
        me?.auth === "on" && (
          <Button look="main" icon={<Plus size={15} />} onClick={() => setMaking(true)}>
            {s.newKey}
          </Button>
        )
      }
    >
      <Group title={t.people} help={me?.auth === "off" ? t.openToAll : undefined} bare>
        {keys.error !== undefined && <ErrorNote error={keys.error} retry={keys.reload} />}
        {!people && keys.loading && <Loading />}
        {people && (
          <div className="overflow-hidden rounded-lg border border-line2 bg-sheet shadow-card divide-y divide-line">
            {people.length === 0 && <None>{s.noKeys}</None>}
            {people.map((p) => (
              <PersonRow key={p.user} person={p} mine={me?.key_id} end={end} />
            ))}
          </div>
        )}
      </Group>
      <EverySession />
      {making && (
        <NewKeyDialog
          onClose={() => {
            setMaking(false);
            keys.reload();
          }}
        />
      )}
    </Part>
  );
}

function PersonRow({ person: p, mine, end }: { person: Person; mine?: string; end(id: string): Promise<void> }) {
  const t = useWords(adminWords);
  const s = useWords(settingsWords);
  const role = p.roles[0]!;
  return (
    <Row
      label={p.user}
      icon={
        <span
          aria-hidden
          className="flex size-8.5 shrink-0 items-center justify-center rounded-lg bg-sunk font-semibold text-soft uppercase"
        >
          {p.user.slice(0, 1)}
        </span>
      }
      title={p.user}
      tag={p.roles.map((r) => (
        <Badge key={r} tone={r === "admin" ? "run" : "past"}>
          {s.roles[r] ?? r}
        </Badge>
      ))}
      below={
        <details className="group mt-1 sm:pl-11.5">
          <summary className="flex min-h-(--row) w-fit min-w-(--row) items-center rounded text-sm text-run">
            {t.keys(p.keys.length)}
          </summary>
          <ul className="divide-y divide-line">
            {p.keys.map((k) => (
              <KeyRow
                key={k.id}
                apiKey={k}
                mine={k.id === mine}
                action={s.revoke}
                hint={s.revokeHint}
                onEnd={() => end(k.id)}
              />
            ))}
          </ul>
        </details>
      }
    >
      {s.roleHelp[role]}
    </Row>
  );
}
