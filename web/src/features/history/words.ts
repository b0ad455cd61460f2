import { words } from "@/i18n";

export const historyWords = words({
  en: {
    title: "History", search: "Search titles and ids", all: "All", running: "Running", waiting: "Needs you", ended: "Ended", archived: "Archived",
    filter: "Which", empty: "No session here yet", emptyHelp: "Sessions you start appear here, with their tasks and what they cost.",
    nothing: "Nothing fits", tasks: "Tasks", open: "Open", cost: "Cost", tokens: "Tokens", in: "in", out: "out", more: "Show more",
    noTasks: "No task yet.", subtask: "Subtask", showTasks: (title: string) => `Tasks of ${title}`, forked: "Fork",
    timeTravel: "Time travel", export: "Export", actions: (title: string) => `Actions for ${title}`, import: "Import…", imported: "Imported", updated: "Changed",
    rename: "Rename…", renameTitle: "Rename the session", newTitle: "Title", save: "Save", renamed: "Renamed", archive: "Archive…", archiveNow: "Archive", keep: "Keep it here", bringBack: "Bring back",
    archiveTitle: (title: string) => `Archive “${title}”?`, wasArchived: (title: string) => `“${title}” is archived`, cameBack: (title: string) => `“${title}” is back`,
    archiveHelp: "It leaves the lists, for everybody. Nothing is deleted: it stands under “Archived” in History, opens as before, and is back as soon as somebody says something in it.",
    archiveAsks: (n: number) => (n === 1 ? "A question in it is still open. Answer it first, or cancel the task." : `${n} questions in it are still open. Answer them first, or cancel the task.`),
    archiveBusy: "An agent is at work in it, or waits for an answer. Stop it or answer first, or wait until it is done.",
    noArchived: "Nothing is archived", noArchivedHelp: "Sessions that you put away are kept here.", of: (owner: string) => `of ${owner}`,
    total: (n: number) => (n === 1 ? "1 task" : `${n} tasks`),
  },
  ko: {
    title: "기록", search: "제목이나 ID 검색", all: "전체", running: "실행 중", waiting: "답변 필요", ended: "종료", archived: "보관함",
    filter: "범위", empty: "아직 세션이 없습니다", emptyHelp: "시작한 세션이 작업과 비용과 함께 여기에 나타납니다.",
    nothing: "해당하는 것이 없습니다", tasks: "작업", open: "열기", cost: "비용", tokens: "토큰", in: "입력", out: "출력", more: "더 보기",
    noTasks: "아직 작업이 없습니다.", subtask: "하위 작업", showTasks: (title: string) => `${title}의 작업`, forked: "분기",
    timeTravel: "시간 여행", export: "내보내기", actions: (title: string) => `${title}에 할 일`, import: "가져오기…", imported: "가져왔습니다", updated: "변경",
    rename: "이름 바꾸기…", renameTitle: "세션 이름 바꾸기", newTitle: "제목", save: "저장", renamed: "이름을 바꿨습니다", archive: "보관…", archiveNow: "보관", keep: "그대로 두기", bringBack: "되돌려 놓기",
    archiveTitle: (title: string) => `“${title}” 세션을 보관할까요?`, wasArchived: (title: string) => `“${title}” 세션을 보관했습니다`, cameBack: (title: string) => `“${title}” 세션을 되돌려 놓았습니다`,
    archiveHelp: "모든 사람의 목록에서 빠집니다. 삭제되는 것은 없습니다. 기록의 ‘보관함’에 남아 전과 같이 열리며, 누군가 메시지를 보내면 바로 돌아옵니다.",
    archiveAsks: (n: number) => `아직 답하지 않은 질문이 ${n}개 있습니다. 먼저 답하거나 작업을 취소하세요.`,
    archiveBusy: "에이전트가 작업 중이거나 답을 기다리고 있습니다. 먼저 중지하거나 답하거나, 끝날 때까지 기다리세요.",
    noArchived: "보관한 세션이 없습니다", noArchivedHelp: "보관한 세션이 여기에 남습니다.", of: (owner: string) => `${owner}의 세션`,
    total: (n: number) => `작업 ${n}개`,
  },
});
