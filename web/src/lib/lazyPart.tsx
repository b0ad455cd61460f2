import { type ComponentType, useEffect, useState } from "react";
import { ErrorNote, Loading } from "@/ui";

const againMs = 3_000;

/**
 * A part of a page whose code is fetched when it is shown. Where it cannot be
 * fetched, only this part says so, and tries again by itself: the line may be
 * cut at any time, and the rest of the page goes on. Dialogs show nothing until they are there.
 */
export function lazyPart<P extends object>(load: () => Promise<ComponentType<P>>, quiet = false): ComponentType<P> {
  let known: ComponentType<P> | undefined;
  return function Part(props: P) {
    const [Shown, setShown] = useState<ComponentType<P> | undefined>(() => known);
    const [error, setError] = useState<unknown>();
    const [round, setRound] = useState(0);
    useEffect(() => {
      if (known) return;
      let over = false;
      let timer: ReturnType<typeof setTimeout> | undefined;
      load().then(
        (part) => {
          known = part;
          if (!over) setShown(() => part);
        },
        (e: unknown) => {
          if (over) return;
          setError(e);
          timer = setTimeout(() => setRound((r) => r + 1), againMs);
        },
      );
      return () => {
        over = true;
        clearTimeout(timer);
      };
    }, [round]);
    if (Shown) return <Shown {...props} />;
    if (error === undefined) return quiet ? null : <Loading />;
    return (
      <div className="p-3">
        <ErrorNote error={error} retry={() => setRound((r) => r + 1)} />
      </div>
    );
  };
}
