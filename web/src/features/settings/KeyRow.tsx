import type { ApiKey } from "@clew-run/client";
import { useState } from "react";
import { notifyError } from "@/app/notices";
import { useWords } from "@/i18n";
import { Ago, Badge, Button, Dialog, Time } from "@/ui";
import { nameOf } from "./AddDeviceDialog";
import { Row } from "./Layout";
import { settingsWords } from "./words";

/** A key or a sign-in, and the button that ends it, which asks first. */
export function KeyRow({
  apiKey: k,
  mine,
  action,
  hint,
  onEnd,
}: {
  apiKey: ApiKey;
  mine?: boolean;
  action: string;
  hint: string;
  onEnd(): Promise<void>;
}) {
  const t = useWords(settingsWords);
  const [asking, setAsking] = useState(false);
  const name = nameOf(k);
  return (
    <li>
      <Row
        title={name}
        tag={mine && <Badge tone="run">{t.thisDevice}</Badge>}
        actions={
          <Button aria-label={`${action}: ${name}`} onClick={() => setAsking(true)}>
            {action}
          </Button>
        }
      >
        {k.kind !== "browser" && <>…{k.last_four} · </>}
        {k.kind === "browser" ? t.signedIn : t.created} <Ago ms={k.created_ms} /> · {t.expires}{" "}
        {k.expires_ms ? <Time ms={k.expires_ms} /> : t.never}
      </Row>
      <Dialog
        open={asking}
        onClose={() => setAsking(false)}
        title={`${action}: ${name}`}
        footer={
          <Button
            look="danger"
            onClick={() =>
              void onEnd()
                .catch(notifyError)
                .finally(() => setAsking(false))
            }
          >
            {action}
          </Button>
        }
      >
        <p>{hint}</p>
      </Dialog>
    </li>
  );
}
