import type { Browser, BrowserContext, ConsoleMessage, Page } from "playwright-core";
import { soonMs } from "./until";
import type { World } from "./world";

export const desktop = { width: 1440, height: 900 };
export const phone = { width: 390, height: 844 };

export interface VisitorOptions {
  /** Where to begin; "/" if left out. */
  path?: string;
  /** Not signed in. */
  stranger?: boolean;
  size?: { width: number; height: number };
  /** As a phone: touch, coarse pointer, narrow. */
  phone?: boolean;
  /** Pixels of a picture for each one of the page; 1 if left out. */
  scale?: number;
  prefs?: Record<string, unknown>;
  reducedMotion?: boolean;
  /** Service workers are off if left out, so that tests see every request. */
  serviceWorker?: boolean;
  /** Runs before the page's own scripts. */
  before?: string;
}

/**
 * Somebody with a browser of their own. Whatever goes wrong in it (errors in the
 * console, exceptions, breaches of the content policy, requests to elsewhere) is
 * kept, and fails the test unless it was allowed.
 */
export class Visitor {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly #world: World;
  readonly #problems: string[] = [];
  readonly #allowed: RegExp[] = [];

  private constructor(world: World, context: BrowserContext, page: Page) {
    this.#world = world;
    this.context = context;
    this.page = page;
    context.on("page", (p) => this.#guard(p));
    this.#guard(page);
  }

  static async arrive(browser: Browser, world: World, o: VisitorOptions = {}): Promise<Visitor> {
    const context = await browser.newContext({
      baseURL: world.url,
      viewport: o.size ?? (o.phone ? phone : desktop),
      locale: "en-US",
      timezoneId: "UTC",
      hasTouch: o.phone,
      isMobile: o.phone,
      deviceScaleFactor: o.scale,
      colorScheme: "light",
      reducedMotion: o.reducedMotion ? "reduce" : "no-preference",
    });
    context.setDefaultTimeout(soonMs);
    await context.addInitScript(watch);
    if (!o.serviceWorker) await context.addInitScript("delete Navigator.prototype.serviceWorker");
    if (o.prefs)
      await context.addInitScript(
        `if (!localStorage.getItem("clew.prefs")) localStorage.setItem("clew.prefs", ${JSON.stringify(JSON.stringify(o.prefs))})`,
      );
    if (o.before) await context.addInitScript(o.before);
    const visitor = new Visitor(world, context, await context.newPage());
    if (!o.stranger) await visitor.#signIn();
    await visitor.page.goto(o.path ?? "/");
    return visitor;
  }

  /** Lets problems pass that look like this. */
  allow(pattern: RegExp): void {
    this.#allowed.push(pattern);
  }

  /** What went wrong so far and was not allowed. */
  problems(): string[] {
    // Requests that fail because the server is away are told in the console by
    // the browser; that is no fault of the page.
    const lost = /net::ERR_|WebSocket connection to .* failed|status of 50[0-9]/;
    return this.#problems.filter(
      (p) => !(this.#world.line.everBad && lost.test(p)) && !this.#allowed.some((a) => a.test(p)),
    );
  }

  async leave(): Promise<void> {
    await this.context.close();
  }

  /** The way of `clew open`: a ticket for the cookie. */
  async #signIn(): Promise<void> {
    const { ticket } = await this.#world.rest.ticket();
    const answer = await this.context.request.post("/api/v1/sign-in", {
      data: { ticket },
      headers: { Origin: this.#world.url },
    });
    if (!answer.ok()) throw new Error(`sign-in: ${answer.status()} ${await answer.text()}`);
  }

  #guard(page: Page): void {
    page.on("console", (m) => {
      if (m.type() === "error" && !expected(m)) this.#problems.push(`console: ${m.text()} (${m.location().url})`);
    });
    page.on("pageerror", (e) => this.#problems.push(`exception: ${e.stack ?? e.message}`));
    page.on("request", (r) => this.#own(r.url()));
    page.on("websocket", (w) => this.#own(w.url()));
    page.on("dialog", (d) => {
      this.#problems.push(`dialog: ${d.message()}`);
      void d.dismiss().catch(() => {});
    });
    page.on("crash", () => this.#problems.push("the page crashed"));
  }

  #own(url: string): void {
    const home = new URL(this.#world.url).host;
    const { protocol, host } = new URL(url);
    if (protocol !== "data:" && protocol !== "blob:" && host !== home)
      this.#problems.push(`request to elsewhere: ${url}`);
  }
}

/** Who is not signed in is told so by 401, which the browser puts in the console. */
function expected(m: ConsoleMessage): boolean {
  return /status of 401/.test(m.text()) && m.location().url.endsWith("/api/v1/me");
}

/** Tells of breaches of the content policy also where the browser would only warn. */
const watch = `
  document.addEventListener("securitypolicyviolation", (e) =>
    console.error("content policy: " + e.violatedDirective + " " + e.blockedURI + " " + e.sample));
`;
