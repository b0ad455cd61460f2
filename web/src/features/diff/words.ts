import { words } from "@/i18n";

export const diffWords = words({
  en: {
    files: (n: number) => (n === 1 ? "1 file" : `${n} files`), hidden: (n: number) => `and ${n} more, too many to show`,
    split: "Side by side", stacked: "One under the other", layout: "Layout", unchanged: "Unchanged lines", binary: "Not text: the content differs.", truncated: "Too long to show whole.", modeOnly: (mode: string) => `Only the permissions change${mode ? `, to ${mode}` : ""}.`, renamedOnly: "Only the name changes.", noLines: "No lines to show.",
    comment: (n: number, side: string) => `Comment on line ${n}, ${side}`, commentHelp: "Comment on this line", lost: "Comments on lines that changed", lineGone: "(this line is not here any more)", cr: "Ends with CR LF", noEnd: "no line end", cut: (n: number) => `… ${n} more characters`, yourComment: "Comment", add: "Add", cancel: "Cancel", removeComment: "Remove comment", send: (n: number) => (n === 1 ? "Send 1 comment" : `Send ${n} comments`),
    status: { added: "new", deleted: "goes", modified: "changed", renamed: "renamed", mode: "permissions" } as Record<string, string>, before: "before", after: "after", fold: "Fold", unfold: "Unfold", changed: "Changed files", lines: "Changes, line by line", intro: "Review comments:",
  },
  ko: {
    files: (n: number) => `파일 ${n}개`, hidden: (n: number) => `외 ${n}개는 너무 많아 표시하지 않음`,
    split: "나란히", stacked: "위아래로", layout: "보기 방식", unchanged: "바뀌지 않은 줄", binary: "텍스트가 아니며 내용이 다릅니다.", truncated: "너무 길어 일부만 보입니다.", modeOnly: (mode: string) => `권한만 바뀝니다${mode ? `(${mode})` : ""}.`, renamedOnly: "이름만 바뀝니다.", noLines: "보여 줄 줄이 없습니다.",
    comment: (n: number, side: string) => `${side} ${n}행에 의견 남기기`, commentHelp: "이 줄에 의견 남기기", lost: "바뀐 줄에 남긴 의견", lineGone: "(이 줄은 이제 없습니다)", cr: "CR LF로 끝남", noEnd: "줄 끝 없음", cut: (n: number) => `… ${n}자 더`, yourComment: "의견", add: "추가", cancel: "취소", removeComment: "의견 지우기", send: (n: number) => `의견 ${n}개 보내기`,
    status: { added: "새 파일", deleted: "삭제됨", modified: "변경됨", renamed: "이름 변경", mode: "권한" }, before: "이전", after: "이후", fold: "접기", unfold: "펼치기", changed: "바뀐 파일", lines: "줄 단위 변경", intro: "검토 의견:",
  },
});

/** The words in one language: rows get them handed down, since there are so many of them. */
export type DiffWords = (typeof diffWords)["en"];
