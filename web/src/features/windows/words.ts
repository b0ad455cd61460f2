import { words } from "@/i18n";

export const windowWords = words({
  en: {
    windows: "Windows", untitled: "Untitled window", content: (title: string) => `Content of ${title}`,
    menu: (title: string) => `Menu of window ${title}`, close: "Close window", closing: "Closing…", hide: "Put aside", move: "Move", resize: "Resize",
    monitor: (n: number) => `Monitor ${n}`, monitors: "Monitors", sendTo: (n: number) => `Send to monitor ${n}`, count: (n: number) => `${n} ${n === 1 ? "window" : "windows"}`,
    opened: (title: string) => `Window ${title} is open`, closed: (title: string) => `Window ${title} is closed`, sent: (title: string, n: number) => `Window ${title} is on monitor ${n}`,
    moving: "Arrow keys move the window. Enter keeps it there, Escape puts it back.", resizing: "Arrow keys change its size. Enter keeps it, Escape takes it back.",
    placed: (x: number, y: number) => `${x} from the left, ${y} from the top`, sized: (w: number, h: number) => `${w} wide, ${h} high`,
    kept: "Kept", putBack: "Put back", next: "Next window", none: "No windows", noneHelp: "What the agent wants to show you beside the conversation is here.", which: "Window",
    hasScripts: "This page has scripts. They do not run by themselves.", runScripts: "Run scripts", scriptsRun: "Scripts allowed · no network", stopScripts: "Stop scripts", leftFrame: "The page was stopped: it tried to leave its window.", tookKeys: "The page was stopped: it kept taking the keyboard from what you were writing.",
    notDrawn: "This window could not be drawn.", noImage: "The image cannot be loaded.", image: "Image", noTree: "It has no content.", field: "Field", onlyOwner: "Only the session's owner can use this form.",
    pressed: (label: string) => `Sent: ${label}`, openLink: "Open this link?", openIt: "Open link", cancel: "Cancel",
    sortBy: (name: string) => `Sort by ${name}`, sortedBy: (name: string, down: boolean) => `Sorted by ${name}, ${down ? "highest first" : "lowest first"}`, unsorted: "In the original order", chosen: (name: string) => `Chosen: ${name}`,
    rows: (n: number) => `${n} ${n === 1 ? "row" : "rows"}`, firstOf: (n: number, all: number) => `First ${n} of ${all} rows`, rowsOf: (from: number, to: number, all: number) => `Rows ${from} to ${to} of ${all}`,
    pageBefore: "Previous rows", pageAfter: "Next rows", exportCsv: "Export CSV", agentWorks: "Window agent is working", agentAsks: "Window agent needs you", stop: "Stop", waiting: (n: number) => `${n} waiting`, remove: (label: string) => `Remove ${label}`, desktop: "Open desktop",
  },
  ko: {
    windows: "창", untitled: "제목 없는 창", content: (title: string) => `${title} 내용`,
    menu: (title: string) => `${title} 창 메뉴`, close: "창 닫기", closing: "닫는 중…", hide: "최소화", move: "옮기기", resize: "크기 조절",
    monitor: (n: number) => `모니터 ${n}`, monitors: "모니터", sendTo: (n: number) => `${n}번 모니터로 보내기`, count: (n: number) => `창 ${n}개`,
    opened: (title: string) => `${title} 창이 열렸습니다`, closed: (title: string) => `${title} 창을 닫았습니다`, sent: (title: string, n: number) => `${title} 창을 ${n}번 모니터로 보냈습니다`,
    moving: "화살표 키로 창을 옮깁니다. Enter로 확정하고 Escape로 되돌립니다.", resizing: "화살표 키로 크기를 조절합니다. Enter로 확정하고 Escape로 되돌립니다.",
    placed: (x: number, y: number) => `왼쪽에서 ${x}, 위에서 ${y}`, sized: (w: number, h: number) => `너비 ${w}, 높이 ${h}`,
    kept: "확정했습니다", putBack: "되돌렸습니다", next: "다음 창", none: "창이 없습니다", noneHelp: "에이전트가 대화 옆에 띄운 창이 여기에 표시됩니다.", which: "창",
    hasScripts: "스크립트가 있는 페이지입니다. 자동으로 실행되지 않습니다.", runScripts: "스크립트 실행", scriptsRun: "스크립트 허용됨 · 네트워크 없음", stopScripts: "스크립트 중지", leftFrame: "페이지가 다른 곳으로 이동하려고 해서 중지했습니다.", tookKeys: "입력하는 동안 페이지가 키보드를 계속 가져가서 중지했습니다.",
    notDrawn: "이 창을 표시할 수 없습니다.", noImage: "이미지를 불러올 수 없습니다.", image: "이미지", noTree: "내용이 없습니다.", field: "입력란", onlyOwner: "세션 소유자만 이 양식을 사용할 수 있습니다.",
    pressed: (label: string) => `보냈습니다: ${label}`, openLink: "이 링크를 열까요?", openIt: "링크 열기", cancel: "취소",
    sortBy: (name: string) => `${name} 기준으로 정렬`, sortedBy: (name: string, down: boolean) => `${name} 기준 ${down ? "내림차순" : "오름차순"}으로 정렬했습니다`, unsorted: "원래 순서입니다", chosen: (name: string) => `선택했습니다: ${name}`,
    rows: (n: number) => `${n}행`, firstOf: (n: number, all: number) => `${all}행 중 처음 ${n}행`, rowsOf: (from: number, to: number, all: number) => `${all}행 중 ${from}–${to}행`,
    pageBefore: "이전 행", pageAfter: "다음 행", exportCsv: "CSV로 내보내기", agentWorks: "창 에이전트가 작업하고 있습니다", agentAsks: "창 에이전트가 답변을 기다립니다", stop: "중지", waiting: (n: number) => `${n}개 대기`, remove: (label: string) => `${label} 제거`, desktop: "데스크톱 열기",
  },
});
