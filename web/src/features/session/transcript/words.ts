import { words } from "@/i18n";

/** Names of tools, as what an agent does. Unknown ones are called by their own name. */
const toolsEn: Record<string, string> = {
  read_file: "Read", list_files: "List", search_files: "Search", write_file: "Write", edit: "Edit", execute_command: "Run",
  read_output: "Read output", stop_command: "Stop command", fetch: "Fetch", ask_followup: "Ask", attempt_completion: "Finish",
  update_todos: "Steps", propose_plan: "Plan", switch_mode: "Switch mode", new_task: "Subtask", window: "Window", skill: "Skill", notebook_read: "Read notebook", notebook_edit: "Edit notebook", run_cell: "Run cell", kernel: "Kernel", mcp: "Tool server", tool: "Tool",
};
const toolsKo: Record<string, string> = {
  read_file: "읽기", list_files: "목록", search_files: "검색", write_file: "쓰기", edit: "수정", execute_command: "실행",
  read_output: "출력 읽기", stop_command: "명령 중지", fetch: "가져오기", ask_followup: "질문", attempt_completion: "마침",
  update_todos: "단계", propose_plan: "계획", switch_mode: "모드 전환", new_task: "하위 작업", window: "창", skill: "스킬", notebook_read: "노트북 읽기", notebook_edit: "노트북 수정", run_cell: "셀 실행", kernel: "커널", mcp: "도구 서버", tool: "도구",
};

/** What settings let be done without asking. */
const settingsEn: Record<string, string> = {
  always_allow_read_only: "reading in the workspace", always_allow_write: "changing files in the workspace", always_allow_execute: "commands on the list",
  always_allow_browser: "the browser", always_allow_mcp: "tool servers", always_allow: "this tool of the server", always_allow_fetch: "sites on the list",
};
const settingsKo: Record<string, string> = {
  always_allow_read_only: "작업 폴더 읽기", always_allow_write: "작업 폴더의 파일 변경", always_allow_execute: "목록에 있는 명령",
  always_allow_browser: "브라우저", always_allow_mcp: "도구 서버", always_allow: "서버의 이 도구", always_allow_fetch: "목록에 있는 사이트",
};

