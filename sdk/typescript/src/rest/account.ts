// Who one is: signing in, keys, devices that are told.

import type { Role } from "../types.gen.js";

export interface Me {
  user_id: string;
  role: Role;
  auth: "on" | "off";
  expires_ms?: number;
  key_id?: string;
  version: string;
  server_time_ms: number;
}

export interface SignedIn {
  user_id: string;
  role: Role;
  expires_ms: number;
}

export interface Ticket {
  ticket: string;
  expires_ms: number;
}

export interface ApiKey {
  id: string;
  name?: string;
  user: string;
  role: Role;
  created_ms: number;
  expires_ms?: number;
  revoked_ms?: number;
  last_four: string;
  /** A browser's, made by a sign-in, or one that somebody made. */
  kind?: "browser" | "key";
  /** Of a browser: which one, on what, for people. */
  device?: string;
  /** Made by a sign-in; it is in a browser's cookie. */
  browser?: boolean;
  /** The key with which that was done; this one ends with it. */
  parent?: string;
}

export interface NewKey {
  name?: string;
  user: string;
  role?: "admin" | "owner" | "approver" | "viewer";
  expires_ms?: number;
}

export interface PushSubscriptionInfo {
  id: string;
  name: string;
  created_ms: number;
  last_ms?: number;
}

export interface PushInfo {
  public_key: string;
  subscriptions: PushSubscriptionInfo[];
}

export interface NewPush {
  endpoint: string;
  /** Browsers give it; it is not looked at. */
  expirationTime?: number | null;
  keys: { p256dh: string; auth: string };
  /** For people, such as the device. */
  name?: string;
}

export interface PushTried {
  id: string;
  ok: boolean;
  error?: string;
}
