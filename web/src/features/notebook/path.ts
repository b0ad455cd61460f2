import type { NotebookInfo, Session } from "@clew-run/client";

/** The address of a notebook's page, or of a cell in it. */
export function notebookPath(session: Session, id?: string, cell?: string): string {
  return `/s/${session.id}/notebook${id === undefined ? "" : `/${encodeURIComponent(id)}`}${cell === undefined ? "" : `?cell=${encodeURIComponent(cell)}`}`;
}

/** The name of its file, without the folders. */
export function nameOf(notebook: NotebookInfo, untitled: string): string {
  return notebook.path?.split("/").at(-1) || untitled;
}
