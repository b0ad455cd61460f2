import type { EndCode } from "@clew-run/client";
import { words } from "@/i18n";

/** Why something ended early, was not run, or was withdrawn. What failed says so itself. */
export const endWords = words({
  en: {
    interrupted: "the work was stopped",
    cancelled: "it was cancelled",
    reset: "everything was ended for a new beginning",
    put_away: "the task was put away",
    skipped: "the step was skipped",
    denied: "it was not allowed",
    not_continued: "it was not continued",
    plan_rejected: "the plan was rejected",
    plan_changed: "the plan was changed",
    continued: "the task went on with a message",
    rewound: "the session was rewound",
    undone: "a rewind was undone",
    redone: "a rewind was redone",
    files_restored: "files were restored",
    forked: "it continues in the session that this one was forked from",
    timed_out: "nobody answered in time",
    turn_over: "the turn was over",
    in_doubt: "the server stopped while it ran",
    outdated: "the plan has changed meanwhile",
    files_back: "the node with the files is back",
  } satisfies Record<Exclude<EndCode, "failed">, string>,
  ko: {
    interrupted: "작업이 중지되었습니다",
    cancelled: "취소되었습니다",
    reset: "새로 시작하려고 모두 끝냈습니다",
    put_away: "작업을 보류했습니다",
    skipped: "단계를 건너뛰었습니다",
    denied: "허용되지 않았습니다",
    not_continued: "계속하지 않기로 했습니다",
    plan_rejected: "계획이 거부되었습니다",
    plan_changed: "계획이 바뀌었습니다",
    continued: "메시지로 작업을 이어 갔습니다",
    rewound: "세션을 되돌렸습니다",
    undone: "되돌리기를 취소했습니다",
    redone: "되돌리기를 다시 했습니다",
    files_restored: "파일을 복원했습니다",
    forked: "원래 세션에서 이어집니다",
    timed_out: "시간 안에 아무도 답하지 않았습니다",
    turn_over: "차례가 끝났습니다",
    in_doubt: "실행 중에 서버가 멈췄습니다",
    outdated: "그사이 계획이 바뀌었습니다",
    files_back: "파일이 있는 노드가 돌아왔습니다",
  },
});

/** The page's own words for a code, undefined if the server's are needed. */
export function endedBecause(t: (typeof endWords)["en"], code: EndCode | undefined): string | undefined {
  return code === undefined || code === "failed" ? undefined : t[code];
}
