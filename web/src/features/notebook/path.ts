import type { NotebookInfo, Session } from "@clew-run/client";

/** The address of a notebook's page. */
export function notebookPath(session: Session, id?: string): string {
  return `/s/${session.id}/notebook${id === undefined ? "" : `/${encodeURIComponent(id)}`}`;
}

/** The name of its file, without the folders. */
export function nameOf(notebook: NotebookInfo, untitled: string): string {
  return notebook.path?.split("/").at(-1) || untitled;
}
