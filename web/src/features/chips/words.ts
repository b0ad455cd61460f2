import { words } from "@/i18n";

export const chipWords = words({
  en: {
    model: "Model",
    mode: "Mode",
    permissions: "Permissions",
    folder: "Folder",
    ownFolder: "New folder",
    noModel: "No model",
    is: (what: string, value: string) => `${what}: ${value}`,
    loading: "Loading…",
    noModels: "No other model can be used now",
    ofServer: "The server's model",
    three: "Model, mode and permissions",
    allThree: (model: string, mode: string, permissions: string) =>
      `Model, mode and permissions: ${model}, ${mode}, ${permissions}`,
    modes: { code: "Code", architect: "Architect", ask: "Ask", debug: "Debug", orchestrator: "Orchestrator" } as Record<
      string,
      string
    >,
    modeHelp: {
      code: "Writes and changes software",
      architect: "Plans first; edits Markdown only",
      ask: "Explains; changes nothing",
      debug: "Finds the cause of a failure",
      orchestrator: "Splits a large task into subtasks",
    } as Record<string, string>,
    presets: { ask: "Ask first", edits: "Edit files", sandbox: "Edit and run", custom: "Custom" } as Record<
      string,
      string
    >,
    presetHelp: {
      ask: "Asks before every change and every command",
      edits: "Changes files in the folder; asks before commands",
      sandbox: "Also runs commands in a sandbox without network",
      custom: "As the settings say",
    } as Record<string, string>,
    nowModel: (name: string) => `This session uses ${name} from now on.`,
    nextMode: (name: string) => `${name} from your next message on.`,
    nowPermissions: (name: string) => `In this session: ${name}.`,
  },
  ko: {
    model: "모델",
    mode: "모드",
    permissions: "권한",
    folder: "폴더",
    ownFolder: "새 폴더",
    noModel: "모델 없음",
    is: (what, value) => `${what}: ${value}`,
    loading: "불러오는 중…",
    noModels: "지금 쓸 수 있는 다른 모델이 없습니다",
    ofServer: "서버의 모델",
    three: "모델, 모드, 권한",
    allThree: (model, mode, permissions) => `모델, 모드, 권한: ${model}, ${mode}, ${permissions}`,
    modes: { code: "코드", architect: "설계", ask: "질문", debug: "디버그", orchestrator: "조율" },
    modeHelp: {
      code: "소프트웨어를 만들고 고칩니다",
      architect: "먼저 계획합니다. Markdown만 고칩니다",
      ask: "설명만 하고 아무것도 바꾸지 않습니다",
      debug: "실패의 원인을 찾습니다",
      orchestrator: "큰 작업을 하위 작업으로 나눕니다",
    },
    presets: { ask: "먼저 묻기", edits: "파일 수정 허용", sandbox: "수정과 실행 허용", custom: "사용자 지정" },
    presetHelp: {
      ask: "모든 변경과 명령 전에 묻습니다",
      edits: "폴더의 파일을 고칩니다. 명령 전에는 묻습니다",
      sandbox: "네트워크 없는 샌드박스에서 명령도 실행합니다",
      custom: "설정에 따릅니다",
    },
    nowModel: (name) => `이제 이 세션은 ${name} 모델을 씁니다.`,
    nextMode: (name) => `다음 메시지부터 ${name} 모드입니다.`,
    nowPermissions: (name) => `이 세션의 권한: ${name}.`,
  },
});
