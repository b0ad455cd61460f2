import { newId, type Component, type Session, type WindowState } from "@clew-run/client";
import { useRef, useState, type FormEvent } from "react";
import { announce } from "@/app/notices";
import { useWords } from "@/i18n";
import { ErrorNote } from "@/ui";
import { useMayChange } from "../desk";
import { windowWords } from "../words";
import { formData } from "./formData";
import { Links } from "./Links";
import { Node } from "./Node";

/** What a button of the tree is pressed with. */
export interface Press {
  (button: Component, path: string): void;
}

/** A form of native controls, from a tree that an agent wrote. Its buttons tell the server. */
export function Components({ session, window: w, label }: { session: Session; window: WindowState; label: string }) {
  const t = useWords(windowWords);
  const mayChange = useMayChange(session);
  const form = useRef<HTMLFormElement>(null);
  const [pressed, setPressed] = useState<ReadonlySet<string>>(new Set());
  const [error, setError] = useState<unknown>();
  const root = w.content?.root;
  if (!root) throw new Error(t.noTree);

  const press: Press = (button, path) => {
    if (!form.current || pressed.has(path) || (button.submit && !form.current.reportValidity())) return;
    setError(undefined);
    setPressed((s) => new Set([...s, path]));
    const sent = session.send("component_action", {
      window_id: w.window_id,
      action: button.action ?? button.id ?? button.label ?? "",
      action_id: button.parallel ? newId() : undefined,
      form_data: formData(form.current),
      component_path: path,
    });
    sent
      .then(() => announce(t.pressed(button.label ?? button.text ?? "")), setError)
      .finally(() => setPressed((s) => new Set([...s].filter((p) => p !== path))));
  };
  // Enter in a field presses the button that sends the form.
  const onSubmit = (e: FormEvent) => {
    e.preventDefault();
    const found = submitIn(root, "0");
    if (found) press(found.button, found.path);
  };
  return (
    <Links>
      <form
        ref={form}
        aria-label={label}
        onSubmit={onSubmit}
        className="size-full overflow-auto px-4 py-3.5"
        data-components
      >
        <fieldset disabled={!mayChange} className="contents">
          <Node session={session} node={root} path="0" press={press} pressed={pressed} />
        </fieldset>
        {error !== undefined && (
          <div className="pt-3">
            <ErrorNote error={error} />
          </div>
        )}
        {!mayChange && <p className="pt-3 text-sm text-soft">{t.onlyOwner}</p>}
        <button type="submit" hidden />
      </form>
    </Links>
  );
}

function submitIn(node: Component, path: string): { button: Component; path: string } | undefined {
  if (node.type === "button" && node.submit) return { button: node, path };
  for (const [i, child] of (node.children ?? []).entries()) {
    const found = submitIn(child, `${path}.${i}`);
    if (found) return found;
  }
  return undefined;
}
