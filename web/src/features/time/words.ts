import type { IrreversibleCode, KernelPolicy } from "@clew-run/client";
import type { TimelineAsked } from "@clew-run/client";
import { words } from "@/i18n";

type AskedKind = TimelineAsked["kind"];
/** What becomes of a kernel that cannot go back; so many cells ran in it before that point. */
type Kernels = Record<KernelPolicy, (cells: number) => string>;
/** Why files were saved: the tool, or who asked for it. */
type Saved = Partial<Record<string, (subject: string) => string>>;

export const timeWords = words({
  en: {
    title: "Time travel", back: "Back to the session", scrub: "Point in time", now: "Now", marks: "Marks", stepBy: "Step by", everything: "Everything", people: "What people said", questions: "Questions", checkpoints: "Checkpoints",
    hidden: "Show removed messages", hiddenHere: "Removed by a rewind. Undo that rewind to restore it.", previous: "Step back", next: "Step forward", link: "Copy link to this point",
    then: "Snapshot", thenHelp: "Read-only preview", goBack: "Rewind to here", beforeMessage: "Remove this message too", keepMessage: "Keep this message", where: "Where exactly",
    keepHelp: "Rewinds to right after this message. It stays; later messages are removed.", beforeHelp: "Rewinds to right before this message. It is removed with all later messages.", behindHelp: "Rewinds to right after the message before this one.", undoable: "You can undo a rewind.",
    goBeforeAnswer: "Rewind to before this answer", beforeAnswerHelp: "Rewinds to right before this answer. It is removed with all later messages.", beforeTimeoutHelp: "Rewinds to before this request expired. All later messages are removed.", answerAnew: "The request is open again: answer it again.", notAskedAgain: "The request does not come back: its tool has ended.", forkAnswer: "Fork from before this answer",
    isNow: "This is the current state. Choose an earlier point, or remove this message.", isNowBehind: "This is the current state. Choose an earlier point to rewind to.",
    undoTitle: "Undo the last rewind?", undoLoses: (n: number) => (n === 1 ? "Undoing the rewind removes this newer message:" : `Undoing the rewind removes these ${n} newer messages:`), redoBrings: "Redo restores it, until you send a new message.", undoAnyway: "Undo the rewind", leaveIt: "Leave it",
    answers: { approve: "Yes", reject: "No", skip: "Skipped", modify: "Changes wanted", cancelled: "Withdrawn" } as Record<string, string>, answeredLate: "Nobody answered in time",
    tookBack: (n: number) => (n === 1 ? "1 message removed" : `${n} messages removed`), broughtBack: (n: number) => (n === 1 ? "1 message restored" : `${n} messages restored`), nothingTaken: "Nothing was removed", undoneMark: "Undone",
    wentBefore: (words: string, time: string) => `to before “${words}” (${time})`, wentAfter: (words: string, time: string) => `to after “${words}” (${time})`, wentBeforeAnswer: (words: string, time: string) => `to before the answer after “${words}” (${time})`,
    forkMade: "Another session was made from here", openFork: "Open it",
    asked: {
      command: (what) => `May it run ${what}?`, edit: (what) => `May it change ${what}?`, fetch: (what) => `May it fetch ${what}?`, server: (what) => `May it use a tool server? ${what}`,
      tool: (what, tool) => ["May it do this?", tool, what].filter(Boolean).join(" "),
      requests: () => "Many calls ran without a person. Continue?", mistakes: () => "The model made several mistakes in a row. Continue?", steps: () => "The model was called many times for one message. Continue?",
      budget: () => "The budget is used up. Continue?", month: () => "This month's budget is used up. Continue?", time: () => "The run is out of time. Continue?",
      retries: (step) => ["A step failed. Try it again?", step].filter(Boolean).join(" "), cost: (step) => ["A step is expected to cost something. May it begin?", step].filter(Boolean).join(" "),
      model: (why) => `A call to the model failed. Try again? ${why}`, resume: () => "Take the task up again?", doubt: (calls) => `The server stopped during a call. Continue? ${calls}`,
      plan: (steps) => `Work by this plan? ${steps}`, input: (what) => what, clarification: (what) => what,
    } as Record<AskedKind, (subject: string, tool: string) => string>,
    runs: { approved: "The plan was approved", completed: "Completed", failed: "Failed", cancelled: "Cancelled" } as Record<string, string>,
    saved: { message: () => "At a message", before: (tool) => `Before: ${tool}`, after: (tool) => `After: ${tool}`, stopped: (tool) => `After the server stopped during: ${tool}`, person: (who) => `Saved by ${who}` } as Saved,
    both: "Rewind conversation and files", talk: "Conversation only", files: "Files only", undo: "Undo the last rewind", redo: "Redo", fork: "Fork from here", forkHelp: "A new session with this past; this one stays as it is.", forkAnswerHelp: "A new session with the past up to before this answer. This one stays as it is.", forked: "Forked", forkButton: "Fork", forkWorkspace: "Its own directory", forkWorkspaceHint: "An empty directory gets the files as they were then. Without one, both sessions work on the same files, as they are now.", forkOwnHint: "This session has no directory of yours, so the new one gets its own, with the files as they were then. Name an empty one to have them elsewhere.",
    messagesGo: (n: number) => (n === 0 ? "No messages will be removed" : n === 1 ? "1 message will be removed" : `${n} messages will be removed`), filesChange: (n: number) => (n === 0 ? "No files will be restored" : n === 1 ? "1 file will be restored" : `${n} files will be restored`),
    todosChange: (n: number) => (n === 1 ? "1 step changes" : `${n} steps change`), reopened: (n: number) => (n === 1 ? "1 request opens again" : `${n} requests open again`), withdrawn: (n: number) => (n === 1 ? "1 open request is withdrawn" : `${n} open requests are withdrawn`),
    kernel: (name: string) => `The kernel of ${name || "the notebook"} can't go back:`, kernelEnds: (name: string) => `The kernel of ${name || "the notebook"} is shut down.`,
    kernels: {
      ask: () => "you'll be asked what happens to it.", rerun: (cells) => (cells === 0 ? "a fresh, empty one starts." : cells === 1 ? "a fresh one runs 1 cell again." : `a fresh one runs ${cells} cells again.`), fresh: () => "a fresh, empty one starts.", keep: () => "it stays ahead of the notebook.",
    } as Kernels as Partial<Kernels>,
    running: "Agents at work are stopped first.", tokens: (n: string) => `${n} tokens already spent; not refunded`,
    irreversible: "Cannot be undone",
    cannotUndo: {
      tool_server: (name: string) => `it was done by the tool server ${name}`, url: (url: string) => `it spoke to ${url}`, network: () => "the command could reach the network",
      outside_workspace: () => "the command could change things outside the workspace",
    } satisfies Record<IrreversibleCode, (what: string) => string> as Partial<Record<IrreversibleCode, (what: string) => string>>,
    irreversibleHelp: "These steps reached beyond the files. A rewind does not reverse them.", andMore: (n: number) => `and ${n} more`,
    noFiles: "Files can't be restored", byHand: (n: number) => (n === 1 ? "1 file was changed since the last checkpoint, perhaps by you" : `${n} files were changed since the last checkpoint, perhaps by you`), overwrite: "Overwrite them as well", overwriteHint: "They are saved first, and undo restores them.",
    changedMeanwhile: "Files changed in the meantime. Check again before you rewind.", askOverwrite: "They would be overwritten. They are saved first, and undo restores them.", goOn: "Overwrite and continue",
    overUnheard: "Finished. This is the current state of the session.", nothingBefore: "Nothing was said before this.", ownerFiles: "Only the owner of the session sees its files.",
    done: "Rewound", undone: "Undone", redone: "Redone", filesDone: "Files restored", left: (n: number) => (n === 1 ? "1 file was not changed" : `${n} files were not changed`), undoAction: "Undo", returning: "Restoring files…", failed: "Everything is as it was: ",
    empty: "No messages yet", emptyHelp: "You can rewind to every message.", compare: "Compare", compareFrom: "From", compareTo: "To", filesNow: "Files now", first: "First checkpoint", noDifference: "No difference", whatChanges: "What changes", allFiles: "Files", changes: "Changes", noCheckpoint: "No checkpoint yet", noCheckpointHelp: "The first one is made before an agent changes a file.",
    refresh: "Compare again", since: "Since the session started", sinceBase: "Since the work tree began", sinceHead: "Since the last commit", compareWith: "Compare with", loadingPreview: "Checking what would change…", readOnly: "You have view-only access. Only the owner can rewind.",
    kinds: { user: "Said", assistant: "Answer", tool: "Tool", question: "Question", answer: "Answered", checkpoint: "Checkpoint", error: "Error", run: "Run", rewind: "Rewind", fork: "Fork" } as Record<string, string>,
    position: (i: number, n: number) => `${i} of ${n}`,
  },
  ko: {
    title: "시간 여행", back: "세션으로 돌아가기", scrub: "시점", now: "지금", marks: "표시", stepBy: "이동 단위", everything: "전체", people: "사람의 메시지", questions: "질문", checkpoints: "체크포인트",
    hidden: "제거된 메시지 보기", hiddenHere: "되돌리기로 제거된 메시지입니다. 복원하려면 그 되돌리기를 취소하세요.", previous: "뒤로", next: "앞으로", link: "이 시점 링크 복사",
    then: "그때의 모습", thenHelp: "읽기 전용", goBack: "여기로 되돌리기", beforeMessage: "이 메시지도 제거", keepMessage: "이 메시지는 유지", where: "정확한 위치",
    keepHelp: "이 메시지 바로 다음으로 되돌립니다. 이 메시지는 남고 이후 메시지는 제거됩니다.", beforeHelp: "이 메시지 바로 전으로 되돌립니다. 이 메시지와 이후 메시지가 모두 제거됩니다.", behindHelp: "바로 앞 메시지의 다음으로 되돌립니다.", undoable: "되돌리기는 취소할 수 있습니다.",
    goBeforeAnswer: "답하기 전으로 되돌리기", beforeAnswerHelp: "이 답변 바로 전으로 되돌립니다. 이 답변과 이후 메시지가 모두 제거됩니다.", beforeTimeoutHelp: "이 요청이 만료되기 전으로 되돌립니다. 이후 메시지가 모두 제거됩니다.", answerAnew: "요청이 다시 열립니다. 다시 답하세요.", notAskedAgain: "요청은 다시 열리지 않습니다. 요청한 도구가 이미 끝났습니다.", forkAnswer: "답하기 전에서 분기",
    isNow: "현재 상태입니다. 더 앞의 시점을 고르거나 이 메시지를 제거하세요.", isNowBehind: "현재 상태입니다. 되돌릴 더 앞의 시점을 고르세요.",
    undoTitle: "마지막 되돌리기를 취소할까요?", undoLoses: (n: number) => `되돌리기를 취소하면 새 메시지 ${n}개가 제거됩니다:`, redoBrings: "새 메시지를 보내기 전까지는 ‘다시 되돌리기’로 복원할 수 있습니다.", undoAnyway: "되돌리기 취소", leaveIt: "그대로 두기",
    answers: { approve: "승인", reject: "거부", skip: "건너뜀", modify: "수정 요청", cancelled: "철회됨" }, answeredLate: "제때 답이 없음",
    tookBack: (n: number) => `메시지 ${n}개 제거됨`, broughtBack: (n: number) => `메시지 ${n}개 복원됨`, nothingTaken: "제거된 메시지 없음", undoneMark: "취소됨",
    wentBefore: (words: string, time: string) => `“${words}”(${time}) 앞으로`, wentAfter: (words: string, time: string) => `“${words}”(${time}) 뒤로`, wentBeforeAnswer: (words: string, time: string) => `“${words}”(${time}) 다음의 답변 앞으로`,
    forkMade: "여기서 다른 세션이 만들어졌습니다", openFork: "열기",
    asked: {
      command: (what) => `명령을 실행할까요? ${what}`, edit: (what) => `파일을 바꿀까요? ${what}`, fetch: (what) => `웹에서 가져올까요? ${what}`, server: (what) => `도구 서버를 쓸까요? ${what}`,
      tool: (what, tool) => ["이 작업을 해도 될까요?", tool, what].filter(Boolean).join(" "),
      requests: () => "확인 없이 여러 번 실행했습니다. 계속할까요?", mistakes: () => "모델이 잇따라 실수했습니다. 계속할까요?", steps: () => "메시지 하나에 모델을 여러 번 호출했습니다. 계속할까요?",
      budget: () => "예산을 다 썼습니다. 계속할까요?", month: () => "이번 달 예산을 다 썼습니다. 계속할까요?", time: () => "실행 시간이 끝났습니다. 계속할까요?",
      retries: (step) => ["단계가 실패했습니다. 다시 시도할까요?", step].filter(Boolean).join(" "), cost: (step) => ["비용이 드는 단계입니다. 시작할까요?", step].filter(Boolean).join(" "),
      model: (why) => `모델 호출에 실패했습니다. 다시 시도할까요? ${why}`, resume: () => "작업을 재개할까요?", doubt: (calls) => `호출 중에 서버가 멈췄습니다. 계속할까요? ${calls}`,
      plan: (steps) => `이 계획대로 할까요? ${steps}`, input: (what) => what, clarification: (what) => what,
    },
    runs: { approved: "계획이 승인되었습니다", completed: "완료", failed: "실패", cancelled: "취소됨" },
    saved: { message: () => "메시지에서", before: (tool) => `${tool} 전`, after: (tool) => `${tool} 후`, stopped: (tool) => `${tool} 중 서버가 멈춘 뒤`, person: (who) => `${who} 님이 저장함` },
    both: "대화와 파일 되돌리기", talk: "대화만", files: "파일만", undo: "마지막 되돌리기 취소", redo: "다시 되돌리기", fork: "여기서 분기", forkHelp: "여기까지의 내용으로 새 세션을 만듭니다. 지금 세션은 그대로입니다.", forkAnswerHelp: "답하기 전까지의 내용으로 새 세션을 만듭니다. 지금 세션은 그대로입니다.", forked: "분기했습니다", forkButton: "분기", forkWorkspace: "새 세션의 디렉터리", forkWorkspaceHint: "빈 디렉터리를 적으면 그때의 파일을 받습니다. 비워 두면 두 세션이 지금 파일을 함께 씁니다.", forkOwnHint: "이 세션에는 지정한 디렉터리가 없으므로 새 세션은 그때의 파일이 담긴 디렉터리를 따로 받습니다. 다른 곳에 두려면 빈 디렉터리를 적으세요.",
    messagesGo: (n: number) => (n === 0 ? "제거되는 메시지 없음" : `메시지 ${n}개 제거`), filesChange: (n: number) => (n === 0 ? "복원되는 파일 없음" : `파일 ${n}개 복원`),
    todosChange: (n: number) => `단계 ${n}개 변경`, reopened: (n: number) => `요청 ${n}개가 다시 열림`, withdrawn: (n: number) => `열린 요청 ${n}개 철회`,
    kernel: (name: string) => `${name || "노트북"}의 커널은 되돌릴 수 없습니다:`, kernelEnds: (name: string) => `${name || "노트북"}의 커널이 종료됩니다.`,
    kernels: {
      ask: () => "어떻게 할지 묻습니다.", rerun: (cells) => (cells === 0 ? "비어 있는 새 커널을 시작합니다." : `새 커널에서 셀 ${cells}개를 다시 실행합니다.`), fresh: () => "비어 있는 새 커널을 시작합니다.", keep: () => "노트북보다 앞선 채로 둡니다.",
    },
    running: "작업 중인 에이전트를 먼저 멈춥니다.", tokens: (n: string) => `토큰 ${n}개는 이미 사용되어 돌려받지 않습니다`,
    irreversible: "되돌릴 수 없는 것",
    cannotUndo: {
      tool_server: (name) => `도구 서버가 한 일입니다: ${name}`, url: (url) => `외부와 통신했습니다: ${url}`, network: () => "네트워크를 쓸 수 있던 명령입니다",
      outside_workspace: () => "작업 폴더 밖을 바꿀 수 있던 명령입니다",
    },
    irreversibleHelp: "파일 밖까지 영향을 준 단계입니다. 되돌려도 취소되지 않습니다.", andMore: (n: number) => `외 ${n}개`,
    noFiles: "파일은 복원할 수 없습니다", byHand: (n: number) => `마지막 체크포인트 이후 바뀐 파일이 ${n}개 있습니다. 직접 수정한 파일일 수 있습니다`, overwrite: "이 파일들도 덮어쓰기", overwriteHint: "먼저 저장되며, 취소하면 복원됩니다.",
    changedMeanwhile: "그사이 파일이 바뀌었습니다. 되돌리기 전에 다시 확인하세요.", askOverwrite: "이 파일들을 덮어씁니다. 먼저 저장되며, 취소하면 복원됩니다.", goOn: "덮어쓰고 계속",
    overUnheard: "끝났습니다. 지금 보이는 것이 세션의 현재 상태입니다.", nothingBefore: "이 앞에는 메시지가 없습니다.", ownerFiles: "세션의 파일은 소유자만 볼 수 있습니다.",
    done: "되돌렸습니다", undone: "취소했습니다", redone: "다시 되돌렸습니다", filesDone: "파일을 복원했습니다", left: (n: number) => `파일 ${n}개는 바꾸지 않았습니다`, undoAction: "취소", returning: "파일을 복원하는 중…", failed: "모든 것이 그대로입니다: ",
    empty: "아직 메시지가 없습니다", emptyHelp: "어느 메시지로든 되돌릴 수 있습니다.", compare: "비교", compareFrom: "이전", compareTo: "이후", filesNow: "지금 파일", first: "첫 체크포인트", noDifference: "차이 없음", whatChanges: "바뀌는 것", allFiles: "파일", changes: "변경", noCheckpoint: "아직 체크포인트가 없습니다", noCheckpointHelp: "에이전트가 파일을 바꾸기 전에 첫 체크포인트가 만들어집니다.",
    refresh: "다시 비교", since: "세션 시작부터", sinceBase: "작업 트리 시작부터", sinceHead: "마지막 커밋부터", compareWith: "비교 대상", loadingPreview: "무엇이 바뀌는지 확인하는 중…", readOnly: "보기 전용 권한입니다. 되돌리기는 소유자만 할 수 있습니다.",
    kinds: { user: "메시지", assistant: "답변", tool: "도구", question: "질문", answer: "답함", checkpoint: "체크포인트", error: "오류", run: "실행", rewind: "되돌리기", fork: "분기" },
    position: (i: number, n: number) => `${n}개 중 ${i}번째`,
  },
});
