import type { Language } from "@/i18n";

interface PushWords {
  /** By what is asked for; other kinds need an answer. */
  asks: Record<string, string>;
  answer: string;
  settled: string;
  test: string;
}

const en: PushWords = {
  asks: {
    command: "wants to run a command",
    tool: "wants to use a tool",
    use_mcp_server: "wants to use a tool",
    plan: "has a plan to review",
    input: "asks you something",
    clarification: "asks you something",
  },
  answer: "needs an answer",
  settled: "needs no answer any more",
  test: "Push works",
};

const ko: PushWords = {
  asks: {
    command: "명령을 실행하려 합니다",
    tool: "도구를 사용하려 합니다",
    use_mcp_server: "도구를 사용하려 합니다",
    plan: "검토할 계획이 있습니다",
    input: "질문이 있습니다",
    clarification: "질문이 있습니다",
  },
  answer: "답변이 필요합니다",
  settled: "이제 답변이 필요 없습니다",
  test: "푸시가 동작합니다",
};

/** What notifications say. The service worker has them to itself: it is no part of the page. */
export const pushWords: Record<Language, PushWords> = { en, ko };
