import { appendFileSync } from "node:fs";

// What the configurations of vitest here and in web/ share. vitest is not imported: either
// directory is used without the packages of the other.

interface Problem {
  message: string;
  cause?: unknown;
  stacks?: { file: string; line: number }[];
}

interface Module {
  moduleId: string;
  relativeModuleId: string;
  project: { name: string };
  diagnostic(): Record<
    "environmentSetupDuration" | "prepareDuration" | "collectDuration" | "setupDuration" | "duration",
    number
  >;
}

interface Case {
  fullName: string;
  module: Module;
  diagnostic(): { flaky: boolean } | undefined;
  result(): { errors?: readonly Problem[] };
}

/** A shared machine may stall for seconds; what fails three times is broken. */
export const retry = process.env.CI ? Number(process.env.CI_RETRIES ?? 2) : 0; // make steady retries nothing

/**
 * Tells of tests that failed and passed when they were tried again: their first failure
 * may have seen a defect. Appends each to the file that CLEW_FLAKY names, as a line of JSON.
 */
export class Flaky {
  readonly #suite: (project: string) => string;

  /** The suite of a project of vitest. */
  constructor(suite: (project: string) => string) {
    this.#suite = suite;
  }

  onTestCaseResult(test: Case): void {
    const first = test.diagnostic()?.flaky ? test.result().errors?.[0] : undefined;
    if (!first) return;
    const name = `${test.module.relativeModuleId} > ${test.fullName}`;
    const output = told(first, test.module.moduleId);
    console.log(`flaky: ${name}\n  ${output.replaceAll("\n", "\n  ")}`);
    append(
      process.env.CLEW_FLAKY,
      JSON.stringify({ suite: this.#suite(test.module.project.name), test: name, output }),
    );
  }
}

/** The message, what it was caused by, and the line of the test. */
function told(problem: Problem, file: string): string {
  const cause = problem.cause as { message?: string } | undefined; // what until threw last
  const at = problem.stacks?.find((s) => s.file === file) ?? problem.stacks?.[0];
  return [problem.message, cause?.message, at && `${at.file}:${at.line}`].filter(Boolean).join("\n");
}

/** Appends how long each file took, in seconds, to the file that CLEW_TIMINGS names. */
export class Timings {
  readonly #suite: (project: string) => string;

  constructor(suite: (project: string) => string) {
    this.#suite = suite;
  }

  onTestModuleEnd(module: Module): void {
    const d = module.diagnostic();
    const ms = d.environmentSetupDuration + d.prepareDuration + d.collectDuration + d.setupDuration + d.duration;
    append(
      process.env.CLEW_TIMINGS,
      `${this.#suite(module.project.name)}\t${module.relativeModuleId}\t${(ms / 1000).toFixed(1)}`,
    );
  }
}

function append(file: string | undefined, line: string): void {
  if (file) appendFileSync(file, `${line}\n`);
}
