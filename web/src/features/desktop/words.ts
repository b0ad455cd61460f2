import { words } from "@/i18n";

export const desktopWords = words({
  en: {
    desktop: "Desktop", back: "Back to session", title: (name: string) => `Desktop of ${name}`, working: (n: number) => `${n} ${n === 1 ? "agent" : "agents"} working`,
    monitors: "Monitors", monitor: (n: number) => `Monitor ${n}`, goTo: (n: number) => `Go to monitor ${n}`, add: "Add a monitor", windows: (n: number) => `${n} ${n === 1 ? "window" : "windows"}`, needsYou: "Needs you",
    queued: (n: number) => `${n} waiting`, remove: "Remove monitor…", removeTitle: (n: number) => `Remove monitor ${n}?`,
    removeHelp: "Its agents stop. Its windows and waiting messages move to monitor 1. The conversation stays in the session.", removeIt: "Remove monitor", removed: (n: number) => `Monitor ${n} is removed`, cancel: "Cancel",
    tidy: "Tidy up", tidied: "Windows are tidied up", more: "More", otherScreen: "Open on another screen", transcript: "Transcript", closeTranscript: "Put the transcript aside", menuTranscript: "Menu of the transcript", move: "Move", resize: "Resize", hide: "Put aside",
    everyone: "Everyone", show: "Show", helpers: "Helpers", aside: (n: number) => `${n} put aside`, nextWindow: "Next window", view: "Desktop",
    none: "No windows on this monitor", noneHelp: "What the agents show you opens here. Ask for a table, a report or a form.", newMonitor: "A new monitor", newMonitorHelp: "Write a message: an agent of its own answers here, while the others work.",
    agents: "Agents at work", main: "Main agent", helper: "Helper", windowAgent: "Window agent", taskAgent: "Task agent", on: (n: number) => `Monitor ${n}`, works: "Working", asks: (n: number) => `Monitor ${n} · needs you`, task: (time: string) => `Task · ${time}`,
    stop: (name: string) => `Stop ${name}`, open: "Open", openAgent: (name: string) => `Open ${name}`, held: (time: string) => `Held until ${time}`, messages: "Conversation and windows",
  },
  ko: {
    desktop: "데스크톱", back: "세션으로 돌아가기", title: (name: string) => `${name} 데스크톱`, working: (n: number) => `에이전트 ${n}개 작업 중`,
    monitors: "모니터", monitor: (n: number) => `모니터 ${n}`, goTo: (n: number) => `${n}번 모니터로 이동`, add: "모니터 추가", windows: (n: number) => `창 ${n}개`, needsYou: "확인 필요",
    queued: (n: number) => `${n}개 대기`, remove: "모니터 제거…", removeTitle: (n: number) => `${n}번 모니터를 제거할까요?`,
    removeHelp: "이 모니터의 에이전트가 멈춥니다. 창과 대기 중인 메시지는 1번 모니터로 옮겨집니다. 대화는 세션에 남습니다.", removeIt: "모니터 제거", removed: (n: number) => `${n}번 모니터를 제거했습니다`, cancel: "취소",
    tidy: "정렬", tidied: "창을 정렬했습니다", more: "더 보기", otherScreen: "다른 화면에서 열기", transcript: "대화", closeTranscript: "대화 창 최소화", menuTranscript: "대화 창 메뉴", move: "옮기기", resize: "크기 조절", hide: "최소화",
    everyone: "모두", show: "표시", helpers: "도우미", aside: (n: number) => `최소화한 창 ${n}개`, nextWindow: "다음 창", view: "데스크톱",
    none: "이 모니터에 창이 없습니다", noneHelp: "에이전트가 보여 주는 창이 여기에 열립니다. 표, 보고서, 양식을 요청해 보세요.", newMonitor: "새 모니터", newMonitorHelp: "메시지를 보내면 다른 에이전트가 일하는 동안 별도의 에이전트가 여기에서 답합니다.",
    agents: "작업 중인 에이전트", main: "메인 에이전트", helper: "도우미", windowAgent: "창 에이전트", taskAgent: "작업 에이전트", on: (n: number) => `모니터 ${n}`, works: "작업 중", asks: (n: number) => `모니터 ${n} · 확인 필요`, task: (time: string) => `작업 · ${time}`,
    stop: (name: string) => `${name} 중지`, open: "열기", openAgent: (name: string) => `${name} 열기`, held: (time: string) => `${time}까지 보류`, messages: "대화와 창",
  },
});
