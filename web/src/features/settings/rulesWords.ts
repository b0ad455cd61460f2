import { words } from "@/i18n";

export const rulesWords = words({
  en: {
    title: "Permissions",
    help: "What agents may do without asking.",
    ownHelp: "What you allowed agents to do without asking.",
    kept: "Your saved approvals",
    keptHelp: "They count in your sessions only.",
    none: "No saved approvals",
    removeRule: "Remove",
    everywhere: "in every folder",
    toolNames: {
      execute_command: "Any command",
      write_file: "Writing files",
      edit: "Editing files",
      fetch: "Fetching pages",
    } as Record<string, string>,
    covers: (tool: string, pattern?: string): string =>
      tool === "execute_command"
        ? pattern?.endsWith("*")
          ? "Commands that begin like this"
          : "Exactly this command"
        : tool === "fetch"
          ? "Pages of this host"
          : "Every use of this tool",
    defaults: "Defaults for new sessions",
    defaultsHelp: "Each session can choose for itself.",
    unasked: "Without asking",
    unaskedHelp: "In every session of this server. Everything else needs approval.",
    presetFirst: "The permissions above replace “Change files” and “Run allowed commands”.",
    examples: {
      allowed_commands: "For example: go test *",
      denied_commands: "For example: rm -rf *",
      fetch_allow: "For example: docs.example.com",
    },
    emptyList: "Empty",
    add: "Add",
    remove: (rule: string) => `Remove ${rule}`,
    tools: "Allowed tools",
    toolsHelp: "Tools of tool servers, as they were when someone allowed them.",
    toolServers: "All tool servers",
    noTools: "No tool is allowed",
    askAgain: "Ask again",
    stops: "When to ask anyway",
    saved: "Saved",
    inSessions: "What was allowed for one task or one session is listed in that session's menu.",
  },
  ko: {
    title: "권한",
    help: "에이전트가 묻지 않고 할 수 있는 일입니다.",
    ownHelp: "에이전트가 묻지 않고 하도록 내가 허용한 일입니다.",
    kept: "저장된 내 승인",
    keptHelp: "내 세션에만 적용됩니다.",
    none: "저장된 승인이 없습니다",
    removeRule: "제거",
    everywhere: "모든 폴더에서",
    toolNames: { execute_command: "모든 명령", write_file: "파일 쓰기", edit: "파일 수정", fetch: "페이지 가져오기" },
    covers: (tool, pattern) =>
      tool === "execute_command"
        ? pattern?.endsWith("*")
          ? "이렇게 시작하는 명령"
          : "정확히 이 명령"
        : tool === "fetch"
          ? "이 호스트의 페이지"
          : "이 도구의 모든 사용",
    defaults: "새 세션의 기본값",
    defaultsHelp: "세션마다 따로 고를 수 있습니다.",
    unasked: "묻지 않고 하는 일",
    unaskedHelp: "이 서버의 모든 세션에 적용됩니다. 나머지는 승인이 필요합니다.",
    presetFirst: "위의 권한이 “파일 변경”과 “허용한 명령 실행”을 대신합니다.",
    examples: {
      allowed_commands: "예: go test *",
      denied_commands: "예: rm -rf *",
      fetch_allow: "예: docs.example.com",
    },
    emptyList: "비어 있음",
    add: "추가",
    remove: (rule: string) => `${rule} 제거`,
    tools: "허용한 도구",
    toolsHelp: "누군가 허용했을 때의 상태 그대로인 도구 서버의 도구입니다.",
    toolServers: "모든 도구 서버",
    noTools: "허용한 도구가 없습니다",
    askAgain: "다시 묻기",
    stops: "그래도 물어볼 때",
    saved: "저장했습니다",
    inSessions: "작업 하나나 세션 하나에 허용한 것은 그 세션의 메뉴에 있습니다.",
  },
});