export const transcriptWords = words({
  en: {
    transcript: "Conversation", you: "You", agent: "Agent", helper: "Helper", alone: "Answered without the conversation", sub: "Subtask", windowAgent: "Window agent", taskAgent: "Task agent", onMonitor: (n: number) => `Monitor ${n}`, system: "Session",
    older: "Loading older messages…", begin: "Start of session", olderFailed: "Older messages could not be loaded.", tryAgain: "Try again",
    toLatest: "Jump to latest", newRows: (n: number) => (n === 1 ? "1 new" : `${n} new`),
    emptyTitle: "No messages yet", emptyHelp: "Describe a task below. The agent asks before it does anything you haven't allowed.", emptyWatch: "Messages and steps will appear here.",
    thinking: "Thinking…", thought: "Reasoning", writing: "Writing…", steered: "while it worked", brief: "Handed to a subtask", taskEnded: "Result of a task", step: "Step",
    result: "Result", subResult: "Subtask's result", tools: toolsEn,
    status: { running: "running", complete: "done", error: "failed", waiting: "waiting", asking: "waiting for an answer", denied: "denied", expired: "expired", halted: "stopped with the server", stopped: "stopped", rewound: "rewound" },
    explored: "Explored", exploredWhat: (files: number, searches: number) => [files > 0 && (files === 1 ? "1 file" : `${files} files`), searches > 0 && (searches === 1 ? "1 search" : `${searches} searches`)].filter(Boolean).join(", "),
    groupStatus: { run: "running", ask: "waiting for an answer", done: "done", fail: "failed", past: "stopped", wait: "waiting" },
    denied: "Denied", expired: "Expired", instructions: "Instructions", showAll: "Show all", showLess: "Show less", showAllLines: (n: number) => `Show all ${n} lines`,
    lastOf: (n: number, m: number) => `Last ${n} of ${m} lines`, lastLines: (n: number) => `Last ${n} lines`,
    input: "Input", output: "Output", changes: "Changes", effect: "What it does", errorLabel: "Error",
    directory: "Directory", network: "Network", networkYes: "open", networkNo: "closed", sandbox: "Sandbox", paths: "Files", address: "Address", server: "Server", environment: "Environment",
    inDoubt: "May not have completed: the server stopped while this ran. Check before continuing.",
    inDoubtStopped: "Stopped while it ran, so it may have completed in part. Check before continuing.",
    rewoundInto: "Rewound to before this finished",
    limitReached: { memory: "memory limit", processes: "process limit", file_size: "file size limit", time: "time limit", disk: "disk nearly full", workspace: "workspace quota" },
    exit: (code: number) => `Exit code ${code}`, whole: "Whole output", moreLines: (n: number) => `${n} more lines`, openChanges: "Open in Changes",
    settingNames: settingsEn,
    allowedBy: {
      task: (rule: string) => `Not asked: allowed for this task (${rule})`, session: (rule: string) => `Not asked: a rule of this session allows it (${rule})`,
      workspace: (rule: string) => `Not asked: a rule for this folder allows it (${rule})`, always: (rule: string) => `Not asked: always allowed (${rule})`,
      settings: (rule: string) => `Not asked: the settings allow it (${rule})`,
    },
    noDetails: "The details of this call cannot be loaded.",
    cell: (n: number) => (n > 0 ? `Cell ${n}` : "Cell"), moreOutputs: (n: number) => (n === 1 ? "1 more output in the notebook" : `${n} more outputs in the notebook`), cellStatus: { running: "running", ok: "done", error: "failed", aborted: "stopped", in_doubt: "may not have finished" },
    calls: (n: number) => (n === 1 ? "1 model call" : `${n} model calls`), tokensIn: (n: string) => `${n} in`, tokensOut: (n: string) => `${n} out`, cached: (n: string) => `${n} cached`,
    markers: {
      condense_context: "Context condensed", sliding_window_truncation: "Old messages left out of the context", checkpoint_saved: "Checkpoint", user_edit_todos: "Steps changed",
      api_req_retry_delayed: "The model did not answer; trying again", api_req_deleted: "Stopped", model_fallback: "Another model", instructions_read: "Instructions read", files_attached: "Files attached", git: "Git", browser_session_status: "Browser", kernel_status: "Kernel", shell_integration_warning: "Shell",
    } as Record<string, string>,
    fromTo: (a: string, b: string) => `${a} → ${b} tokens`, hidden: (n: number) => `${n} messages`,
    errorHelp: "The session is still open: say what to do next, or rewind.",
    actions: "Actions for this message", copy: "Copy", copied: "Copied", edit: "Edit and send again…", rewind: "Rewind to here…", forkHere: "Fork from here…", link: "Copy link",
    editTitle: "Edit message", editHelp: (n: number) => (n === 0 ? "No later messages will be removed." : n === 1 ? "1 later message will be removed. You can undo this." : `${n} later messages will be removed. You can undo this.`),
    editFiles: (n: number) => `Also restore ${n === 1 ? "1 file" : `${n} files`}`, editSend: "Rewind and send", cancel: "Cancel", looking: "Checking what changes…",
    image: (n: number) => `Image ${n}`, enlarge: (n: number) => `Enlarge image ${n}`,
    wentBack: (n: number) => (n === 0 ? "Rewound here" : n === 1 ? "Rewound here, 1 message removed" : `Rewound here, ${n} messages removed`),
    wentForth: (n: number) => (n === 1 ? "1 message restored" : `${n} messages restored`),
    forked: "Forked to", forkedFrom: "Forked from",
    newAnswer: "The agent has answered",
  },
  ko: {
    transcript: "대화", you: "나", agent: "에이전트", helper: "도우미", alone: "대화 내용 없이 답했습니다", sub: "하위 작업", windowAgent: "창 에이전트", taskAgent: "작업 에이전트", onMonitor: (n: number) => `모니터 ${n}`, system: "세션",
    older: "이전 메시지를 불러오는 중…", begin: "세션 시작", olderFailed: "이전 메시지를 불러오지 못했습니다.", tryAgain: "다시 시도",
    toLatest: "최신으로", newRows: (n: number) => `새 메시지 ${n}개`,
    emptyTitle: "아직 메시지가 없습니다", emptyHelp: "할 일을 아래에 적어 주세요. 허용하지 않은 일은 먼저 물어봅니다.", emptyWatch: "메시지와 작업이 여기에 표시됩니다.",
    thinking: "생각하는 중…", thought: "추론", writing: "쓰는 중…", steered: "작업 중에 전달", brief: "하위 작업에 맡김", taskEnded: "작업 결과", step: "단계",
    result: "결과", subResult: "하위 작업 결과", tools: toolsKo,
    status: { running: "실행 중", complete: "완료", error: "실패", waiting: "대기", asking: "답변 대기", denied: "거부됨", expired: "만료됨", halted: "서버가 멈춰 중지됨", stopped: "중지됨", rewound: "되돌림" },
    explored: "살펴봄", exploredWhat: (files: number, searches: number) => [files > 0 && `파일 ${files}개`, searches > 0 && `검색 ${searches}회`].filter(Boolean).join(", "),
    groupStatus: { run: "실행 중", ask: "답변 대기", done: "완료", fail: "실패", past: "중지됨", wait: "대기" },
    denied: "거부됨", expired: "만료됨", instructions: "지시", showAll: "모두 보기", showLess: "접기", showAllLines: (n: number) => `${n}줄 모두 보기`,
    lastOf: (n: number, m: number) => `전체 ${m}줄 중 마지막 ${n}줄`, lastLines: (n: number) => `마지막 ${n}줄`,
    input: "입력", output: "출력", changes: "변경", effect: "하는 일", errorLabel: "오류",
    directory: "디렉터리", network: "네트워크", networkYes: "켜짐", networkNo: "꺼짐", sandbox: "샌드박스", paths: "파일", address: "주소", server: "서버", environment: "환경 변수",
    inDoubt: "실행 중에 서버가 멈춰 완료되지 않았을 수 있습니다. 계속하기 전에 확인하세요.",
    inDoubtStopped: "실행 중에 중지되어 일부만 완료되었을 수 있습니다. 계속하기 전에 확인하세요.",
    rewoundInto: "끝나기 전으로 되돌렸습니다",
    limitReached: { memory: "메모리 제한", processes: "프로세스 제한", file_size: "파일 크기 제한", time: "시간 제한", disk: "디스크 부족", workspace: "작업 폴더 한도" },
    exit: (code: number) => `종료 코드 ${code}`, whole: "전체 출력", moreLines: (n: number) => `${n}줄 더`, openChanges: "변경에서 열기",
    settingNames: settingsKo,
    allowedBy: {
      task: (rule: string) => `묻지 않음: 이 작업 동안 허용 (${rule})`, session: (rule: string) => `묻지 않음: 이 세션의 규칙으로 허용 (${rule})`,
      workspace: (rule: string) => `묻지 않음: 이 폴더의 규칙으로 허용 (${rule})`, always: (rule: string) => `묻지 않음: 항상 허용 (${rule})`,
      settings: (rule: string) => `묻지 않음: 설정에서 허용 (${rule})`,
    },
    noDetails: "이 호출의 세부 내용을 불러올 수 없습니다.",
    cell: (n: number) => (n > 0 ? `셀 ${n}` : "셀"), moreOutputs: (n: number) => `노트북에 출력 ${n}개가 더 있음`, cellStatus: { running: "실행 중", ok: "완료", error: "실패", aborted: "중지됨", in_doubt: "끝나지 않았을 수 있음" },
    calls: (n: number) => `모델 호출 ${n}회`, tokensIn: (n: string) => `입력 ${n}`, tokensOut: (n: string) => `출력 ${n}`, cached: (n: string) => `캐시 ${n}`,
    markers: {
      condense_context: "컨텍스트 요약됨", sliding_window_truncation: "오래된 메시지를 컨텍스트에서 제외", checkpoint_saved: "체크포인트", user_edit_todos: "단계 변경",
      api_req_retry_delayed: "모델이 응답하지 않아 다시 시도합니다", api_req_deleted: "중지함", model_fallback: "다른 모델", instructions_read: "지침 읽음", files_attached: "파일 첨부", git: "Git", browser_session_status: "브라우저", kernel_status: "커널", shell_integration_warning: "셸",
    },
    fromTo: (a: string, b: string) => `토큰 ${a} → ${b}`, hidden: (n: number) => `메시지 ${n}개`,
    errorHelp: "세션은 열려 있습니다. 다음에 할 일을 적거나 되돌리세요.",
    actions: "이 메시지 메뉴", copy: "복사", copied: "복사됨", edit: "수정해서 다시 보내기…", rewind: "여기로 되돌리기…", forkHere: "여기서 분기…", link: "링크 복사",
    editTitle: "메시지 수정", editHelp: (n: number) => (n === 0 ? "제거되는 메시지가 없습니다." : `이후 메시지 ${n}개가 제거됩니다. 나중에 취소할 수 있습니다.`),
    editFiles: (n: number) => `파일 ${n}개도 복원`, editSend: "되돌리고 보내기", cancel: "취소", looking: "무엇이 바뀌는지 확인하는 중…",
    image: (n: number) => `이미지 ${n}`, enlarge: (n: number) => `이미지 ${n} 크게 보기`,
    wentBack: (n: number) => (n === 0 ? "여기로 되돌림" : `여기로 되돌림 · 메시지 ${n}개 제거됨`),
    wentForth: (n: number) => `메시지 ${n}개 복원됨`,
    forked: "분기한 세션", forkedFrom: "원래 세션",
    newAnswer: "에이전트가 답했습니다",
  },
});

export type Words = (typeof transcriptWords)["en"];
