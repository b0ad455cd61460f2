import { client } from "@/app/client";

/** Saves the session whole, as a file that another server can import. */
export async function saveSession(session: string): Promise<void> {
  const response = await client.rest.sessions.export(session);
  const url = URL.createObjectURL(await response.blob());
  const a = document.createElement("a");
  a.href = url;
  a.download = /filename="?([\w.-]+)"?/.exec(response.headers.get("Content-Disposition") ?? "")?.[1] ?? `${session}.bundle`;
  a.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000); // the download has begun by then
}
