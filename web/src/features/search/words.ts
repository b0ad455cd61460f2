import { words } from "@/i18n";

export const searchWords = words({
  en: {
    search: "Search", field: "Search your sessions", clear: "Clear",
    kind: "What to search", everything: "Everything", message: "Messages", command: "Commands", file: "Files", title: "Titles",
    folder: "Folder", anyFolder: "Any folder", person: "Said by", anyone: "Anyone", everyonesSessions: "Include everyone's sessions",
    time: "Time", times: { any: "Any time", day: "Past 24 hours", week: "Past 7 days", month: "Past 30 days", year: "Past year" },
    order: "Order", best: "Best match", newest: "Newest",
    found: (n: string, m: number) => `${n === "1" ? "1 match" : `${n} matches`} in ${m === 1 ? "1 session" : `${m} sessions`}`,
    matches: (n: number) => (n === 1 ? "1 match" : `${n} matches`), took: (s: string) => `${s} s`,
    none: "No matches", noneHelp: "Try fewer words, or other filters. Each word is found by its beginning.",
    begin: "Find anything in your sessions", beginHelp: "Messages, commands and their output, names of files, and titles.",
    indexing: "New messages are still being added to the index, so there may be more matches.", more: "Show more", results: "Matches",
    agent: "Agent", output: "Output", aCommand: "Command", aFile: "File",
    move: "Move", open: "Open at the message",
  },
  ko: {
    search: "검색", field: "세션 검색", clear: "지우기",
    kind: "검색 대상", everything: "전체", message: "메시지", command: "명령", file: "파일", title: "제목",
    folder: "폴더", anyFolder: "모든 폴더", person: "작성자", anyone: "모든 사람", everyonesSessions: "모든 사람의 세션 포함",
    time: "기간", times: { any: "전체 기간", day: "지난 24시간", week: "지난 7일", month: "지난 30일", year: "지난 1년" },
    order: "정렬", best: "관련도순", newest: "최신순",
    found: (n: string, m: number) => `세션 ${m}개에서 ${n}건 찾음`,
    matches: (n: number) => `${n}건`, took: (s: string) => `${s}초`,
    none: "검색 결과가 없습니다", noneHelp: "단어를 줄이거나 필터를 바꿔 보세요. 단어의 앞부분이 일치해야 합니다.",
    begin: "세션에서 무엇이든 찾기", beginHelp: "메시지, 명령과 출력, 파일 이름, 제목을 찾습니다.",
    indexing: "새 메시지를 색인하는 중이어서 결과가 더 있을 수 있습니다.", more: "더 보기", results: "검색 결과",
    agent: "에이전트", output: "출력", aCommand: "명령", aFile: "파일",
    move: "이동", open: "메시지 위치에서 열기",
  },
});
