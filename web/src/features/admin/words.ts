import { words } from "@/i18n";

export const adminWords = words({
  en: {
    title: "Admin", only: "This page is for administrators.", sessions: "Sessions", all: "Everybody's sessions", owner: "Owner", search: "Search titles and ids",
    running: "Running", waiting: "Needs somebody", users: "Users", cost: "Cost", live: "Shown", everybody: "Everybody", filter: "Which", more: "Show more", nothing: "Nothing fits", none: "No sessions yet",
    watchOnly: "You may watch these sessions. What happens in them is their owners' business.", keys: "Users and keys", settings: "Server settings", tools: "Tool servers", links: "Also here",
    health: "Health", ready: "Ready", notReady: "Not ready", version: "Version",
  },
  ko: {
    title: "관리", only: "관리자만 볼 수 있는 페이지입니다.", sessions: "세션", all: "모든 사람의 세션", owner: "소유자", search: "제목이나 ID 검색",
    running: "실행 중", waiting: "답변 필요", users: "사용자", cost: "비용", live: "표시", everybody: "전체", filter: "범위", more: "더 보기", nothing: "해당하는 것이 없습니다", none: "아직 세션이 없습니다",
    watchOnly: "이 세션들을 볼 수 있습니다. 그 안의 일은 소유자가 결정합니다.", keys: "사용자와 키", settings: "서버 설정", tools: "도구 서버", links: "관련 페이지",
    health: "상태", ready: "준비됨", notReady: "준비 안 됨", version: "버전",
  },
});
