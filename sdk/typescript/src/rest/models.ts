// Models, their profiles and providers.

/** A model of a profile, or of the catalogue. */
export interface ModelInfo {
  /** Empty for a model of the catalogue. */
  profile: string;
  in_use?: boolean;
  provider: string;
  model: string;
  /** The API for a new profile to name. */
  api?: string;
  default?: boolean;
  context_window: number;
  /** USD per million tokens, if `priced`. */
  price_in: number;
  price_out: number;
  priced: boolean;
  local?: boolean;
  images?: boolean;
  thinking?: boolean;
  usable: boolean;
  /** The variable of the server's environment that has the key; for administrators. */
  key_variable?: string;
  /** For people. */
  why_not?: string;
  why_not_code?: string;
}

export interface ModelInUse extends ModelInfo {
  why: string;
  /** `none` if no model is set up, `missing` if the chosen profile is not there. */
  why_code: string;
}

/** A model profile, without its key. */
export interface NamedModelProfile {
  name: string;
  in_use: boolean;
  /** The variable of the server's environment that made it; then it is not stored. */
  variable?: string;
  /** It contains a secret and is left out. */
  hidden?: boolean;
  provider?: string;
  model?: string;
  api?: string;
  base_url?: string;
  key_name?: string;
  thinking?: "off" | "low" | "medium" | "high";
  context_window?: number;
  [field: string]: unknown;
}

export interface ModelProvider {
  id: string;
  title: string;
  /** Where one gets a key. */
  key_page?: string;
  needs_key: boolean;
  needs_address?: boolean;
  /** The one to take if nothing else is known. */
  model: string;
  api?: string;
}

export interface ModelList {
  models: ModelInfo[];
  providers: ModelProvider[];
}

/** A model server on the server's machine. */
export interface LocalModelServer {
  name: string;
  title: string;
  address: string;
  base_url: string;
  loading?: boolean;
  models: { name: string; context_window: number; /** For people. */ why_not?: string }[];
}

export interface ModelTested {
  ok: boolean;
  latency_ms: number;
  model: string;
  error?: {
    kind: "overloaded" | "unstable" | "auth" | "request" | "context_length" | "quota";
    /** For people. */ message: string;
    next: string;
  };
}
