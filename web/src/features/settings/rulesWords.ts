import { words } from "@/i18n";

export const rulesWords = words({
  en: {
    title: "Rules", unasked: "Without asking", unaskedHelp: "What agents may do in every session of this server before anybody is asked. Everything else waits for a yes.",
    master: "Follow these rules", masterHint: "Off: every step that needs a yes is asked about, whatever stands below.",
    switches: {
      always_allow_read_only: "Read and search files of the workspace", always_allow_write: "Change files of the workspace", always_allow_execute: "Run the commands below",
      always_allow_fetch: "Fetch from the hosts below", always_allow_mcp: "Use the tools below", always_allow_browser: "Use the browser",
    },
    hints: { always_allow_execute: "Only commands of the list; all others are asked about.", always_allow_fetch: "Only hosts of the list.", always_allow_mcp: "Only tools of tool servers that were allowed there." } as Record<string, string>,
    lists: { allowed_commands: "Commands that may run", denied_commands: "Commands that never run", fetch_allow: "Hosts to fetch from" },
    listHelp: {
      allowed_commands: "Word by word; a * at the end stands for any further words: “go test *” covers “go test ./...” and not “go build”.",
      denied_commands: "They are refused even if somebody says yes.", fetch_allow: "A host, or *.example.com for all below it.",
    },
    examples: { allowed_commands: "Such as: go test *", denied_commands: "Such as: rm -rf *", fetch_allow: "Such as: docs.example.com" },
    tools: "Tools that may run", toolsHelp: "Tools of tool servers, as they were when somebody allowed them.", toolServers: "All tool servers", noTools: "No tool is allowed.", askAgain: "Ask again",
    kept: "What you allowed for longer", keptHelp: "Your own rules, for a folder or everywhere. They count in your sessions alone.", everywhere: "everywhere",
    none: "None.", add: "Add", remove: (rule: string) => `Remove ${rule}`, saved: "Saved", inSessions: "What somebody allowed for one task or one session stands in that session's menu, with the button to forget it.",
  },
  ko: {
    title: "규칙", unasked: "묻지 않고 하는 일", unaskedHelp: "이 서버의 모든 세션에서 에이전트가 묻지 않고 해도 되는 일입니다. 그 밖의 일은 승인을 기다립니다.",
    master: "이 규칙을 따르기", masterHint: "끄면 아래 내용과 관계없이 승인이 필요한 모든 단계를 묻습니다.",
    switches: {
      always_allow_read_only: "작업 폴더의 파일 읽기와 검색", always_allow_write: "작업 폴더의 파일 고치기", always_allow_execute: "아래 명령 실행",
      always_allow_fetch: "아래 호스트에서 가져오기", always_allow_mcp: "아래 도구 사용", always_allow_browser: "브라우저 사용",
    },
    hints: { always_allow_execute: "목록에 있는 명령만 해당하며 나머지는 묻습니다.", always_allow_fetch: "목록에 있는 호스트만 해당합니다.", always_allow_mcp: "도구 서버에서 허용된 도구만 해당합니다." },
    lists: { allowed_commands: "실행해도 되는 명령", denied_commands: "실행하지 않는 명령", fetch_allow: "가져와도 되는 호스트" },
    listHelp: {
      allowed_commands: "단어마다 맞춰 봅니다. 끝의 *는 그 뒤의 어떤 단어든 뜻합니다. “go test *”는 “go test ./...”에 맞고 “go build”에는 맞지 않습니다.",
      denied_commands: "누가 승인해도 거절됩니다.", fetch_allow: "호스트 이름, 또는 그 아래 전체를 뜻하는 *.example.com 형식입니다.",
    },
    examples: { allowed_commands: "예: go test *", denied_commands: "예: rm -rf *", fetch_allow: "예: docs.example.com" },
    tools: "실행해도 되는 도구", toolsHelp: "누군가 허용했을 때의 상태 그대로인 도구 서버의 도구입니다.", toolServers: "모든 도구 서버", noTools: "허용된 도구가 없습니다.", askAgain: "다시 묻기",
    kept: "오래 허용한 것", keptHelp: "폴더 하나 또는 모든 곳에 대한 내 규칙입니다. 내 세션에만 적용됩니다.", everywhere: "모든 곳",
    none: "없습니다.", add: "추가", remove: (rule: string) => `${rule} 제거`, saved: "저장했습니다", inSessions: "작업 하나나 세션 하나에 허용한 것은 그 세션의 메뉴에서 보고 취소할 수 있습니다.",
  },
});
