import type { ApiKey, Ticket } from "@clew-run/client";
import { useEffect, useState } from "react";
import { client } from "@/app/client";
import { useInboxState } from "@/app/inbox";
import { announce } from "@/app/notices";
import { useWords } from "@/i18n";
import { countdown } from "@/lib/format";
import { useLoaded } from "@/lib/useLoaded";
import { Button, CopyButton, Dialog, ErrorNote, Loading, Mark } from "@/ui";
import { QrCode } from "./QrCode";
import { settingsWords } from "./words";

const lookMs = 2_000;

/**
 * Lets another browser in: a link that works once and for a minute. It tells when
 * somebody used it, so that nobody has to wonder whether it worked.
 */
export function AddDeviceDialog({ known, onClose }: { known: ReadonlySet<string>; onClose(): void }) {
  const t = useWords(settingsWords);
  const [round, setRound] = useState(0);
  const ticket = useLoaded(`ticket ${round}`, () => client.rest.ticket());
  const joined = useJoined(known);
  useEffect(() => {
    if (joined) announce(t.deviceJoined(nameOf(joined)));
  }, [joined, t]);
  return (
    <Dialog
      open
      onClose={onClose}
      title={t.addDevice}
      footer={
        <Button look={joined ? "main" : "plain"} onClick={onClose}>
          {t.finished}
        </Button>
      }
    >
      {joined ? (
        <p className="flex items-center gap-2 py-4">
          <Mark tone="done" />
          {t.deviceJoined(nameOf(joined))}
        </p>
      ) : ticket.error !== undefined ? (
        <ErrorNote error={ticket.error} retry={ticket.reload} />
      ) : !ticket.value ? (
        <Loading />
      ) : (
        <Link ticket={ticket.value} again={() => setRound(round + 1)} />
      )}
    </Dialog>
  );
}

export function nameOf(k: ApiKey): string {
  return k.device || k.name || k.id;
}

/** A browser that signed in while the dialog was open. */
function useJoined(known: ReadonlySet<string>): ApiKey | undefined {
  const [joined, setJoined] = useState<ApiKey>();
  useEffect(() => {
    if (joined) return;
    const look = () =>
      void client.rest.devices.list().then(
        (d) => setJoined(d.devices.find((k) => !known.has(k.id))),
        () => {},
      );
    const timer = setInterval(look, lookMs);
    return () => clearInterval(timer);
  }, [known, joined]);
  return joined;
}

/** Addresses that no other machine can reach. */
const here = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

function Link({ ticket, again }: { ticket: Ticket; again(): void }) {
  const t = useWords(settingsWords);
  const { inbox } = useInboxState();
  const [left, setLeft] = useState(() => ticket.expires_ms - inbox.serverNow());
  useEffect(() => {
    const look = () => setLeft(ticket.expires_ms - inbox.serverNow());
    look();
    const timer = setInterval(look, 500);
    return () => clearInterval(timer);
  }, [ticket, inbox]);
  const link = `${location.origin}/#ticket=${ticket.ticket}`;
  const local = here.test(location.hostname);
  if (left <= 0) {
    return (
      <div className="flex flex-wrap items-center gap-3 py-4" data-over>
        <p className="flex-1">{t.linkOver}</p>
        <Button look="main" onClick={again}>
          {t.newLink}
        </Button>
      </div>
    );
  }
  return (
    <div className="flex flex-col gap-3">
      <p>{local ? t.addDeviceHere : t.addDeviceHelp}</p>
      {!local && <QrCode text={link} label={t.qr} />}
      <div className="flex items-center rounded bg-sunk pl-3">
        <code className="min-w-0 flex-1 py-1.5 font-mono text-sm break-all" data-link>
          {link}
        </code>
        <CopyButton text={link} />
      </div>
      <p className="text-soft">
        {t.linkOnce} <span className="tabular-nums">{t.linkLeft(countdown(left))}</span>
      </p>
    </div>
  );
}
