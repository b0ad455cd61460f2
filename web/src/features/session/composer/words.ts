import { words } from "@/i18n";

export const composerWords = words({
  en: {
    label: "Message to the agent", placeholder: "Message the agent", placeholderIdle: "What shall be done?", placeholderAnswer: "Answer the question",
    send: "Send", queue: "Queue", steer: "Steer now", planFirst: "Plan first", planFirstHelp: "A run: the agent makes a plan and you approve it before anything is done",
    addImage: "Add files", mention: "Mention a file", command: "Commands and skills", useSkill: (name: string) => `Use the skill ${name}.`, suggestions: (n: number) => (n === 0 ? "No matches" : n === 1 ? "1 match" : `${n} matches`), notText: "Only images and text files can be sent. Mention files of the workspace with @.", textTooLong: "Text files may have 48 KB together. Put the file into the workspace and mention it with @.", removeImage: (n: number) => `Remove image ${n}`, image: (n: number) => `Image ${n}`, tooMany: "No more than four images.", notAnImage: "Only PNG, JPEG, GIF and WebP images can be sent.", tooLarge: "This image cannot be made small enough to send.",
    hintQueue: "Queue: after this turn. Steer now: after the current step.",
    hints: { denies: "A question is open: words sent here deny it and tell the agent what to do instead.", changes: "A plan waits for your yes: words sent here ask for changes to it.", continues: "The agent asks whether to go on: words sent here are a yes, with your advice.", answers: "A question is open: words sent here answer it." },
    hintPlain: "Not sent: to say yes or no, use the question's buttons. As words it would not be taken as you mean it.",
    viewer: "You watch this session. Only its owner can write to the agent.", approver: "You may watch and answer questions. Only the owner can write to the agent.",
    queueTitle: (n: number) => (n === 1 ? "1 message waiting" : `${n} messages waiting`),
    edit: "Edit", remove: "Remove", up: "Move up", down: "Move down", sendNow: "Steer now", save: "Save", cancel: "Cancel", editQueued: "Edit the waiting message", moreQueued: (n: number) => `More about waiting message ${n}`, withImages: (n: number) => (n === 1 ? "1 image" : `${n} images`), newTask: "new task", run: "plan first",
    unsent: "Not sent; goes out when the line is back.", sending: "Sending…", failed: "Not sent.", putBack: "Put back", discard: "Discard", withdraw: "Take back",
    sent: "Sent", queued: "Waits in line", dropHere: "Drop files here",
  },
  ko: {
    label: "에이전트에게 보낼 메시지", placeholder: "에이전트에게 메시지", placeholderIdle: "무엇을 할까요?", placeholderAnswer: "질문에 답하기",
    send: "보내기", queue: "대기열", steer: "바로 전달", planFirst: "계획 먼저", planFirstHelp: "실행하기 전에 에이전트가 계획을 세우고 승인을 받습니다",
    addImage: "파일 추가", mention: "파일 언급", command: "명령과 스킬", useSkill: (name: string) => `${name} 스킬을 사용해 줘.`, suggestions: (n: number) => (n === 0 ? "결과 없음" : `결과 ${n}개`), notText: "이미지와 텍스트 파일만 보낼 수 있습니다. 작업 폴더의 파일은 @로 언급하세요.", textTooLong: "텍스트 파일은 모두 합쳐 48KB까지 보낼 수 있습니다. 작업 폴더에 넣고 @로 언급하세요.", removeImage: (n: number) => `이미지 ${n} 제거`, image: (n: number) => `이미지 ${n}`, tooMany: "이미지는 네 장까지 보낼 수 있습니다.", notAnImage: "PNG, JPEG, GIF, WebP 이미지만 보낼 수 있습니다.", tooLarge: "이 이미지는 보낼 수 있을 만큼 줄일 수 없습니다.",
    hintQueue: "대기열: 이번 차례가 끝난 뒤. 바로 전달: 지금 단계가 끝난 뒤.",
    hints: { denies: "열린 질문이 있습니다. 여기에 쓴 글을 보내면 요청을 거절하고, 대신 할 일로 에이전트에게 전합니다.", changes: "계획이 승인을 기다립니다. 여기에 쓴 글을 보내면 계획을 고쳐 달라는 뜻이 됩니다.", continues: "에이전트가 계속할지 묻고 있습니다. 여기에 쓴 글을 보내면 조언과 함께 계속하라는 뜻이 됩니다.", answers: "열린 질문이 있습니다. 여기에 쓴 글이 답변이 됩니다." },
    hintPlain: "보내지 않았습니다. 승인하거나 거절하려면 질문의 버튼을 쓰세요. 글로 보내면 뜻과 다르게 처리될 수 있습니다.",
    viewer: "이 세션을 보고 있습니다. 소유자만 에이전트에게 쓸 수 있습니다.", approver: "보고 질문에 답할 수 있습니다. 소유자만 에이전트에게 쓸 수 있습니다.",
    queueTitle: (n: number) => `대기 중인 메시지 ${n}개`,
    edit: "고치기", remove: "제거", up: "위로", down: "아래로", sendNow: "바로 전달", save: "저장", cancel: "취소", editQueued: "대기 중인 메시지 고치기", moreQueued: (n: number) => `대기 중인 메시지 ${n} 메뉴`, withImages: (n: number) => `이미지 ${n}장`, newTask: "새 작업", run: "계획 먼저",
    unsent: "아직 보내지 않음. 연결되면 보냅니다.", sending: "보내는 중…", failed: "보내지 못했습니다.", putBack: "다시 넣기", discard: "버리기", withdraw: "되가져오기",
    sent: "보냈습니다", queued: "대기열에 있습니다", dropHere: "파일을 여기에 놓으세요",
  },
});
