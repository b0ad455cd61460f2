import { words } from "@/i18n";

export const inboxWords = words({
  en: {
    guest: "Shared with you", viewerHelp: "You are signed in as a viewer: you watch sessions that others shared with you. To begin one of your own, ask whoever runs this server for a key with the role “owner”.",
    approverHelp: "You are signed in as an approver: you watch sessions that others shared with you and answer what their agents ask. To begin one of your own, ask whoever runs this server for a key with the role “owner”.",
    noShared: "No session is shared with you yet", noSharedHelp: (user: string) => `The owner of a session shares it in its menu, with the user “${user}”. It is here then.`, of: (owner: string) => `of ${owner}`,
    welcome: "What should we work on?", newSession: "New session", whatToDo: "Describe a task…", whatToDoHint: "Describe a task. Type @ to mention a file, / for commands.", title: "Title", titleHint: "Made from your words if left empty",
    workspace: "Workspace", workspaceHint: "Folder on the server", planFirst: "Plan first", planFirstHelp: "You approve a plan before anything is done.",
    options: "Title and workspace", start: "Start", starting: "Starting…",
    needsYou: "Needs you", running: "Running", recent: "Recent", untitled: "Untitled session",
    allSessions: "All sessions", openInbox: "Open inbox", open: "Open", review: "Review", reviewPlan: "Review plan", answer: "Answer", run: "Run", timeLeft: (left: string) => `${left} left`, planOf: (n: number, minutes: number, cost: string) => `Plan with ${n === 1 ? "1 step" : `${n} steps`}${minutes > 0 ? `, about ${minutes === 1 ? "1 minute" : `${minutes} minutes`}` : ""}${cost ? ` and ${cost}` : ""}`, noSessions: "No sessions yet", noSessionsHelp: "Write above what you want to have done. It becomes your first session.",
    openQuestions: (n: number) => (n === 1 ? "1 open question" : `${n} open questions`), planProgress: (n: number, all: number) => `${n} of ${all} steps done`,
    inbox: "Inbox", empty: "You're all caught up", emptyHelp: "When an agent needs an approval or an answer, it appears here. You can close this page; requests stay open.",
    filter: "Kind of question", all: "All", approvals: "Approvals", plans: "Plans", questions: "Questions", keysHelp: [["J K", "walk"], ["⏎", "open"], ["A", "approve"], ["D", "deny"]] as [keys: string, does: string][], choose: "Choose for answering together", notAlike: "Not alike: it is about something else",
    chosen: (n: number) => (n === 1 ? "1 chosen" : `${n} chosen`), chooseNone: "None", chooseAlike: (n: number) => `All alike (+${n})`, approveChosen: (n: number) => `Approve ${n}…`,
    nextCard: "Next question in the list", previousCard: "Previous question in the list",
  },
  ko: {
    guest: "나와 공유된 세션", viewerHelp: "보기 권한으로 로그인했습니다. 다른 사람이 공유한 세션을 볼 수 있습니다. 직접 세션을 시작하려면 서버 운영자에게 “owner” 역할의 키를 요청하세요.",
    approverHelp: "승인 권한으로 로그인했습니다. 다른 사람이 공유한 세션을 보고 에이전트의 질문에 답할 수 있습니다. 직접 세션을 시작하려면 서버 운영자에게 “owner” 역할의 키를 요청하세요.",
    noShared: "아직 공유된 세션이 없습니다", noSharedHelp: (user: string) => `세션의 소유자가 세션 메뉴에서 “${user}” 사용자와 공유하면 여기에 나타납니다.`, of: (owner: string) => `${owner}의 세션`,
    welcome: "무엇을 할까요?", newSession: "새 세션", whatToDo: "할 일을 적어 주세요…", whatToDoHint: "할 일을 적어 주세요. @로 파일을 언급하고 /로 명령을 부릅니다.", title: "제목", titleHint: "비워 두면 내용에서 만듭니다",
    workspace: "작업 폴더", workspaceHint: "서버의 폴더", planFirst: "계획 먼저", planFirstHelp: "실행하기 전에 계획을 승인합니다.",
    options: "제목과 작업 폴더", start: "시작", starting: "시작하는 중…",
    needsYou: "확인 필요", running: "진행 중", recent: "최근", untitled: "제목 없는 세션",
    allSessions: "모든 세션", openInbox: "받은 질문 열기", open: "열기", review: "검토", reviewPlan: "계획 검토", answer: "답하기", run: "실행", timeLeft: (left) => `${left} 남음`, planOf: (n, minutes, cost) => `${n}단계 계획${minutes > 0 ? `, 약 ${minutes}분` : ""}${cost ? `, ${cost}` : ""}`, noSessions: "아직 세션이 없습니다", noSessionsHelp: "위에 할 일을 적으면 첫 세션이 됩니다.",
    openQuestions: (n) => `열린 질문 ${n}건`, planProgress: (n, all) => `${all}단계 중 ${n}단계 완료`,
    inbox: "받은 질문", empty: "모두 확인했습니다", emptyHelp: "에이전트에게 승인이나 답변이 필요하면 여기에 나타납니다. 페이지를 닫아도 요청은 그대로 남습니다.",
    filter: "질문 종류", all: "전체", approvals: "승인", plans: "계획", questions: "질문", keysHelp: [["J K", "이동"], ["⏎", "열기"], ["A", "승인"], ["D", "거부"]], choose: "함께 답할 질문으로 선택", notAlike: "다른 종류의 질문입니다",
    chosen: (n) => `${n}건 선택됨`, chooseNone: "선택 해제", chooseAlike: (n) => `같은 요청 모두 (+${n})`, approveChosen: (n) => `${n}건 승인…`,
    nextCard: "목록의 다음 질문", previousCard: "목록의 이전 질문",
  },
});
