import { words } from "@/i18n";

export const markdownWords = words({
  en: {
    code: "Code",
    copyCode: "Copy code",
    diagram: "Diagram",
    formula: "Formula",
    copySource: "Copy source",
    showSource: "Show source",
    showDrawing: "Show drawing",
    notDrawn: (why: string) => `Cannot be drawn: ${why}`,
    problem: {
      syntax: "there is an error in its source.",
      kind: "diagrams of this kind are not supported.",
      time: "it takes too long.",
      load: "the part that draws could not be loaded.",
    },
  },
  ko: {
    code: "코드",
    copyCode: "코드 복사",
    diagram: "다이어그램",
    formula: "수식",
    copySource: "원문 복사",
    showSource: "원문 보기",
    showDrawing: "그림 보기",
    notDrawn: (why: string) => `그릴 수 없음: ${why}`,
    problem: {
      syntax: "원문에 오류가 있습니다.",
      kind: "지원하지 않는 종류의 다이어그램입니다.",
      time: "시간이 너무 오래 걸립니다.",
      load: "그리는 부분을 불러오지 못했습니다.",
    },
  },
});
