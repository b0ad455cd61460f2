import type { BrowserContext, Page, Worker } from "playwright-core";
import { until } from "../harness";

export interface Shown {
  title: string;
  body: string;
  tag: string;
  silent: boolean | null;
}

interface Noted {
  badges: number[];
  opened: string[];
  focused: string[];
}

/** The service worker of a browser, and what only a person or a push service could do to it. */
export class WorkerHand {
  readonly worker: Worker;

  private constructor(worker: Worker) {
    this.worker = worker;
  }

  static async of(context: BrowserContext): Promise<WorkerHand> {
    const worker = await until("the service worker", () => context.serviceWorkers()[0]);
    await until("it runs", () =>
      worker.evaluate(() => (self as unknown as ServiceWorkerGlobalScope).registration.active?.state === "activated"),
    );
    // Nobody taps here, so the browser would let no window be opened or focused;
    // and nobody could read a badge. What is asked for is noted instead.
    await worker.evaluate(() => {
      const scope = self as unknown as ServiceWorkerGlobalScope & { noted: Noted };
      if (scope.noted) return;
      const noted: Noted = (scope.noted = { badges: [], opened: [], focused: [] });
      scope.clients.openWindow = async (url) => (noted.opened.push(String(url)), null);
      WindowClient.prototype.focus = async function (this: WindowClient) {
        noted.focused.push(this.url);
        return this;
      };
      (navigator as unknown as { setAppBadge(n: number): Promise<void> }).setAppBadge = async (n) =>
        void noted.badges.push(n);
    });
    return new WorkerHand(worker);
  }

  /** Delivers a push message, as the browser does when its push service has one. */
  async deliver(page: Page, origin: string, data: string): Promise<void> {
    const cdp = await page.context().newCDPSession(page);
    const registered = new Promise<string>((done) => {
      cdp.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
        const own = registrations.find((r) => r.scopeURL === `${origin}/` && !r.isDeleted);
        if (own) done(own.registrationId);
      });
    });
    await cdp.send("ServiceWorker.enable");
    await cdp.send("ServiceWorker.deliverPushMessage", { origin, registrationId: await registered, data });
    await cdp.detach();
  }

  async shown(): Promise<Shown[]> {
    return this.worker.evaluate(async () => {
      const all = await (self as unknown as ServiceWorkerGlobalScope).registration.getNotifications();
      return all.map((n) => ({ title: n.title, body: n.body, tag: n.tag, silent: n.silent }));
    });
  }

  /** Everything that a notification holds, for words that must not be in it. */
  async everything(): Promise<string> {
    return this.worker.evaluate(async () => {
      const all = await (self as unknown as ServiceWorkerGlobalScope).registration.getNotifications();
      return JSON.stringify(all.map((n) => [n.title, n.body, n.tag, n.icon, n.data]));
    });
  }

  /** Taps a notification. */
  async tap(tag: string): Promise<void> {
    await this.worker.evaluate(async (tag) => {
      const scope = self as unknown as ServiceWorkerGlobalScope;
      const [notification] = await scope.registration.getNotifications({ tag });
      if (!notification) throw new Error(`no notification ${tag}`);
      scope.dispatchEvent(new NotificationEvent("notificationclick", { notification }));
    }, tag);
  }

  async noted(): Promise<Noted> {
    return this.worker.evaluate(() => (self as unknown as { noted: Noted }).noted);
  }
}
