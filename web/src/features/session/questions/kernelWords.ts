import type { KernelQuestion } from "@clew-run/client";
import { words } from "@/i18n";

/** How long cells took, to the second. */
function seconds(ms: number, lang: "en" | "ko"): string {
  const s = Math.round(ms / 1000);
  const m = Math.floor(s / 60);
  if (lang === "ko") return s < 1 ? "1초 미만" : m ? `${m}분 ${s % 60}초` : `${s}초`;
  return s < 1 ? "less than a second" : m ? `${m} min ${s % 60} s` : `${s} s`;
}

/** The question what becomes of a kernel; the words of all questions are in every page's first load. */
export const kernelWords = words({
  en: {
    about: (k: KernelQuestion) =>
      `The kernel has run cells after this point. ${k.cells === 0 ? "Nothing ran before them." : `${k.cells === 1 ? "One cell" : `${k.cells} cells`} ran before them and took ${seconds(k.duration_ms, "en")}.`} ${k.files ? "Running them again leaves your files as they are now." : "If cells write files or use the network, running them again does so again."}`,
    choices: {
      rerun: "Run the cells again in a fresh kernel",
      fresh: "Start a fresh, empty kernel",
      keep: "Keep the kernel as it is",
    } as Record<string, string>,
  },
  ko: {
    about: (k: KernelQuestion) =>
      `되돌린 셀을 커널이 이미 실행했습니다. ${k.cells === 0 ? "그 전에 실행한 셀은 없습니다." : `그 전에 셀 ${k.cells}개를 실행했고 ${seconds(k.duration_ms, "ko")} 걸렸습니다.`} ${k.files ? "다시 실행해도 파일은 지금 그대로 남습니다." : "셀이 파일을 쓰거나 네트워크를 쓰면, 다시 실행할 때도 그렇게 합니다."}`,
    choices: {
      rerun: "새 커널에서 셀을 다시 실행",
      fresh: "비어 있는 새 커널 시작",
      keep: "커널을 그대로 두기",
    } as Record<string, string>,
  },
});
