import { navigate } from "wouter/use-browser-location";
import { wordsNow } from "@/i18n";
import { renewPush } from "@/lib/push";
import { useAccount } from "./account";
import { notify } from "./notices";
import { usePrefs } from "./prefs";
import { appWords } from "./words";

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string };
}

/** Our one script URL, said to be ours where the browser wants that said. */
function ownScript(url: "/sw.js"): string {
  const types = (window as { trustedTypes?: TrustedTypes }).trustedTypes;
  return types ? types.createPolicy("clew", { createScriptURL: (u) => u }).createScriptURL(url) : url;
}

const lookEveryMs = 30 * 60_000;

/** Starts the service worker, and hears what it says. */
export function startServiceWorker(): void {
  if (!("serviceWorker" in navigator) || import.meta.env.DEV) return;
  navigator.serviceWorker.addEventListener("message", (e: MessageEvent<Told>) => heard(e.data));
  void navigator.serviceWorker.register(ownScript("/sw.js")).then(
    (registration) => {
      // A page may be open for weeks: look for a new build now and then.
      let looked = Date.now();
      const look = () => {
        if (document.hidden || Date.now() - looked < lookEveryMs) return;
        looked = Date.now();
        void registration.update().catch(() => {});
      };
      setInterval(look, lookEveryMs);
      document.addEventListener("visibilitychange", look);
      noteLanguage();
      usePrefs.subscribe((now, before) => now.language !== before.language && noteLanguage());
    },
    () => {},
  ); // without one the page works all the same
  const renew = () => {
    const { account } = useAccount.getState();
    if (account.state === "in") renewPush(account.me.key_id);
  };
  renew();
  useAccount.subscribe((now, before) => now.account.state !== before.account.state && renew());
}

type Told = { kind: "build"; build: string } | { kind: "go"; url: string } | undefined;

let offered = "";

function heard(told: Told): void {
  if (told?.kind === "go") {
    // A notification was tapped. This counts before somebody has signed in, too.
    if (/^\/(?!\/)/.test(told.url)) navigate(told.url);
  } else if (told?.kind === "build") {
    const mine = document.querySelector<HTMLMetaElement>("meta[name=build]")?.content;
    if (told.build === mine || told.build === offered) return;
    offered = told.build;
    const t = wordsNow(appWords);
    notify({ tone: "run", text: t.newVersion, stays: true, action: { label: t.update, run: () => location.reload() } });
  }
}

/** Notifications come when no page is open, and then speak the language chosen here. */
function noteLanguage(): void {
  void caches
    .open("clew.prefs")
    .then((c) => c.put("/language", new Response(usePrefs.getState().language)))
    .catch(() => {});
}

/** What a notification carries along. */
export interface Noted {
  /** Where it leads. */
  url: string;
  /** When it was shown. */
  at: number;
  settled: boolean;
}

/** Whether this person wants notifications of the page and does not look at it. */
export function mayNotify(): boolean {
  return (
    document.hidden && usePrefs.getState().notify && "Notification" in window && Notification.permission === "granted"
  );
}

/** Shows a notification of the page. With push on, the service worker does it for what the server pushes. */
export async function notifyOutside(title: string, tag: string, url: string, pushed = true): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration("/");
  if (!registration || (pushed && (await registration.pushManager?.getSubscription()))) return;
  await registration.showNotification(title, {
    tag,
    data: { url, at: Date.now(), settled: false } satisfies Noted,
    icon: "/icon-192.png",
    badge: "/badge-96.png",
  });
}

/** A push may be faster than the feed: what was shown just now may be news to the page. */
const newsForMs = 20_000;

/** Takes away notifications of questions that are open no more. */
export async function closeSettled(open: ReadonlySet<string>): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration("/");
  for (const n of (await registration?.getNotifications()) ?? []) {
    const noted = n.data as Noted | undefined;
    if (!open.has(n.tag) && (noted?.settled || Date.now() - (noted?.at ?? 0) > newsForMs)) n.close();
  }
}
