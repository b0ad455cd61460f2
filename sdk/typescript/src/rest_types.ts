// The shapes of the REST API. The document at /openapi.json is the contract.

export type * from "./rest/account.js";
export type * from "./rest/sessions.js";
export type * from "./rest/search.js";
export type * from "./rest/timeline.js";
export type * from "./rest/inbox.js";
export type * from "./rest/folders.js";
export type * from "./rest/models.js";
export type * from "./rest/settings.js";
export type * from "./rest/storage.js";
