import { Program } from "./process";

/** The scripted model; docs/scripted-model.md has its language. */
export class Model {
  readonly url: string;
  readonly #program: Program;

  private constructor(program: Program, url: string) {
    this.#program = program;
    this.url = url;
  }

  static async start(file: string): Promise<Model> {
    const { program, url } = await Program.start(file, [], process.env);
    return new Model(program, url);
  }

  /**
   * Plays a script from now on: YAML, or steps as objects. A `delay` of an hour
   * or more lasts until `release`.
   */
  async script(steps: string | object[]): Promise<void> {
    await this.#control("POST", "hold");
    await this.#control("PUT", "script", typeof steps === "string" ? steps : JSON.stringify(steps));
  }

  /** Lets waits of an hour go on, those to come as well. */
  async release(): Promise<void> {
    await this.#control("POST", "release");
  }

  /** Lets waits of an hour that begin from now on wait again. */
  async hold(): Promise<void> {
    await this.#control("POST", "hold");
  }

  /** Opens a gate of the script (`wait: name`), for who waits there and who comes later. */
  async open(name: string): Promise<void> {
    await this.#control("POST", `open/${encodeURIComponent(name)}`);
  }

  /** How many requests came since the script was set, and why some were refused. */
  async requests(): Promise<{ requests: number; problems: string[] }> {
    return (await this.#control("GET", "requests")).json() as Promise<{ requests: number; problems: string[] }>;
  }

  async stop(): Promise<void> {
    await this.#program.kill();
  }

  async #control(method: string, what: string, body?: string): Promise<Response> {
    const answer = await fetch(`${this.url}/control/${what}`, { method, body });
    if (!answer.ok) throw new Error(`the script: ${await answer.text()}`);
    return answer;
  }
}

/** A text for a script as it is, though it may look like a template. */
export const literal = (text: string): string => text.replaceAll("{{", '{{"{{"}}');
