import { words } from "@/i18n";

export const appWords = words({
  en: {
    runApp: "Run this app?",
    run: "Run app",
    runAlone: "Run without network",
    runWithHosts: "Run and allow these hosts",
    appMay:
      "It runs inside this window, without network. It can answer the agent, and what you press in it can reach the window’s agent.",
    mcpMay: (server: string) =>
      `It comes from the tool server ${server}. It can use tools of that server, with your approval as usual, and what you press in it can reach the window’s agent.`,
    hosts: "It asks for access to",
    loading: "Loading the app…",
    tooLarge: (mib: number) => `The page is larger than ${mib} MiB.`,
    noPage: "Its page cannot be loaded.",
    starting: "Starting…",
    silent: "This app has not answered yet",
    alone: "App · no network",
    network: (hosts: string) => `App · network: ${hosts}`,
    reload: "Reload app",
    stop: "Stop app",
    onlyOwner: "Only the session’s owner can use this app. What you do in it is not sent.",
    skip: "Skip this app",
    sent: (action: string) => `Sent: ${action}`,
  },
  ko: {
    runApp: "이 프로그램을 실행할까요?",
    run: "프로그램 실행",
    runAlone: "네트워크 없이 실행",
    runWithHosts: "이 호스트를 허용하고 실행",
    appMay:
      "이 창 안에서 네트워크 없이 실행됩니다. 에이전트의 질문에 답할 수 있고, 프로그램에서 누른 것이 창 에이전트에 전달될 수 있습니다.",
    mcpMay: (server: string) =>
      `도구 서버 ${server}의 프로그램입니다. 승인을 받아 그 서버의 도구를 사용할 수 있고, 프로그램에서 누른 것이 창 에이전트에 전달될 수 있습니다.`,
    hosts: "다음 호스트에 연결하려고 합니다",
    loading: "프로그램을 불러오는 중…",
    tooLarge: (mib: number) => `페이지 크기가 ${mib} MiB를 넘습니다.`,
    noPage: "프로그램 페이지를 불러올 수 없습니다.",
    starting: "시작하는 중…",
    silent: "프로그램이 아직 응답하지 않았습니다",
    alone: "프로그램 · 네트워크 없음",
    network: (hosts: string) => `프로그램 · 네트워크: ${hosts}`,
    reload: "프로그램 새로 고침",
    stop: "프로그램 중지",
    onlyOwner: "세션 소유자만 이 프로그램을 사용할 수 있습니다. 여기에서 한 일은 보내지 않습니다.",
    skip: "이 프로그램 건너뛰기",
    sent: (action: string) => `보냈습니다: ${action}`,
  },
});
