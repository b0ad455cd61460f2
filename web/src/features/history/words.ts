import { words } from "@/i18n";

export const historyWords = words({
  en: {
    title: "History", search: "Search titles and ids", all: "All", running: "Running", waiting: "Needs you", ended: "Ended",
    filter: "Which", empty: "No session here yet", emptyHelp: "Sessions you start appear here, with their tasks and what they cost.",
    nothing: "Nothing fits", tasks: "Tasks", open: "Open", cost: "Cost", tokens: "Tokens", in: "in", out: "out", more: "Show more",
    noTasks: "No task yet.", subtask: "Subtask", showTasks: (title: string) => `Tasks of ${title}`, forked: "Fork",
    timeTravel: "Time travel", export: "Export", actions: (title: string) => `Actions for ${title}`, import: "Import…", imported: "Imported", updated: "Changed",
    total: (n: number) => (n === 1 ? "1 task" : `${n} tasks`),
  },
  ko: {
    title: "기록", search: "제목이나 ID 검색", all: "전체", running: "실행 중", waiting: "답변 필요", ended: "종료",
    filter: "범위", empty: "아직 세션이 없습니다", emptyHelp: "시작한 세션이 작업과 비용과 함께 여기에 나타납니다.",
    nothing: "해당하는 것이 없습니다", tasks: "작업", open: "열기", cost: "비용", tokens: "토큰", in: "입력", out: "출력", more: "더 보기",
    noTasks: "아직 작업이 없습니다.", subtask: "하위 작업", showTasks: (title: string) => `${title}의 작업`, forked: "분기",
    timeTravel: "시간 여행", export: "내보내기", actions: (title: string) => `${title}에 할 일`, import: "가져오기…", imported: "가져왔습니다", updated: "변경",
    total: (n: number) => `작업 ${n}개`,
  },
});
