import { words } from "@/i18n";

export const modelsWords = words({
  en: {
    help: "Where answers come from, and which model does what.", connect: "Connect a model", providers: "Providers", noProviders: "No model is connected yet",
    test: "Test", testing: "Testing…", replaceKey: "Replace key", addKey: "Add a key", more: "More", connected: "Connected", answered: (s: string) => `Answered in ${s} s`,
    failures: {
      auth: ["Key rejected", "The provider rejected the key. Add a new key to use its models."], unstable: ["Unreachable", "Check the address and the network, then test again."], quota: ["No credit", "Add credit at the provider, then test again."],
      overloaded: ["Busy", "The provider is at its limit. Test again in a minute."], request: ["Test failed", "Check the name of the model and the address."], context_length: ["Test failed", "Choose a model that takes more."],
    } as Record<string, [string, string]>,
    notUsable: { no_key: ["No key", "Add a key to use its models."], no_provider: ["Not supported", "This server does not know this provider."], no_address: ["No address", "Its profile needs an address."], missing: ["Not usable", "Test it to see why."] } as Record<string, [string, string]>,
    keyStored: "Key stored on this server", keyFrom: (variable: string) => `Key from the variable ${variable}`, noKey: "No key needed", here: "On the server's computer", models: (n: number) => (n === 1 ? "1 model" : `${n} models`),
    addModel: "Add a model…", addModelTitle: (who: string) => `Add a model of ${who}`, add: "Add", model: "Model", removeModel: (model: string) => `Remove ${model}`, confirmRemove: (model: string) => `Remove ${model}?`, removeHelp: "Sessions can't use it any more. If its key belongs to it alone, the key is deleted.", remove: "Remove",
    keyTitle: (who: string) => `New key for ${who}`, key: "API key", keyHint: "It is tested first. Stored on this server and never shown again.", keyHintUntested: "Stored on this server and never shown again.", saveKey: "Test and save", save: "Save", keyKept: "The key works and is saved.", nothingChanged: "Nothing was changed.", saved: "Saved",
    which: "Which model does what", sameAsDefault: "Same as default", automatic: (model: string) => (model ? `Automatic: ${model}` : "Automatic"), gone: (name: string) => `${name} (not there)`, echo: "Echo (repeats what you say)",
    available: "Available models", prices: "Prices per million tokens, in / out", columns: { model: "Model", provider: "Provider", context: "Context", price: "Price", thinking: "Thinking" }, isDefault: "Default", free: "Free", notKnown: "Not known",
    thinking: { "": "Model's default", off: "Off", low: "Low", medium: "Medium", high: "High" }, thinkingOf: (model: string) => `Thinking of ${model}`, cannotThink: "–",
    trouble: "When a model does not answer", fromEnvironment: "It comes from the server's environment and can only be removed there.",
    badge: "Overridden", override: (model: string) => `The setting “model” uses ${model} instead.`,
  },
  ko: {
    help: "답변이 어디서 오는지, 어느 모델이 무엇을 하는지 정합니다.", connect: "모델 연결", providers: "제공자", noProviders: "아직 연결된 모델이 없습니다",
    test: "테스트", testing: "테스트하는 중…", replaceKey: "키 바꾸기", addKey: "키 추가", more: "더 보기", connected: "연결됨", answered: (s) => `${s}초 만에 응답`,
    failures: {
      auth: ["키 거부됨", "제공자가 키를 거부했습니다. 모델을 쓰려면 새 키를 추가하세요."], unstable: ["연결할 수 없음", "주소와 네트워크를 확인하고 다시 테스트하세요."], quota: ["잔액 없음", "제공자에서 충전한 뒤 다시 테스트하세요."],
      overloaded: ["혼잡", "제공자가 한도에 이르렀습니다. 잠시 후 다시 테스트하세요."], request: ["테스트 실패", "모델 이름과 주소를 확인하세요."], context_length: ["테스트 실패", "더 긴 입력을 받는 모델을 고르세요."],
    },
    notUsable: { no_key: ["키 없음", "모델을 쓰려면 키를 추가하세요."], no_provider: ["지원하지 않음", "이 서버가 모르는 제공자입니다."], no_address: ["주소 없음", "프로필에 주소가 필요합니다."], missing: ["쓸 수 없음", "테스트해서 이유를 확인하세요."] },
    keyStored: "이 서버에 저장된 키", keyFrom: (variable) => `환경 변수 ${variable}의 키`, noKey: "키가 필요 없음", here: "서버 컴퓨터에서 실행", models: (n) => `모델 ${n}개`,
    addModel: "모델 추가…", addModelTitle: (who) => `${who} 모델 추가`, add: "추가", model: "모델", removeModel: (model) => `${model} 제거`, confirmRemove: (model) => `${model} 모델을 제거할까요?`, removeHelp: "세션에서 더 이상 쓸 수 없습니다. 이 모델에만 쓰던 키는 삭제됩니다.", remove: "제거",
    keyTitle: (who) => `${who}의 새 키`, key: "API 키", keyHint: "먼저 테스트합니다. 이 서버에 저장되며 다시 표시되지 않습니다.", keyHintUntested: "이 서버에 저장되며 다시 표시되지 않습니다.", saveKey: "테스트하고 저장", save: "저장", keyKept: "키가 작동하며 저장했습니다.", nothingChanged: "아무것도 바뀌지 않았습니다.", saved: "저장했습니다",
    which: "어느 모델이 무엇을 하는지", sameAsDefault: "기본 모델과 같음", automatic: (model) => (model ? `자동: ${model}` : "자동"), gone: (name) => `${name} (없음)`, echo: "Echo (말한 것을 되풀이)",
    available: "사용할 수 있는 모델", prices: "백만 토큰당 가격, 입력 / 출력", columns: { model: "모델", provider: "제공자", context: "컨텍스트", price: "가격", thinking: "추론" }, isDefault: "기본", free: "무료", notKnown: "알 수 없음",
    thinking: { "": "모델 기본값", off: "끔", low: "낮음", medium: "보통", high: "높음" }, thinkingOf: (model) => `${model}의 추론`, cannotThink: "–",
    trouble: "모델이 응답하지 않을 때", fromEnvironment: "서버의 환경 변수에서 온 것이므로 그곳에서만 제거할 수 있습니다.",
    badge: "대체됨", override: (model) => `“model” 설정이 대신 ${model} 모델을 씁니다.`,
  },
});
