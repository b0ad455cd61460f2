import type { PolicyCode } from "@clew-run/client";
import { words } from "@/i18n";

type Args = Partial<Record<string, string>>;

const groupsEn: Args = {
  read: "reading needs approval",
  edit: "changing files needs approval",
  fetch: "fetching from the web needs approval",
  command: "commands need approval",
  stop: "stopping a command needs approval",
  mcp: "tools of tool servers need approval",
};
const groupsKo: Args = {
  read: "설정에서 읽기를 자동으로 허용하지 않습니다",
  edit: "설정에서 파일 변경을 자동으로 허용하지 않습니다",
  fetch: "설정에서 웹 가져오기를 자동으로 허용하지 않습니다",
  command: "설정에서 명령을 자동으로 허용하지 않습니다",
  stop: "설정에서 명령 중지를 자동으로 허용하지 않습니다",
  mcp: "설정에서 도구 서버를 자동으로 허용하지 않습니다",
};

/** Why something is asked, by the server's code. */
export const whyReasons = words({
  en: {
    because: "Asked because",
    reasons: {
      auto_approval_off: () => "auto-approval is off",
      directory_untrusted: () => "this directory is not trusted yet",
      protected: () => "it touches something protected",
      not_read_only: () => "the tool does more than read",
      group_off: (a) => groupsEn[a.group ?? ""] ?? "it needs approval",
      no_setting: () => "no setting allows this tool",
      tool_not_allowed: () => "you have not allowed this tool, or it has changed since",
      hidden_text: () => "the command holds characters that the eye would miss",
      unreadable: () => "the command line cannot be understood",
      other_shell: () => "bash does not run it as it stands",
      sets_variable: (a) => `it sets ${a.name}`,
      maybe_forbidden: (a) => `it may be a forbidden command, “${a.pattern}”`,
      changed_program: (a) => `the workspace may have turned ${a.program} into another program`,
      unknown_line: () => "no rule covers such a line",
      runs_others: (a) => `${a.program} runs or changes other commands: only the exact line can be allowed`,
      reads_input: (a) => `${a.program} would run what it is given as input`,
      no_rule: (a) => `no rule allows ${a.program}`,
      risky_argument: (a) => `the rule “${a.pattern}” does not cover these arguments`,
      rule_too_wide: (a) =>
        `the remembered rule “${a.pattern}” no longer counts: ${a.program} can run anything, so only the exact line can be remembered`,
      changed_since_approved: () => "it changed since it was approved",
      mistakes: (a) => `the agent made ${a.count} mistakes in a row`,
      requests: (a) => `${a.count} calls ran without asking`,
      budget: () => "the budget is not enough",
    } satisfies Record<PolicyCode, (args: Args) => string> as Partial<Record<PolicyCode, (args: Args) => string>>,
  },
  ko: {
    because: "묻는 이유:",
    reasons: {
      auto_approval_off: () => "자동 허용이 꺼져 있어 모두 묻습니다",
      directory_untrusted: () => "아직 신뢰하지 않는 디렉터리입니다",
      protected: () => "보호된 것을 건드립니다",
      not_read_only: () => "읽기만 하는 도구가 아닙니다",
      group_off: (a) => groupsKo[a.group ?? ""] ?? "설정에서 자동으로 허용하지 않습니다",
      no_setting: () => "이 도구를 허용하는 설정이 없습니다",
      tool_not_allowed: () => "허용하지 않았거나 그 뒤에 바뀐 도구입니다",
      hidden_text: () => "눈에 띄지 않는 문자가 든 명령입니다",
      unreadable: () => "명령을 해석할 수 없습니다",
      other_shell: () => "bash는 이대로 실행하지 않습니다",
      sets_variable: (a) => `환경 변수를 바꿉니다: ${a.name}`,
      maybe_forbidden: (a) => `금지된 명령일 수 있습니다: “${a.pattern}”`,
      changed_program: (a) => `작업 폴더에서 다른 프로그램으로 바뀌었을 수 있습니다: ${a.program}`,
      unknown_line: () => "이런 명령을 다루는 규칙이 없습니다",
      runs_others: (a) => `다른 명령을 실행하거나 바꾸므로 똑같은 명령만 허용할 수 있습니다: ${a.program}`,
      reads_input: (a) => `입력받은 것을 실행하게 됩니다: ${a.program}`,
      no_rule: (a) => `허용하는 규칙이 없습니다: ${a.program}`,
      risky_argument: (a) => `규칙 “${a.pattern}”이(가) 이 인수까지 허용하지는 않습니다`,
      rule_too_wide: (a) =>
        `기억한 규칙 “${a.pattern}”은(는) 이제 쓰이지 않습니다. 무엇이든 실행할 수 있으므로 똑같은 명령만 기억할 수 있습니다: ${a.program}`,
      changed_since_approved: () => "승인한 뒤에 바뀌었습니다",
      mistakes: (a) => `에이전트가 연달아 ${a.count}번 실수했습니다`,
      requests: (a) => `${a.count}번을 묻지 않고 실행했습니다`,
      budget: () => "예산이 부족합니다",
    },
  },
});

/** Why something is asked, in the words of the page; the server's own where it gives no code that is known here. */
export function whyWords(
  t: (typeof whyReasons)["en"],
  q: { why?: string; why_code?: PolicyCode; why_args?: Args },
): string | undefined {
  const reason = q.why_code === undefined ? undefined : t.reasons[q.why_code];
  const said = reason ? reason(q.why_args ?? {}) : q.why;
  return said && `${t.because} ${said}`;
}
