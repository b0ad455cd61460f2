import { ClewClient } from "@clew-run/client";

/** The one client of the page. The browser's cookie is its credentials. */
export const client = new ClewClient({ baseUrl: location.origin });
