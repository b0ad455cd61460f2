import { words } from "@/i18n";

export const mcpWords = words({
  en: {
    help: "Programs and addresses that give agents more tools (MCP).", list: "Servers", empty: "No tool servers yet",
    add: "Add a tool server", change: "Edit", changeTitle: (name: string) => `Edit ${name}`, restart: "Restart", log: "Show log", logTitle: (name: string) => `Log of ${name}`, noLog: "The program wrote nothing.", noLogUrl: "A server at an address has no log here.", remove: "Remove", more: "More",
    tools: (n: number) => (n === 1 ? "1 tool" : `${n} tools`), alwaysAllow: (tool: string) => `Allow ${tool} without asking`, hidden: "The definitions contain a secret and are not shown, so they can't be changed here. Use $SECRET:name instead of the value.",
    enabled: (name: string) => `Use ${name}`, name: "Name", nameHint: "Letters, digits, dash and underscore.", kind: "Where it runs", program: "Program", address: "Address",
    command: "Command", commandHint: "The program that the server starts. No shell is involved.", args: "Arguments", onePerLine: "One per line", dir: "Folder", env: "Environment variables", envHint: "NAME=value, one per line. The program gets these and nothing else. $SECRET:name stands for a secret.",
    url: "URL", headers: "Headers", headersHint: "Name: value, one per line. $SECRET:name stands for a secret.", timeout: "Seconds per call", timeoutHint: "60 if empty",
    paste: "Paste JSON", pasteLabel: "Definition as JSON", pasteHint: "As other programs have it: with mcpServers, or one server alone.", usePasted: "Fill in the form", back: "Back to the form",
    test: "Test", testing: "Testing…", works: (s: string, n: number) => (n === 1 ? `It works: 1 tool, answered in ${s} s.` : `It works: ${n} tools, answered in ${s} s.`), testFailed: "The test failed.", save: "Save",
    notJson: "This is not the JSON of one tool server.", taken: "A server of this name exists.", badLine: (line: string) => `This line can't be read: ${line}`, confirmRemove: (name: string) => `Remove ${name}?`, removeHelp: "Agents lose its tools at once.",
    status: { connected: "Connected", connecting: "Connecting…", failed: "Failed", disabled: "Off" } as Record<string, string>,
    always: "A tool is allowed as it is now. If its description or input changes, you are asked again.", general: "In general",
  },
  ko: {
    help: "에이전트에게 도구를 더해 주는 프로그램과 주소입니다(MCP).", list: "서버", empty: "아직 도구 서버가 없습니다",
    add: "도구 서버 추가", change: "수정", changeTitle: (name: string) => `${name} 수정`, restart: "다시 시작", log: "로그 보기", logTitle: (name: string) => `${name} 로그`, noLog: "프로그램이 출력한 내용이 없습니다.", noLogUrl: "주소로 연결하는 서버는 여기에 로그가 없습니다.", remove: "제거", more: "더 보기",
    tools: (n: number) => `도구 ${n}개`, alwaysAllow: (tool: string) => `${tool}: 묻지 않고 허용`, hidden: "정의에 비밀 값이 들어 있어 보여 주지 않으며 여기서 바꿀 수 없습니다. 값 대신 $SECRET:name을 쓰세요.",
    enabled: (name: string) => `${name} 사용`, name: "이름", nameHint: "영문자, 숫자, -, _.", kind: "실행 위치", program: "프로그램", address: "주소",
    command: "명령", commandHint: "서버가 시작하는 프로그램입니다. 셸을 거치지 않습니다.", args: "인수", onePerLine: "한 줄에 하나", dir: "폴더", env: "환경 변수", envHint: "NAME=값, 한 줄에 하나. 프로그램은 이것만 받습니다. $SECRET:name은 비밀 값을 뜻합니다.",
    url: "URL", headers: "헤더", headersHint: "Name: 값, 한 줄에 하나. $SECRET:name은 비밀 값을 뜻합니다.", timeout: "호출당 초", timeoutHint: "비우면 60",
    paste: "JSON 붙여넣기", pasteLabel: "JSON 정의", pasteHint: "다른 프로그램의 형식 그대로: mcpServers가 있거나 서버 하나입니다.", usePasted: "양식에 채우기", back: "양식으로 돌아가기",
    test: "테스트", testing: "테스트하는 중…", works: (s: string, n: number) => `작동합니다. 도구 ${n}개, ${s}초 만에 응답했습니다.`, testFailed: "테스트에 실패했습니다.", save: "저장",
    notJson: "도구 서버 하나의 JSON이 아닙니다.", taken: "같은 이름의 서버가 있습니다.", badLine: (line: string) => `읽을 수 없는 줄입니다: ${line}`, confirmRemove: (name: string) => `${name} 서버를 제거할까요?`, removeHelp: "에이전트가 이 서버의 도구를 바로 쓸 수 없게 됩니다.",
    status: { connected: "연결됨", connecting: "연결 중…", failed: "실패", disabled: "꺼짐" },
    always: "도구는 지금 상태 그대로 허용됩니다. 설명이나 입력이 바뀌면 다시 묻습니다.", general: "전체",
  },
});
