import { words } from "@/i18n";

export const askWords = words({
  en: {
    show: (view: string) => `There is something to see: ${view}`, go: "Show",
    views: { chat: "the chat", plan: "the plan", changes: "the changes", terminal: "the terminal", time: "time travel", settings: "the settings", history: "the history", mcp: "the tool servers", inbox: "the inbox" },
    newChat: "It is suggested to go on in a new session", toHome: "New session",
    words: "Words were suggested for your message", putIn: "Put them in", filled: "Words were put into your message; nothing was sent",
    answer: "An answer to the open question is suggested", toQuestion: "To the question",
    send: "It is suggested to send what you have written", sendNow: "Send",
    autoOn: "From now on the settings decide what is done without asking", autoOff: "From now on everything is asked about",
  },
  ko: {
    show: (view: string) => `볼 것이 있습니다: ${view}`, go: "보기",
    views: { chat: "대화", plan: "계획", changes: "변경", terminal: "터미널", time: "시간 여행", settings: "설정", history: "기록", mcp: "도구 서버", inbox: "받은 질문" },
    newChat: "새 세션에서 이어 가기를 제안합니다", toHome: "새 세션",
    words: "메시지에 넣을 글을 제안합니다", putIn: "넣기", filled: "메시지에 글을 넣었습니다. 아직 보내지 않았습니다",
    answer: "열린 질문에 답하기를 제안합니다", toQuestion: "질문으로",
    send: "쓴 글을 보내기를 제안합니다", sendNow: "보내기",
    autoOn: "이제 설정에 따라 묻지 않고 할 수 있습니다", autoOff: "이제 모두 물어봅니다",
  },
});

export type AskWords = (typeof askWords)["en"];
