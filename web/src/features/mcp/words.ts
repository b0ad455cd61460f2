import { words } from "@/i18n";

export const mcpWords = words({
  en: {
    title: "Tool servers", adminOnly: "Tool servers are looked after by administrators.", empty: "No tool server yet",
    emptyHelp: "A tool server gives agents more tools: a program that clew starts, or an address it reaches (MCP).",
    add: "Add server", edit: "Edit", restart: "Restart", remove: "Remove", tools: (n: number) => (n === 1 ? "1 tool" : `${n} tools`), alwaysAllow: (tool: string) => `${tool} runs without a question`, hidden: "The definitions contain a secret and are not shown, so they cannot be changed here. Use $SECRET:name in place of it.",
    enabled: (name: string) => `Use ${name}`, name: "Name", definition: "Definition (JSON)", definitionHint: "command, args, env, dir; or url and headers. $SECRET:name stands for a secret.",
    save: "Save", notJson: "This is not a JSON object.", taken: "There is a server of this name.", confirmRemove: (name: string) => `Remove ${name}?`, removeHelp: "Agents lose its tools at once. Its definition is gone.",
    status: { connected: "Connected", connecting: "Connecting…", failed: "Failed", disabled: "Off" } as Record<string, string>,
    always: "An allowed tool is allowed as it is now. If its description or input changes, you are asked again.",
  },
  ko: {
    title: "도구 서버", adminOnly: "도구 서버는 관리자가 관리합니다.", empty: "아직 도구 서버가 없습니다",
    emptyHelp: "도구 서버는 에이전트에게 도구를 더해 줍니다. clew가 실행하는 프로그램이거나 연결하는 주소입니다(MCP).",
    add: "서버 추가", edit: "수정", restart: "다시 시작", remove: "제거", tools: (n: number) => `도구 ${n}개`, alwaysAllow: (tool: string) => `${tool}: 묻지 않고 실행`, hidden: "정의에 비밀 값이 들어 있어 보여 주지 않으며 여기서 바꿀 수 없습니다. 대신 $SECRET:name을 쓰세요.",
    enabled: (name: string) => `${name} 사용`, name: "이름", definition: "정의 (JSON)", definitionHint: "command, args, env, dir 또는 url과 headers. $SECRET:name은 비밀 값을 뜻합니다.",
    save: "저장", notJson: "JSON 객체가 아닙니다.", taken: "같은 이름의 서버가 있습니다.", confirmRemove: (name: string) => `${name} 서버를 제거할까요?`, removeHelp: "에이전트는 즉시 이 도구를 쓸 수 없고, 정의도 사라집니다.",
    status: { connected: "연결됨", connecting: "연결 중…", failed: "실패", disabled: "꺼짐" },
    always: "허용한 도구는 지금 상태 그대로 허용됩니다. 설명이나 입력이 바뀌면 다시 묻습니다.",
  },
});
