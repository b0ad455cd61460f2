import { words } from "@/i18n";

export const findWords = words({
  en: {
    find: "Find in this session", clear: "Clear", kind: "What to find", all: "All", message: "Messages", command: "Commands", file: "Files",
    at: (n: number, m: string) => `${n} of ${m}`, none: "No matches", failed: "The search did not work. Press Enter to try again.", previous: "Previous match", next: "Next match", done: "Done",
    inside: (n: number) => (n === 1 ? "1 match inside" : `${n} matches inside`),
  },
  ko: {
    find: "이 세션에서 찾기", clear: "지우기", kind: "찾을 대상", all: "전체", message: "메시지", command: "명령", file: "파일",
    at: (n: number, m: string) => `${m}개 중 ${n}번째`, none: "결과 없음", failed: "검색하지 못했습니다. Enter를 눌러 다시 시도하세요.", previous: "이전 결과", next: "다음 결과", done: "완료",
    inside: (n: number) => `안에 ${n}건`,
  },
});
