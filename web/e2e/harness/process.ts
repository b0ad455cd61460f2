import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";

/** A program that says when it is ready, and on which address. */
export class Program {
  /** What it wrote, both streams. */
  output = "";
  readonly #child: ChildProcess;
  readonly #gone: Promise<unknown>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#gone = once(child, "exit");
    child.stdout!.setEncoding("utf8").on("data", (text: string) => (this.output += text));
    child.stderr!.setEncoding("utf8").on("data", (text: string) => (this.output += text));
  }

  /** Starts it and waits for its line "NAME: ready ADDRESS". */
  static async start(file: string, args: string[], env: NodeJS.ProcessEnv): Promise<{ program: Program; url: string }> {
    const child = spawn(file, args, { env, stdio: ["pipe", "pipe", "pipe"] });
    const program = new Program(child);
    const url = await new Promise<string>((done, fail) => {
      const timer = setTimeout(() => fail(new Error(`${file} was not ready in time:\n${program.output}`)), 60_000);
      const look = () => {
        const found = /: ready (\S+)/.exec(program.output);
        if (!found) return;
        clearTimeout(timer);
        child.stdout!.off("data", look);
        done(found[1]!);
      };
      child.stdout!.on("data", look);
      child.once("error", fail);
      child.once("exit", (code) => {
        clearTimeout(timer);
        fail(new Error(`${file} ended with ${code} before it was ready:\n${program.output}`));
      });
    }).catch((e: unknown) => {
      child.kill("SIGKILL");
      throw e;
    });
    return { program, url };
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Kills it -9; returns when it is gone. */
  async kill(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill("SIGKILL");
      await this.#gone;
    }
  }
}
