import { ClewError, errorOf, lineError } from "./error.js";
import type { CommandData, CommandType, ErrorData, McpServer } from "./types.gen.js";
import type * as t from "./rest_types.js";

type Query = Record<string, string | number | boolean | string[] | undefined>;

/** What REST calls need of the client. */
export interface RestOptions {
  baseUrl: string;
  token: () => Promise<string | undefined>;
  fetch: typeof globalThis.fetch;
}

export interface RequestOptions {
  signal?: AbortSignal;
  query?: Query;
}

/** The REST API. Every refusal is a ClewError. */
export class Rest {
  readonly #options: RestOptions;

  constructor(options: RestOptions) {
    this.#options = options;
  }

  /** Calls any route; `path` begins with a slash and goes below /api/v1. */
  async request<T>(method: string, path: string, body?: unknown, options: RequestOptions = {}): Promise<T> {
    const response = await this.raw(method, path, body, options);
    const text = await response.text();
    return (text === "" ? undefined : JSON.parse(text)) as T;
  }

  /** As request, with the answer as it came: for blobs, reports and exports. */
  async raw(method: string, path: string, body?: unknown, options: RequestOptions = {}): Promise<Response> {
    const url = `${this.#options.baseUrl}/api/v1${path}${queryOf(options.query)}`;
    const headers = new Headers();
    const token = await this.#options.token();
    if (token !== undefined) headers.set("Authorization", `Bearer ${token}`);
    const plain = body instanceof Blob || body instanceof ArrayBuffer || body instanceof ReadableStream;
    if (body !== undefined && !plain) headers.set("Content-Type", "application/json");
    let response: Response;
    try {
      response = await this.#options.fetch(url, {
        method,
        headers,
        body: body === undefined ? undefined : plain ? (body as BodyInit) : JSON.stringify(body),
        credentials: "same-origin",
        signal: options.signal,
      });
    } catch (cause) {
      if (options.signal?.aborted) throw cause;
      throw lineError("CONNECTION_FAILED", "the server cannot be reached", { cause });
    }
    if (!response.ok) throw await refusalOf(response);
    return response;
  }

  #get<T>(path: string, query?: Query): Promise<T> {
    return this.request("GET", path, undefined, { query });
  }

  me = (): Promise<t.Me> => this.#get("/me");
  /** Exchanges credentials for a cookie that the browser keeps. */
  signIn = (credentials: { token: string } | { ticket: string }): Promise<t.SignedIn> =>
    this.request("POST", "/sign-in", credentials);
  signOut = (): Promise<void> => this.request("POST", "/sign-out");
  /** Makes a ticket that signs a browser in once, within a minute. */
  ticket = (): Promise<t.Ticket> => this.request("POST", "/tickets");

  /** Finds words in the sessions that the caller may read. */
  search = (query: t.SearchQuery, signal?: AbortSignal): Promise<t.SearchResult> =>
    this.request("GET", "/search", undefined, { query: { ...query }, signal });
  /** The directories of the sessions that a search looks in. */
  searchFolders = (query: { owner?: string } = {}): Promise<{ folders: string[]; more?: boolean }> =>
    this.#get("/search/folders", query);

  readonly sessions = {
    list: (query: t.SessionQuery = {}): Promise<t.SessionPage> => this.#get("/sessions", { ...query }),
    create: (session: t.NewSession = {}): Promise<{ session_id: string }> => this.request("POST", "/sessions", session),
    get: (id: string): Promise<t.SessionDetail> => this.#get(at("sessions", id)),
    /** Puts it away, so that lists and inboxes leave it out, or brings it back. Only its owner may, and not while an agent works in it. */
    archive: (id: string, archived = true): Promise<t.RestReceipt> =>
      this.sessions.command(id, "archive_session", { archived }),
    /** What deleting it would erase, and what would stay; or who deleted it. */
    deletion: (id: string): Promise<t.DeletionPreview> => this.#get(at("sessions", id, "deletion")),
    /** Deletes it. It can be brought back for a while, but not with `now`. Its owner and administrators may. */
    delete: (id: string, query: { now?: boolean } = {}): Promise<t.Deletion> =>
      this.request("DELETE", at("sessions", id), undefined, { query }),
    /** Brings a deleted one back. */
    restore: (id: string): Promise<void> => this.request("POST", at("sessions", id, "restore")),
    messages: (id: string, query: t.MessageQuery = {}): Promise<t.MessagePage> =>
      this.#get(at("sessions", id, "messages"), { ...query }),
    command: <T extends CommandType>(
      id: string,
      type: T,
      data?: CommandData[T],
      messageId?: string,
    ): Promise<t.RestReceipt> =>
      this.request("POST", at("sessions", id, "commands"), { type, message_id: messageId, data }),
    setAccess: (id: string, userId: string, role: "" | "viewer" | "approver"): Promise<t.RestReceipt> =>
      this.request("PUT", at("sessions", id, "access", userId), { role }),
    timeline: (id: string, query: t.TimelineQuery = {}): Promise<t.Timeline> =>
      this.#get(at("sessions", id, "timeline"), { ...query }),
    /** What changed in its files: since it began, since the last commit, or since its work tree began. */
    diff: (id: string, query: { against?: t.DiffAgainst } = {}): Promise<t.SessionDiff> =>
      this.#get(at("sessions", id, "diff"), { ...query }),
    tasks: (id: string): Promise<t.TaskList> => this.#get(at("sessions", id, "tasks")),
    tool: (id: string, toolCallId: string, messageId?: string): Promise<t.ToolDetail> =>
      this.#get(at("sessions", id, "tools", toolCallId), { message_id: messageId }),
    blob: (id: string, address: string): Promise<Response> => this.raw("GET", at("sessions", id, "blobs", address)),
    export: (
      id: string,
      format: "bundle" | "task-folder" | "session-log" | "message-store" | "notebook" = "bundle",
    ): Promise<Response> => this.raw("GET", at("sessions", id, "export"), undefined, { query: { format } }),
    import: (
      file: Blob | ArrayBuffer,
      query: { new_id?: boolean; format?: string } = {},
    ): Promise<{ session_id: string; format: string; from: string; records: number }> =>
      this.request("POST", "/sessions/import", file, { query }),
    /** Files of the workspace to mention in a message, the best first. */
    files: (id: string, query: { query?: string; limit?: number } = {}, signal?: AbortSignal): Promise<t.FoundFiles> =>
      this.request("GET", at("sessions", id, "files"), undefined, { query, signal }),
    /** The commands and skills that can be called in it. */
    slashCommands: (id: string): Promise<t.SlashCommands> => this.#get(at("sessions", id, "slash-commands")),
    /** The message that a command stands for. Nothing is sent. */
    expand: (id: string, text: string): Promise<{ name: string; text: string; mode?: string }> =>
      this.request("POST", at("sessions", id, "slash-commands"), { text }),
    draft: {
      /** The caller's draft, null if there is none. */
      get: (id: string): Promise<t.Draft | null> =>
        this.#get<t.Draft>(at("sessions", id, "draft")).then((d) => (d.revision === 0 ? null : d)),
      put: (id: string, draft: t.DraftChange): Promise<t.Draft> =>
        this.request("PUT", at("sessions", id, "draft"), draft),
      delete: (id: string, revision: number): Promise<void> =>
        this.request("DELETE", at("sessions", id, "draft"), undefined, { query: { revision } }),
    },
  };

  readonly inbox = {
    list: (query: { limit?: number; cursor?: string } = {}): Promise<t.InboxPage> => this.#get("/inbox", query),
    counts: (): Promise<t.InboxCounts> => this.#get("/inbox/counts"),
    answer: (requestId: string, response: t.InboxResponse): Promise<t.RestReceipt> =>
      this.request("POST", at("inbox", requestId), response),
    batch: (request: t.BatchRequest): Promise<{ results: t.BatchResult[] }> =>
      this.request("POST", "/inbox/batch", request),
  };

  readonly settings = {
    list: (): Promise<{ settings: t.Setting[] }> => this.#get("/settings"),
    /** All that is given, or nothing; null gives a key back to the layers below. */
    change: (settings: Record<string, unknown>): Promise<{ changed: string[] }> =>
      this.request("PATCH", "/settings", { settings }),
    export: (): Promise<Record<string, unknown>> => this.#get("/settings/export"),
    import: (settings: Record<string, unknown>): Promise<{ changed: string[] }> =>
      this.request("POST", "/settings/import", settings),
  };

  readonly mcp = {
    list: (): Promise<{ mcp_servers: McpServer[] }> => this.#get("/mcp"),
    restart: (name: string): Promise<void> => this.request("POST", at("mcp", name, "restart")),
    /** Adds one, or gives one that is there another form. */
    save: (name: string, server: t.ToolServerForm): Promise<void> => this.request("PUT", at("mcp", name), server),
    remove: (name: string): Promise<void> => this.request("DELETE", at("mcp", name)),
    /** Starts or reaches it, reads its tools and leaves it again; with a form that one, which is not stored. */
    test: (name: string, server?: t.ToolServerForm): Promise<t.ToolServerTried> =>
      this.request("POST", at("mcp", name, "test"), server),
    /** The last lines that its program wrote. */
    log: (name: string): Promise<{ text: string }> => this.#get(at("mcp", name, "log")),
    enable: (name: string, enabled: boolean): Promise<void> => this.request("PATCH", at("mcp", name), { enabled }),
    alwaysAllow: (name: string, tool: string, always: boolean): Promise<void> =>
      this.request("PUT", at("mcp", name, "tools", tool), { always_allow: always }),
  };

  readonly secrets = {
    list: (): Promise<{ names: string[] }> => this.#get("/secrets"),
    set: (name: string, value: string): Promise<void> => this.request("PUT", at("secrets", name), { value }),
    delete: (name: string): Promise<void> => this.request("DELETE", at("secrets", name)),
  };

  readonly keys = {
    list: (): Promise<{ keys: t.ApiKey[] }> => this.#get("/keys"),
    /** The token is shown this once. */
    create: (key: t.NewKey): Promise<t.ApiKey & { token: string }> => this.request("POST", "/keys", key),
    revoke: (id: string): Promise<void> => this.request("DELETE", at("keys", id)),
  };

  /** Browsers that are signed in as the caller. */
  readonly devices = {
    list: (): Promise<{ devices: t.ApiKey[] }> => this.#get("/me/devices"),
    end: (id: string): Promise<void> => this.request("DELETE", at("me", "devices", id)),
  };

  readonly push = {
    get: (): Promise<t.PushInfo> => this.#get("/push"),
    subscribe: (subscription: t.NewPush): Promise<t.PushSubscriptionInfo> =>
      this.request("POST", "/push", subscription),
    unsubscribe: (id: string): Promise<void> => this.request("DELETE", at("push", id)),
    test: (): Promise<{ results: t.PushTried[] }> => this.request("POST", "/push/test"),
  };

  readonly models = {
    /** The model that the server uses. */
    inUse: (): Promise<t.ModelInUse> => this.#get("/model"),
    /** Has the server use a profile; for administrators. */
    use: (profile: string): Promise<t.ModelInUse> => this.request("PUT", "/model", { profile }),
    list: (query: { provider?: string } = {}): Promise<t.ModelList> => this.#get("/models", query),
    /** The model servers on the server's machine; for its owner. */
    discover: (): Promise<{ servers: t.LocalModelServer[] }> => this.request("POST", "/models/discover"),
    /** One short call of a profile, or of one with these fields, which is not stored; for the owner. */
    test: (profile: string, fields?: Record<string, unknown>): Promise<t.ModelTested> =>
      this.request("POST", at("model-profiles", profile, "test"), fields),
    /** Makes a profile or replaces it. `api_key` is stored as a secret and cannot be read again. */
    save: (profile: string, fields: Record<string, unknown>): Promise<unknown> =>
      this.request("PUT", at("model-profiles", profile), fields),
    /** The profiles as they are stored, without their keys; for administrators. */
    profiles: (): Promise<{ profiles: t.NamedModelProfile[] }> => this.#get("/model-profiles"),
    /** Changes fields of a profile; null clears one. */
    change: (profile: string, fields: Record<string, unknown>): Promise<t.NamedModelProfile> =>
      this.request("PATCH", at("model-profiles", profile), fields),
    remove: (profile: string): Promise<void> => this.request("DELETE", at("model-profiles", profile)),
  };

  /** The directories in a directory, for a new session; without one, where to start. */
  folders = (path?: string): Promise<t.FolderList> => this.#get("/folders", { path });

  /** What a session in a directory would have; without `path`, in a new directory of its own. */
  before = <K extends keyof t.BeforeSession>(
    what: K,
    query: t.BeforeQuery = {},
    signal?: AbortSignal,
  ): Promise<t.BeforeSession[K]> => this.request("GET", `/folders/${what}`, undefined, { query: { ...query }, signal });

  /** What the caller has on the server's disk, and may have. */
  disk = (): Promise<t.DiskUsage> => this.#get("/usage");
  /** How the last backup goes or went; for administrators. */
  backup = (): Promise<t.BackupState> => this.#get("/backup");

  readonly permissions = {
    /** What agents may do without asking in the caller's sessions in a directory. */
    get: (workspace: string): Promise<t.Permissions> => this.#get("/permissions", { workspace }),
  };

  readonly rules = {
    /** Whether a pattern would cover what a question asks for. */
    check: (question: t.RuleQuestion): Promise<t.RuleCheck> => this.request("POST", "/rules/check", question),
    /** What you had remembered for a folder or for good. */
    list: (): Promise<{ rules: t.KeptRule[] }> => this.#get("/rules"),
    forget: (id: string): Promise<void> => this.request("DELETE", at("rules", id)),
  };
}

function at(...parts: string[]): string {
  return parts.map((p) => `/${encodeURIComponent(p)}`).join("");
}

/** The part of an address after its path. */
export function queryOf(query: Query = {}): string {
  const q = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) q.set(name, String(value)); // a list becomes a,b,c
  }
  return q.size ? `?${q}` : "";
}

/** Reads why a request was refused. */
async function refusalOf(response: Response): Promise<ClewError> {
  const body: unknown = await response.json().catch(() => undefined);
  const problem = (body as { error?: Partial<ErrorData> } | undefined)?.error;
  if (problem?.code === undefined) {
    return new ClewError(
      response.status >= 500 ? "UNAVAILABLE" : "INVALID_MESSAGE",
      `the server answered ${response.status}`,
      {
        status: response.status,
        recoverable: response.status >= 500,
        body,
      },
    );
  }
  return errorOf(problem, { status: response.status, body });
}
