import { words } from "@/i18n";

export const uiWords = words({
  en: {
    close: "Close",
    copy: "Copy",
    copied: "Copied",
    more: "More",
    loading: "Loading…",
    retry: "Try again",
    status: {
      idle: "Idle", planning: "Planning", awaiting_input: "Needs you", executing: "Working", paused: "Paused",
      completed: "Done", failed: "Failed", cancelled: "Cancelled",
      pending: "Waiting", in_progress: "Working", skipped: "Skipped",
    } as Record<string, string>,
    justNow: "just now",
    whatToDo: {
      reconnect: "The connection is opened again by itself.",
      fix_request: "Change what you sent and try again.",
      wait: "Wait a moment and try again.",
      authenticate: "Sign in again.",
      new_session: "It may have been removed, or you have no access. Open another session.",
      resync: "Reload the page.",
      contact_operator: "Tell whoever runs this server.",
      retry: "Try again.",
      none: "",
    } as Record<string, string>,
  },
  ko: {
    close: "닫기",
    copy: "복사",
    copied: "복사됨",
    more: "더 보기",
    loading: "불러오는 중…",
    retry: "다시 시도",
    status: {
      idle: "대기", planning: "계획 중", awaiting_input: "답변 필요", executing: "작업 중", paused: "일시정지",
      completed: "완료", failed: "실패", cancelled: "취소됨",
      pending: "대기 중", in_progress: "작업 중", skipped: "건너뜀",
    },
    justNow: "방금",
    whatToDo: {
      reconnect: "연결이 자동으로 다시 열립니다.",
      fix_request: "보낸 내용을 고쳐 다시 시도하세요.",
      wait: "잠시 후 다시 시도하세요.",
      authenticate: "다시 로그인하세요.",
      new_session: "삭제되었거나 접근 권한이 없습니다. 다른 세션을 여세요.",
      resync: "페이지를 새로 고치세요.",
      contact_operator: "서버 운영자에게 알리세요.",
      retry: "다시 시도하세요.",
      none: "",
    },
  },
});
