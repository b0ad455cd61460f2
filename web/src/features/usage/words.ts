import { words } from "@/i18n";

export const usageWords = words({
  en: {
    title: "Usage", period: "Period", periods: { week: "7 days", month: "30 days", year: "Year" }, whose: "Whose sessions", mine: "Mine", everyone: "Everyone", exportCsv: "Export CSV",
    cost: "Cost", tokens: "Tokens", calls: "Model calls", cache: "Read from cache",
    up: (percent: string) => `Up ${percent} from the period before`, down: (percent: string) => `Down ${percent} from the period before`, same: "Same as the period before", noBefore: "Nothing to compare with yet",
    inOut: (read: string, written: string) => `${read} in, ${written} out`, ofInput: (some: string, all: string) => `${some} of ${all} input tokens`, noInput: "No input yet",
    inSessions: (n: number) => (n === 1 ? "In 1 session" : `In ${n} sessions`),
    monthBudget: (month: string) => `Your ${month} budget`, leftOf: (all: string) => `left of ${all}`, onCourse: (usd: string, day: string) => `On course for ${usd} by ${day}.`, usedUp: "Used up. Tasks ask before they continue.",
    taskBudget: "Budget for each task", taskBudgetHelp: "Includes subtasks. You are asked before a task spends more.", noBudget: "No limit", noBudgetHelp: "Set a budget per task or per month to be asked first.", changeBudget: "Change",
    byDay: { cost: "Cost by day", tokens: "Tokens by day" }, byWeek: { cost: "Cost by week", tokens: "Tokens by week" }, measure: "Show", splitBy: "Split by", split: { model: "Model", session: "Session", person: "Person" },
    by: { model: "By model", session: "By session", person: "By person" }, other: "Other", unknown: "Unknown model", untitled: "Untitled session", today: "Today",
    table: "Show as table", date: "Date", total: "Total", showAll: (n: number) => `Show all ${n}`, showLess: "Show less", tokensOf: (n: string) => `${n} tokens`,
    leftOut: (n: number) => `${n} smaller entries are not listed. The totals include them.`, utc: "Days are in UTC. Prices are those of the model providers; models on this computer cost nothing.",
    none: "No usage in this period", noneHelp: "What models read and write, and what that costs, will appear here.",
  },
  ko: {
    title: "사용량", period: "기간", periods: { week: "7일", month: "30일", year: "1년" }, whose: "세션 범위", mine: "내 세션", everyone: "전체", exportCsv: "CSV 내보내기",
    cost: "비용", tokens: "토큰", calls: "모델 호출", cache: "캐시에서 읽음",
    up: (percent: string) => `이전 기간보다 ${percent} 증가`, down: (percent: string) => `이전 기간보다 ${percent} 감소`, same: "이전 기간과 같음", noBefore: "아직 비교할 기록이 없습니다",
    inOut: (read: string, written: string) => `입력 ${read}, 출력 ${written}`, ofInput: (some: string, all: string) => `입력 토큰 ${all} 중 ${some}`, noInput: "아직 입력이 없습니다",
    inSessions: (n: number) => `세션 ${n}개`,
    monthBudget: (month: string) => `내 ${month} 예산`, leftOf: (all: string) => `남음 (전체 ${all})`, onCourse: (usd: string, day: string) => `이대로면 ${day}까지 ${usd} 사용 예상`, usedUp: "모두 사용했습니다. 작업을 계속하기 전에 먼저 묻습니다.",
    taskBudget: "작업당 예산", taskBudgetHelp: "하위 작업을 포함합니다. 예산을 넘기 전에 먼저 묻습니다.", noBudget: "제한 없음", noBudgetHelp: "작업당 예산이나 월 예산을 정하면 넘기 전에 먼저 묻습니다.", changeBudget: "변경",
    byDay: { cost: "일별 비용", tokens: "일별 토큰" }, byWeek: { cost: "주별 비용", tokens: "주별 토큰" }, measure: "표시", splitBy: "구분", split: { model: "모델", session: "세션", person: "사람" },
    by: { model: "모델별", session: "세션별", person: "사람별" }, other: "기타", unknown: "알 수 없는 모델", untitled: "제목 없는 세션", today: "오늘",
    table: "표로 보기", date: "날짜", total: "합계", showAll: (n: number) => `${n}개 모두 보기`, showLess: "간단히 보기", tokensOf: (n: string) => `토큰 ${n}`,
    leftOut: (n: number) => `작은 항목 ${n}개는 표시하지 않았습니다. 합계에는 포함됩니다.`, utc: "날짜는 UTC 기준입니다. 가격은 모델 제공자의 가격이며, 이 컴퓨터의 모델은 비용이 없습니다.",
    none: "이 기간에는 사용량이 없습니다", noneHelp: "모델이 읽고 쓴 양과 비용이 여기에 표시됩니다.",
  },
});
