import { client } from "@/app/client";
import { saveAs } from "@/lib/saveAs";

/** Saves the session whole, as a file that another server can import. */
export async function saveSession(session: string): Promise<void> {
  const response = await client.rest.sessions.export(session);
  const name =
    /filename="?([\w.-]+)"?/.exec(response.headers.get("Content-Disposition") ?? "")?.[1] ?? `${session}.bundle`;
  saveAs(await response.blob(), name);
}
