import { words } from "@/i18n";

export const designWords = words({
  en: {
    title: "Design",
    intro:
      "Everything the pages are made of. One thread runs through it: a line in the gutter, with a mark for each thing that happened.",
    colours: "Colours",
    type: "Type",
    marks: "Marks",
    buttons: "Buttons",
    fields: "Fields",
    states: "States",
    motion: "Motion",
    thread: "Thread",
    say: "Words",
    spacing: "Space",
    motionHelp:
      "140 ms, for things that move because of you. Nothing moves by itself but the mark of what is working. Reduced motion stops both.",
    sayHelp:
      "Say what happened and what to do. Never more than is so: Live only when everything is in, done only after the server's word, expired is not denied.",
    spacingHelp:
      "Steps of 4 px. Rows are 32 px, 26 in compact, 44 where fingers point. Radius 4. Shadows only under what floats.",
    sample: "The quick brown fox",
    example: "Example",
    openDialog: "Open a dialog",
    dialogText: "It holds the focus and closes on Escape.",
    names: { run: "works", ask: "needs you", fail: "failed", done: "done", wait: "waits", past: "is past" } as Record<
      string,
      string
    >,
  },
  ko: {
    title: "디자인",
    intro: "페이지를 이루는 모든 것입니다. 한 가닥의 실이 이어집니다. 여백의 선 하나에 일어난 일마다 표시가 붙습니다.",
    colours: "색",
    type: "글자",
    marks: "표시",
    buttons: "버튼",
    fields: "입력",
    states: "상태",
    motion: "움직임",
    thread: "실",
    say: "말",
    spacing: "간격",
    motionHelp:
      "사용자가 움직인 것만 140ms로 움직입니다. 스스로 움직이는 것은 작업 중 표시뿐이며, 동작 줄이기를 켜면 둘 다 멈춥니다.",
    sayHelp:
      "무슨 일이 있었고 무엇을 하면 되는지 말합니다. 사실보다 더 말하지 않습니다. 모두 받았을 때만 실시간, 서버가 확인했을 때만 완료, 만료는 거부가 아닙니다.",
    spacingHelp: "4px 단위. 행은 32px, 촘촘하게는 26px, 손가락으로는 44px. 모서리 4px. 그림자는 떠 있는 것에만.",
    sample: "다람쥐 헌 쳇바퀴에 타고파",
    example: "예",
    openDialog: "대화상자 열기",
    dialogText: "초점을 잡아 두고 Esc로 닫힙니다.",
    names: { run: "작업 중", ask: "확인 필요", fail: "실패", done: "완료", wait: "대기", past: "지난 일" },
  },
});
