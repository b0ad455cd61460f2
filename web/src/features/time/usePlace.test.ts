import { expect, test } from "vitest";
import { type Place, whereTo } from "./usePlace";

const place = (more: Partial<Place>): Place => ({
  record: "msg_5",
  messages: [],
  tasks: [],
  messageId: "msg_5",
  exact: true,
  ...more,
});

test("what one points at stays, unless it is said otherwise", () => {
  expect(whereTo(place({}), false)).toEqual({ messageId: "msg_5", keep: true });
  expect(whereTo(place({}), true)).toEqual({ messageId: "msg_5", keep: false });
});

test("what is no message is right behind one", () => {
  expect(whereTo(place({ record: "msg_6", exact: false }), true)).toEqual({ messageId: "msg_5", keep: true });
  expect(whereTo(place({ messageId: undefined, exact: false }), false)).toBeUndefined();
  expect(whereTo(null, false)).toBeUndefined();
});

test("before an answer the answer itself is named, and goes", () => {
  const answer = { message_id: "msg_6", ts: 6, kind: "answer", label: "approve", target: true } as const;
  expect(whereTo(place({ record: "msg_6", exact: false, answer }), false)).toEqual({ messageId: "msg_6", keep: false });
});
