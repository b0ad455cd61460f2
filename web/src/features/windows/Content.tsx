import { contentOf, type Session, type WindowState } from "@clew-run/client";
import { memo } from "react";
import { useWords } from "@/i18n";
import { lazyPart } from "@/lib/lazyPart";
import { Markdown } from "@/lib/Markdown";
import { Attempt } from "./Attempt";
import { Frame } from "./Frame";
import { ImageView } from "./kinds/ImageView";
import { Links } from "./kinds/Links";
import { TableView } from "./kinds/TableView";
import { windowWords } from "./words";

/** Forms and apps bring code that most sessions never need. */
const LazyComponents = lazyPart(() => import("./kinds/Components").then((m) => m.Components));
const LazyApp = lazyPart(() => import("./app/AppWindow").then((m) => m.AppWindow));

interface Props {
  session: Session;
  window: WindowState;
  title: string;
}

/** What a window shows: drawn again when that changes, not when the window moves. What cannot be drawn says so, here and to the server. */
export const Content = memo(function Content(props: Props) {
  const w = props.window;
  return (
    <Attempt key={w.window_id} session={props.session} window={w}>
      <Kind {...props} />
    </Attempt>
  );
});

function Kind({ session, window: w, title }: Props) {
  const t = useWords(windowWords);
  const content = contentOf(w);
  const label = t.content(title);
  switch (content.kind) {
    case "html":
      return <Frame html={content.text} title={label} />;
    case "table":
      return <TableView session={session} window={w} table={content} title={title} label={label} />;
    case "components":
      return <LazyComponents session={session} window={w} label={label} />;
    case "image":
      return <ImageView session={session} window={w} label={label} />;
    case "app":
    case "mcp_app":
      return <LazyApp session={session} window={w} label={label} />;
    case "text":
      return (
        <pre
          tabIndex={0}
          role="group"
          aria-label={label}
          dir="auto"
          className="size-full overflow-auto px-4 py-3 font-mono text-sm whitespace-pre-wrap outline-offset-[-2px]"
        >
          {content.text}
        </pre>
      );
    default:
      return (
        <Links>
          <div
            tabIndex={0}
            role="group"
            aria-label={label}
            className="size-full overflow-auto px-4.5 py-3.5 text-md outline-offset-[-2px]"
          >
            <Markdown text={content.text} />
          </div>
        </Links>
      );
  }
}
