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
    hasScripts: "This page has scripts. They do not run by themselves.", runScripts: "Run scripts",
  },
  ko: {
    windows: "창", untitled: "제목 없는 창", content: (title: string) => `${title} 내용`,
    menu: (title: string) => `${title} 창 메뉴`, close: "창 닫기", closing: "닫는 중…", hide: "최소화", move: "옮기기", resize: "크기 조절",
    monitor: (n: number) => `모니터 ${n}`, monitors: "모니터", sendTo: (n: number) => `${n}번 모니터로 보내기`, count: (n: number) => `창 ${n}개`,
    opened: (title: string) => `${title} 창이 열렸습니다`, closed: (title: string) => `${title} 창을 닫았습니다`, sent: (title: string, n: number) => `${title} 창을 ${n}번 모니터로 보냈습니다`,
    moving: "화살표 키로 창을 옮깁니다. Enter로 확정하고 Escape로 되돌립니다.", resizing: "화살표 키로 크기를 조절합니다. Enter로 확정하고 Escape로 되돌립니다.",
    placed: (x: number, y: number) => `왼쪽에서 ${x}, 위에서 ${y}`, sized: (w: number, h: number) => `너비 ${w}, 높이 ${h}`,
    kept: "확정했습니다", putBack: "되돌렸습니다", next: "다음 창", none: "창이 없습니다", noneHelp: "에이전트가 대화 옆에 띄운 창이 여기에 표시됩니다.", which: "창",
    hasScripts: "스크립트가 있는 페이지입니다. 자동으로 실행되지 않습니다.", runScripts: "스크립트 실행",
  },
});
