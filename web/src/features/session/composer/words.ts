import { words } from "@/i18n";

export const composerWords = words({
  en: {
    label: "Message to the agent", placeholder: "Message the agent",
    send: "Send", queue: "Queue", steer: "Steer now", planFirst: "Plan first", planFirstHelp: "A run: the agent makes a plan and you approve it before anything is done",
    addImage: "Add files", mention: "Mention a file", command: "Commands and skills", useSkill: (name: string) => `Use the skill ${name}.`, suggestions: (n: number) => (n === 0 ? "No matches" : n === 1 ? "1 match" : `${n} matches`), notText: (names: string) => `${names} can't be attached. You can attach images (PNG, JPEG, GIF, WebP) and text files. Put other files into the workspace and mention them with @.`, textTooLong: "Text files may have 48 KB together. Put the file into the workspace and mention it with @.", removeImage: (n: number) => `Remove image ${n}`, image: (n: number) => `Image ${n}`, tooMany: "No more than four images.", tooLarge: "This image cannot be made small enough to send.",
    deliver: "Choose when it is delivered", steerNote: "After the current step", queueNote: "After this turn", helper: "Ask a helper", helperNote: "Answers now, without the conversation",
    hintQueue: "Queue: after this turn. Steer now: after the current step.",
    effects: { denies: { placeholder: "Deny and say what to do instead…", send: "Deny and send" }, changes: { placeholder: "Request changes to the plan…", send: "Request changes" }, continues: { placeholder: "Continue with advice…", send: "Continue and send" }, answers: { placeholder: "Answer the question…", send: "Answer" } },
    hintPlain: "Not sent. To approve or deny, use the question's buttons.",
    viewer: "You watch this session. Only its owner can write to the agent.", approver: "You may watch and answer questions. Only the owner can write to the agent.",
    queueTitle: (n: number) => (n === 1 ? "1 message waiting" : `${n} messages waiting`),
    edit: "Edit", remove: "Remove", up: "Move up", down: "Move down", sendNow: "Steer now", save: "Save", cancel: "Cancel", editQueued: "Edit the waiting message", moreQueued: (n: number) => `More about waiting message ${n}`, withImages: (n: number) => (n === 1 ? "1 image" : `${n} images`), newTask: "new task", run: "plan first",
    unsent: "Not sent; goes out when the line is back.", sending: "Sending…", failed: "Not sent.", putBack: "Put back", discard: "Discard", withdraw: "Take back",
    sent: "Sent", queued: "Waits in line", dropHere: "Drop files here",
  },
  ko: {
    label: "에이전트에게 보낼 메시지", placeholder: "에이전트에게 메시지",
    send: "보내기", queue: "대기열", steer: "바로 전달", planFirst: "계획 먼저", planFirstHelp: "실행하기 전에 에이전트가 계획을 세우고 승인을 받습니다",
    addImage: "파일 추가", mention: "파일 언급", command: "명령과 스킬", useSkill: (name: string) => `${name} 스킬을 사용해 줘.`, suggestions: (n: number) => (n === 0 ? "결과 없음" : `결과 ${n}개`), notText: (names: string) => `첨부할 수 없습니다: ${names}. 이미지(PNG, JPEG, GIF, WebP)와 텍스트 파일을 첨부할 수 있습니다. 다른 파일은 작업 폴더에 넣고 @로 언급하세요.`, textTooLong: "텍스트 파일은 모두 합쳐 48KB까지 보낼 수 있습니다. 작업 폴더에 넣고 @로 언급하세요.", removeImage: (n: number) => `이미지 ${n} 제거`, image: (n: number) => `이미지 ${n}`, tooMany: "이미지는 네 장까지 보낼 수 있습니다.", tooLarge: "이 이미지는 보낼 수 있을 만큼 줄일 수 없습니다.",
    deliver: "전달 시점 선택", steerNote: "지금 단계가 끝난 뒤", queueNote: "이번 차례가 끝난 뒤", helper: "도우미에게 묻기", helperNote: "대화 내용 없이 바로 답합니다",
    hintQueue: "대기열: 이번 차례가 끝난 뒤. 바로 전달: 지금 단계가 끝난 뒤.",
    effects: { denies: { placeholder: "거부하고 대신 할 일을 알려 주세요…", send: "거부하고 보내기" }, changes: { placeholder: "계획에서 바꿀 점을 알려 주세요…", send: "변경 요청 보내기" }, continues: { placeholder: "조언과 함께 계속하기…", send: "보내고 계속하기" }, answers: { placeholder: "질문에 답해 주세요…", send: "답변 보내기" } },
    hintPlain: "보내지 않았습니다. 승인하거나 거부하려면 질문의 버튼을 사용하세요.",
    viewer: "보기 전용입니다. 소유자만 에이전트에게 메시지를 보낼 수 있습니다.", approver: "세션을 보고 질문에 답할 수 있습니다. 소유자만 에이전트에게 메시지를 보낼 수 있습니다.",
    queueTitle: (n: number) => `대기 중인 메시지 ${n}개`,
    edit: "수정", remove: "제거", up: "위로", down: "아래로", sendNow: "바로 전달", save: "저장", cancel: "취소", editQueued: "대기 중인 메시지 수정", moreQueued: (n: number) => `대기 중인 메시지 ${n} 메뉴`, withImages: (n: number) => `이미지 ${n}장`, newTask: "새 작업", run: "계획 먼저",
    unsent: "아직 보내지 않았습니다. 연결되면 보냅니다.", sending: "보내는 중…", failed: "보내지 못했습니다.", putBack: "입력창에 넣기", discard: "버리기", withdraw: "보내기 취소",
    sent: "보냈습니다", queued: "대기열에 있습니다", dropHere: "파일을 여기에 놓으세요",
  },
});
