import { useState } from "react";
import { useWords } from "@/i18n";
import { Button, CopyButton, Field, Mark, TextInput } from "@/ui";
import { signIn } from "./account";
import { Logo } from "./Logo";
import { appWords } from "./words";

/** The way in. `link`: a link was followed that was used already, or is too old. */
export function SignIn({
  problem,
  wrong,
  link,
  ended,
}: {
  problem?: string;
  wrong?: boolean;
  link?: boolean;
  ended?: boolean;
}) {
  const t = useWords(appWords);
  const [token, setToken] = useState("");
  const [busy, setBusy] = useState(false);
  return (
    <main className="mx-auto flex min-h-full max-w-sm flex-col justify-center gap-5 p-6">
      <Logo />
      <h1 className="text-2xl font-semibold">{t.signIn}</h1>
      {ended && (
        <div role="alert" className="flex gap-2 rounded border border-ask/50 bg-ask-wash px-3 py-2">
          <Mark tone="ask" className="mt-1" />
          <p>{t.signedOut}</p>
        </div>
      )}
      {link && (
        <div role="alert" className="flex gap-2 rounded border border-ask/50 bg-ask-wash px-3 py-2">
          <Mark tone="ask" className="mt-1" />
          <p>
            <span className="font-medium">{t.badLink}</span> {t.badLinkHelp}
          </p>
        </div>
      )}
      <p className="text-soft">{t.signInHelp}</p>
      <div className="flex items-center rounded bg-sunk pl-3 font-mono">
        <code className="flex-1">clew open</code>
        <CopyButton text="clew open" />
      </div>
      <form
        className="flex flex-col gap-3"
        onSubmit={(e) => {
          e.preventDefault();
          setBusy(true);
          void signIn({ token: token.trim() }).finally(() => setBusy(false));
        }}
      >
        <Field
          label={t.token}
          hint={t.tokenHint}
          error={
            problem && !link ? (
              <>
                <Mark tone="fail" className="mr-1 inline" />
                {wrong ? t.wrongToken : problem}
              </>
            ) : undefined
          }
        >
          {(props) => (
            <TextInput
              {...props}
              type="password"
              autoComplete="off"
              spellCheck={false}
              required
              value={token}
              onChange={(e) => setToken(e.target.value)}
            />
          )}
        </Field>
        <Button look="main" type="submit" busy={busy}>
          {t.signInButton}
        </Button>
      </form>
    </main>
  );
}
