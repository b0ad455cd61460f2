import { useEffect, useLayoutEffect, useRef } from "react";
import type { EditorProps, Mounted } from "./mount";

/** The editor as a part of the page. Its text is the editor's own; what comes from outside is put in. */
export function Editor({
  mount,
  ...props
}: EditorProps & { mount: (host: HTMLElement, props: EditorProps) => Mounted }) {
  const host = useRef<HTMLDivElement>(null);
  const made = useRef<Mounted | null>(null);
  const first = useRef(props);
  useLayoutEffect(() => {
    made.current = mount(host.current!, first.current);
    return () => made.current?.destroy();
  }, [mount]);
  useEffect(() => made.current?.update(props));
  return <div ref={host} className="min-w-0" data-editor />;
}
