import { words } from "@/i18n";

export const startWords = words({
  en: {
    welcome: "Welcome to clew", welcomeHelp: "Connect a model and choose a folder. Then give your agent its first task.",
    ready: "Ready for your first task", readyHelp: "You choose what needs your approval.",
    connect: "Connect a model", noModel: "No model is connected", noModelHelp: "Agents need a model to work with.", askAdmin: "No model is connected yet. Ask whoever runs this server to connect one.",
    provider: "Where the model comes from", withKey: "API key", noKey: "With the server's own credentials", found: "Found", compatible: "Compatible API", anyAddress: "Any address", notYet: "No model yet", lookAround: "Look around first", moreOptions: "More options",
    apiKey: "API key", model: "Model", modelName: "Model, as the server writes it", address: "Address of the API", keyOptional: "API key, if it needs one",
    stored: "Stored on this server and never shown again.", getKey: (who: string) => `Get a key from ${who}`, noModels: "It has no model yet. Load one there, then look again.", loadingModel: "It is still loading its model. Look again in a moment.", lookAgain: "Look again",
    testing: "Testing…", works: (s: string) => `Key works. Answered in ${s} s.`, answers: (s: string) => `It answers. Answered in ${s} s.`, rejected: "The key was rejected. Check it and try again.", nothingStored: "Nothing was stored.",
    continue: "Continue", goOn: "Continue without a model",
    modelDone: "Model", from: (model: string, who: string) => `${model} from ${who}`, change: "Change", changeModel: "Change the model", changeFolder: "Change the folder",
    folder: "Choose a folder", folderDone: "Folder", folderHelp: "The agent works in this folder. You can undo its changes to the files here.", browse: "Browse…", emptyFolder: "Use a new, empty folder", ownFolder: "A new folder of its own",
    pickFolder: "Choose a folder", path: "Path", open: "Open", up: "Folder above", useFolder: "Use this folder", cancel: "Cancel", noFolders: "No folders in here.", moreFolders: "There are more folders. Type the path.", git: "Git",
    task: "Try a task", taskHelp: "Pick a suggestion or write your own. You choose what needs your approval.", suggested: (folder: string) => `Suggested for ${folder}`, suggestedNew: "Suggested for a new folder",
    tasks: [
      { title: "Explain how this project is organized", help: "Reads files." },
      { title: "Run the tests and explain what fails", help: "Runs commands." },
      { title: "Bring the README up to date", help: "Changes a file." },
    ],
    newTasks: [
      { title: "Build a to-do list as a single web page", help: "Writes one file." },
      { title: "Write a small command-line timer, with a test", help: "Writes files and runs commands." },
      { title: "Draft a README for a project idea of mine", help: "Needs a few words from you." },
    ],
  },
  ko: {
    welcome: "clew에 오신 것을 환영합니다", welcomeHelp: "모델을 연결하고 폴더를 고른 다음, 에이전트에게 첫 작업을 맡기세요.",
    ready: "첫 작업을 시작할 준비가 되었습니다", readyHelp: "승인이 필요한 일은 직접 정합니다.",
    connect: "모델 연결", noModel: "연결된 모델이 없습니다", noModelHelp: "에이전트가 일하려면 모델이 필요합니다.", askAdmin: "아직 연결된 모델이 없습니다. 서버 운영자에게 모델 연결을 요청하세요.",
    provider: "모델 제공자", withKey: "API 키", noKey: "서버의 자격 증명 사용", found: "찾음", compatible: "호환 API", anyAddress: "원하는 주소", notYet: "나중에 연결", lookAround: "먼저 둘러보기", moreOptions: "더 보기",
    apiKey: "API 키", model: "모델", modelName: "모델 이름 (서버에 적힌 그대로)", address: "API 주소", keyOptional: "API 키 (필요한 경우)",
    stored: "이 서버에 저장되며 다시 표시되지 않습니다.", getKey: (who) => `${who} 키 받기`, noModels: "아직 모델이 없습니다. 그곳에서 모델을 불러온 다음 다시 찾으세요.", loadingModel: "아직 모델을 불러오는 중입니다. 잠시 후 다시 찾으세요.", lookAgain: "다시 찾기",
    testing: "테스트하는 중…", works: (s) => `키가 작동합니다. ${s}초 만에 응답했습니다.`, answers: (s) => `응답합니다. ${s}초 걸렸습니다.`, rejected: "키가 거부되었습니다. 확인하고 다시 시도하세요.", nothingStored: "아무것도 저장하지 않았습니다.",
    continue: "계속", goOn: "모델 없이 계속",
    modelDone: "모델", from: (model, who) => `${who}의 ${model}`, change: "변경", changeModel: "모델 변경", changeFolder: "폴더 변경",
    folder: "폴더 선택", folderDone: "폴더", folderHelp: "에이전트는 이 폴더에서 일합니다. 이 폴더의 파일 변경은 되돌릴 수 있습니다.", browse: "찾아보기…", emptyFolder: "빈 새 폴더 사용", ownFolder: "세션 전용 새 폴더",
    pickFolder: "폴더 선택", path: "경로", open: "열기", up: "상위 폴더", useFolder: "이 폴더 사용", cancel: "취소", noFolders: "안에 폴더가 없습니다.", moreFolders: "폴더가 더 있습니다. 경로를 입력하세요.", git: "Git",
    task: "작업 맡겨 보기", taskHelp: "제안을 고르거나 직접 적으세요. 승인이 필요한 일은 직접 정합니다.", suggested: (folder) => `${folder}에 추천하는 작업`, suggestedNew: "새 폴더에 추천하는 작업",
    tasks: [
      { title: "이 프로젝트가 어떻게 구성되어 있는지 설명해 줘", help: "파일을 읽습니다." },
      { title: "테스트를 실행하고 실패하는 이유를 설명해 줘", help: "명령을 실행합니다." },
      { title: "README를 최신 상태로 고쳐 줘", help: "파일을 변경합니다." },
    ],
    newTasks: [
      { title: "할 일 목록을 웹 페이지 하나로 만들어 줘", help: "파일 하나를 씁니다." },
      { title: "작은 명령줄 타이머를 테스트와 함께 만들어 줘", help: "파일을 쓰고 명령을 실행합니다." },
      { title: "내 프로젝트 아이디어의 README 초안을 써 줘", help: "어떤 아이디어인지 알려 주세요." },
    ],
  },
});
