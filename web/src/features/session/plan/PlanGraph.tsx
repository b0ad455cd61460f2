import type { Todo } from "@clew-run/client";
import {
  Handle,
  MarkerType,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  type Edge,
  type Node,
  type NodeProps,
} from "@xyflow/react";
import { Maximize2, Minus, Plus } from "lucide-react";
import { memo, useEffect, useMemo, useRef } from "react";
import "@xyflow/react/dist/base.css";
import { useWords } from "@/i18n";
import { cx, IconButton, Loading, Mark, toneOf } from "@/ui";
import { boxHeight, boxWidth, type Box } from "./layout";
import { neighbour } from "./neighbour";
import { shapeOf } from "./shape";
import { useLayout } from "./useLayout";
import { planWords } from "./words";

interface GraphProps {
  todos: readonly Todo[];
  selected: string | null;
  onSelect(id: string): void;
}

type StepNode = Node<{ todo: Todo; number: number; chosen: boolean }, "step">;

/** The plan as a graph: the thread runs through its edges. To look at and to walk through, not to draw in. */
export function PlanGraph(props: GraphProps) {
  const boxes = useLayout(props.todos);
  if (!boxes) return <Loading />;
  return (
    <ReactFlowProvider>
      <Flow {...props} boxes={boxes} />
    </ReactFlowProvider>
  );
}

const nodeTypes = { step: memo(StepBox) };

function Flow({ todos, selected, onSelect, boxes }: GraphProps & { boxes: Box[] }) {
  const t = useWords(planWords);
  const flow = useReactFlow();
  const frame = useRef<HTMLDivElement>(null);
  const nodes = useMemo<StepNode[]>(() => {
    const at = new Map(boxes.map((b) => [b.id, b]));
    return todos.flatMap((todo, i) => {
      const box = at.get(todo.id);
      if (!box) return [];
      return [
        {
          id: todo.id,
          type: "step" as const,
          position: { x: box.x, y: box.y },
          width: boxWidth,
          height: boxHeight,
          data: { todo, number: i + 1, chosen: todo.id === selected },
          ariaLabel: t.nodeName(
            i + 1,
            todo.task,
            t.todoStatus[todo.status],
            todo.depends_on
              .map((id) => todos.findIndex((o) => o.id === id) + 1)
              .filter((n) => n > 0)
              .join(", "),
          ),
        },
      ];
    });
  }, [todos, boxes, selected, t]);
  const edges = useMemo<Edge[]>(() => {
    const status = new Map(todos.map((d) => [d.id, d.status]));
    return shapeOf(todos).edges.map(([from, to]) => {
      const run = status.get(from) === "completed";
      return {
        id: `${from} ${to}`,
        source: from,
        target: to,
        focusable: false,
        style: { stroke: run ? "var(--c-run)" : "var(--c-past)", strokeWidth: 2 },
        markerEnd: {
          type: MarkerType.ArrowClosed,
          color: run ? "var(--c-run)" : "var(--c-past)",
          width: 12,
          height: 12,
        },
      };
    });
  }, [todos]);
  // The panel can be made larger and smaller; the plan stays in view.
  useEffect(() => {
    if (!frame.current) return;
    const watch = new ResizeObserver(() => void flow.fitView({ padding: 0.08, maxZoom: 1 }));
    watch.observe(frame.current);
    return () => watch.disconnect();
  }, [flow]);
  useEffect(() => void flow.fitView({ padding: 0.08, maxZoom: 1 }), [flow, boxes]);

  const onKeyDown = (e: React.KeyboardEvent) => {
    const from = (e.target as HTMLElement).closest<HTMLElement>(".react-flow__node")?.dataset.id;
    if (!from) return;
    if (e.key === "Enter" || e.key === " ") {
      e.preventDefault();
      return onSelect(from);
    }
    const to = neighbour(todos, boxes, from, e.key);
    if (e.key.startsWith("Arrow")) e.preventDefault();
    if (!to) return;
    e.preventDefault();
    frame.current?.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(to)}"]`)?.focus();
    onSelect(to);
  };
  return (
    <div
      ref={frame}
      role="group"
      aria-label={t.graphLabel}
      onKeyDown={onKeyDown}
      className="relative min-h-72 flex-1 overflow-hidden"
      data-graph
    >
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        onNodeClick={(_, n) => onSelect(n.id)}
        nodesDraggable={false}
        nodesConnectable={false}
        edgesFocusable={false}
        disableKeyboardA11y
        zoomOnScroll={false}
        preventScrolling={false}
        panOnDrag
        minZoom={0.15}
        maxZoom={1.5}
        proOptions={{ hideAttribution: true }}
        fitView
        fitViewOptions={{ padding: 0.08, maxZoom: 1 }}
      />
      <div className="absolute right-0 bottom-0 flex bg-paper/80">
        <IconButton label={t.zoomIn} icon={<Plus size={14} />} onClick={() => void flow.zoomIn()} />
        <IconButton label={t.zoomOut} icon={<Minus size={14} />} onClick={() => void flow.zoomOut()} />
        <IconButton
          label={t.fit}
          icon={<Maximize2 size={13} />}
          onClick={() => void flow.fitView({ padding: 0.08, maxZoom: 1 })}
        />
      </div>
    </div>
  );
}

const edge: Record<string, string> = {
  run: "border-run before:bg-run",
  ask: "border-ask before:bg-ask",
  fail: "border-fail before:bg-fail",
  done: "border-line before:bg-run",
  wait: "border-line before:bg-line",
  past: "border-line before:bg-past",
};

function StepBox({ data: { todo, number, chosen } }: NodeProps<StepNode>) {
  const tone = toneOf(todo.status);
  return (
    <div
      style={{ width: boxWidth, height: boxHeight }}
      className={cx(
        "relative flex items-center gap-2 overflow-hidden rounded border bg-sheet pr-2 pl-3 before:absolute before:inset-y-0 before:left-0 before:w-1",
        edge[tone],
        chosen && "ring-2 ring-run",
      )}
    >
      <Handle type="target" position={Position.Top} isConnectable={false} className="invisible" />
      <Mark tone={tone} live={tone === "run"} />
      <span
        className={cx(
          "line-clamp-2 min-w-0 flex-1",
          (tone === "done" || tone === "past") && "text-soft",
          tone === "past" && "line-through",
        )}
      >
        <span className="text-soft">{number}. </span>
        {todo.task}
      </span>
      {todo.status === "in_progress" && todo.progress_percentage !== undefined && (
        <span className="text-sm text-run">{Math.round(todo.progress_percentage)} %</span>
      )}
      <Handle type="source" position={Position.Bottom} isConnectable={false} className="invisible" />
    </div>
  );
}
