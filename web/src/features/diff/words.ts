import { words } from "@/i18n";

export const diffWords = words({
  en: {
    files: (n: number) => (n === 1 ? "1 file" : `${n} files`), hidden: (n: number) => `and ${n} more, too many to show`, viewedCount: (n: number, of: number) => `${n} of ${of} viewed`, viewed: "Viewed",
    split: "Split", stacked: "Unified", layout: "Layout", unchangedLines: (n: number) => (n === 1 ? "1 unchanged line" : `${n} unchanged lines`), show: "Show", showUnchanged: (n: number) => (n === 1 ? "Show 1 unchanged line" : `Show ${n} unchanged lines`),
    binary: "Not a text file. Its content differs.", truncated: "Too long to show in full.", modeOnly: (mode: string) => `Only the permissions change${mode ? `, to ${mode}` : ""}.`, renamedOnly: "Only the name changes.", noLines: "No lines to show.",
    comment: (n: number, side: string) => `Comment on line ${n}, ${side}`, commentHelp: "Comment on this line", lost: "Comments on lines that changed", lineGone: "(this line is not here any more)", lineNotSent: (n: number) => `line ${n} · not sent`, you: "You",
    cr: "Ends with CR LF", noEnd: "no line end", cut: (n: number) => `… ${n} more characters`, yourComment: "Comment", add: "Add", cancel: "Cancel", removeComment: "Remove comment", hiddenCharacter: "A character that is not seen, shown by its number",
    notSent: (n: number) => (n === 1 ? "1 comment not sent" : `${n} comments not sent`), discard: "Discard", send: "Send to the agent", discarded: "Comments discarded", undo: "Undo",
    status: { added: "new", deleted: "deleted", modified: "changed", renamed: "renamed", mode: "permissions" } as Record<string, string>, before: "before", after: "after", addedLine: "added:", removedLine: "removed:", changed: "Changed files", lines: "Changes, line by line", intro: "Review comments:",
    fileMenu: (path: string) => `More for ${path}`, copyPath: "Copy path", copyChanges: "Copy changes", foldAll: "Fold all files", unfoldAll: "Unfold all files",
    openChanges: "Open in Changes", copy: "Copy", copied: "Copied", shownLines: (n: number, of: number) => `${n} of ${of} lines`, showAll: "Show all",
  },
  ko: {
    files: (n: number) => `파일 ${n}개`, hidden: (n: number) => `외 ${n}개는 너무 많아 표시하지 않음`, viewedCount: (n: number, of: number) => `${of}개 중 ${n}개 확인함`, viewed: "확인함",
    split: "나란히", stacked: "통합", layout: "보기 방식", unchangedLines: (n: number) => `바뀌지 않은 줄 ${n}개`, show: "보기", showUnchanged: (n: number) => `바뀌지 않은 줄 ${n}개 보기`,
    binary: "텍스트 파일이 아니며 내용이 다릅니다.", truncated: "너무 길어 일부만 보입니다.", modeOnly: (mode: string) => `권한만 바뀝니다${mode ? `(${mode})` : ""}.`, renamedOnly: "이름만 바뀝니다.", noLines: "보여 줄 줄이 없습니다.",
    comment: (n: number, side: string) => `${side} ${n}행에 의견 남기기`, commentHelp: "이 줄에 의견 남기기", lost: "바뀐 줄에 남긴 의견", lineGone: "(이 줄은 이제 없습니다)", lineNotSent: (n: number) => `${n}행 · 보내지 않음`, you: "나",
    cr: "CR LF로 끝남", noEnd: "줄 끝 없음", cut: (n: number) => `… ${n}자 더`, yourComment: "의견", add: "추가", cancel: "취소", removeComment: "의견 지우기", hiddenCharacter: "보이지 않는 문자를 번호로 표시",
    notSent: (n: number) => `보내지 않은 의견 ${n}개`, discard: "버리기", send: "에이전트에게 보내기", discarded: "의견을 버렸습니다", undo: "되돌리기",
    status: { added: "새 파일", deleted: "삭제됨", modified: "변경됨", renamed: "이름 변경", mode: "권한" }, before: "이전", after: "이후", addedLine: "추가:", removedLine: "삭제:", changed: "바뀐 파일", lines: "줄 단위 변경", intro: "검토 의견:",
    fileMenu: (path: string) => `${path} 더 보기`, copyPath: "경로 복사", copyChanges: "변경 복사", foldAll: "모든 파일 접기", unfoldAll: "모든 파일 펼치기",
    openChanges: "변경에서 열기", copy: "복사", copied: "복사됨", shownLines: (n: number, of: number) => `${of}줄 중 ${n}줄`, showAll: "모두 보기",
  },
});

/** The words in one language: rows get them handed down, since there are so many of them. */
export type DiffWords = (typeof diffWords)["en"];
