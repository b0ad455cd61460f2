import type { CommandData, EndCode, InboxResponse, Question, Resolution } from "@clew-run/client";

/** The commands that answer questions. */
type AnswerType =
  | "hitl_approval_response"
  | "hitl_plan_response"
  | "hitl_input_response"
  | "hitl_clarification_response"
  | "ask_response";
export type AnswerCommand = { [T in AnswerType]: { type: T; data: CommandData[T] } }[AnswerType];

/** Takes an answer to the server. It resolves with the server's word and rejects with its reason. */
export interface Answering {
  send(question: Question, response: InboxResponse): Promise<unknown>;
}

/** The answer did not leave this device, or nobody knows that it arrived. */
export class NotSent extends Error {
  override readonly name = "NotSent";
}

/** How a question was settled. Absent parts are not known. */
export interface Settlement {
  action?: Resolution;
  by?: string;
  byTimeout?: boolean;
  ts?: number;
  /** What was said with it. */
  words?: string;
  /** Why it was withdrawn; nobody said anything then. */
  whyCode?: EndCode;
}

/** Makes the command that answers a question in its session. */
export function commandFor(q: Question, r: InboxResponse): AnswerCommand {
  const request_id = q.request_id;
  switch (q.type) {
    case "hitl_approval_request":
      return {
        type: "hitl_approval_response",
        data: {
          request_id,
          action: r.action as "approve" | "skip" | "reject",
          comment: r.comment,
          remember: r.remember,
        } as CommandData["hitl_approval_response"],
      };
    case "hitl_plan_review":
      return {
        type: "hitl_plan_response",
        data: {
          request_id,
          action: r.action as "approve" | "modify" | "reject",
          comment: r.comment,
          instruction: r.instruction,
          modifications: r.modifications,
        },
      };
    case "hitl_input_request":
      if (r.action === "reject") break;
      return { type: "hitl_input_response", data: { request_id, field: q.field, value: r.value } };
    case "hitl_clarification":
      if (r.action === "reject") break;
      return { type: "hitl_clarification_response", data: { request_id, value: r.value } };
  }
  return { type: "ask_response", data: { request_id, ask_response: "no_button_clicked", text: r.comment } };
}
