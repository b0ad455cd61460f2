// Questions of all sessions.

import type { ErrorData, PlanEdit, Question, Remember } from "../types.gen.js";

export interface InboxItem {
  session_id: string;
  title: string;
  owner: string;
  question: Question;
  /** Questions of one kind can be answered in a batch. */
  kind: string;
  asked_ms: number;
  reminded_ms?: number;
  seq: number;
}

export interface InboxCounts {
  total: number;
  by_kind: Record<string, number>;
  due_soon: number;
}

export interface InboxPage {
  items: InboxItem[];
  counts: InboxCounts;
  next?: string;
}

export interface InboxResponse {
  action?: "approve" | "modify" | "skip" | "reject";
  value?: unknown;
  comment?: string;
  instruction?: string;
  modifications?: PlanEdit[];
  remember?: Remember;
  client_message_id?: string;
}

export interface BatchRequest {
  request_ids: string[];
  action: "approve" | "skip" | "reject";
  comment?: string;
}

export interface BatchResult {
  request_id: string;
  session_id?: string;
  ok: boolean;
  records?: string[];
  error?: ErrorData;
}
