/// <reference lib="webworker" />
import type { Noted } from "./app/worker";
import { pushWords } from "./sw_words";

// The service worker: keeps the page's own files, so that it opens without a
// network, and shows push notifications. It never touches /api or /ws.
const worker = self as unknown as ServiceWorkerGlobalScope;

// The build writes these at the top of the file.
declare const __BUILD__: string; // its name
declare const __FILES__: string[]; // what its pages are made of

const cacheName = `clew-${__BUILD__}`;
/** Pages of older builds may be open and still need their files. */
const keptBuilds = 3;
/** How long a page is waited for before it comes from the cache: a phone's network may hang. */
const patienceMs = 5_000;

worker.addEventListener("install", (e) => {
  const files = ["/", "/icon.svg", "/icon-192.png", "/badge-96.png", ...__FILES__];
  e.waitUntil(
    caches
      .open(cacheName)
      .then((c) => c.addAll(files))
      .then(() => worker.skipWaiting()),
  );
});

// A page that is open goes on as it is. It is told which build is here, and asks
// its person.
worker.addEventListener("activate", (e) => {
  e.waitUntil(
    (async () => {
      const others = (await caches.keys()).filter((n) => n.startsWith("clew-") && n !== cacheName);
      await Promise.all(others.slice(0, 1 - keptBuilds).map((n) => caches.delete(n)));
      await worker.clients.claim();
      for (const page of await worker.clients.matchAll({ type: "window" }))
        page.postMessage({ kind: "build", build: __BUILD__ });
    })(),
  );
});

/** The addresses of the UI. Others, such as downloads and answer links, are none of ours. */
const ours = /^\/($|(sign-in|inbox|history|mcp|design)$|(settings|admin)(\/|$)|s\/)/;

worker.addEventListener("fetch", (e) => {
  const url = new URL(e.request.url);
  if (e.request.method !== "GET" || url.origin !== location.origin) return;
  if (e.request.mode === "navigate" && ours.test(url.pathname)) e.respondWith(page(e.request));
  else if (url.pathname.startsWith("/assets/")) e.respondWith(asset(e.request));
});

/** The network first: a new build is seen at once. The page serves every path. */
async function page(request: Request): Promise<Response> {
  const fetched = fetch(request);
  const late = new Promise<undefined>((done) => setTimeout(done, patienceMs));
  const fresh = await Promise.race([fetched.catch(() => undefined), late]);
  // A proxy whose server is away has a page of its own; ours says more.
  if (fresh && ![502, 503, 504].includes(fresh.status)) return fresh;
  return (await caches.match("/", { cacheName })) ?? fresh ?? fetched;
}

/** Names of assets carry a hash, so what is in any cache is right. */
async function asset(request: Request): Promise<Response> {
  return (await caches.match(request)) ?? fetch(request);
}

/** What the server pushes: never a command, a file's name or a model's words. */
interface Pushed {
  kind: "question" | "settled" | "test";
  request_id?: string;
  session_id?: string;
  title?: string;
  asks?: string;
  inbox?: number;
}

worker.addEventListener("push", (e) => e.waitUntil(pushed(read(e.data))));

/** Browsers want every message shown, so one that is not understood is shown, too. */
function read(data: PushMessageData | null): Pushed {
  try {
    return data!.json() as Pushed;
  } catch {
    return { kind: "question" };
  }
}

async function pushed(p: Pushed): Promise<void> {
  const badge = navigator as { setAppBadge?: (n: number) => Promise<void> };
  if (p.inbox !== undefined) await badge.setAppBadge?.(p.inbox).catch(() => {}); // a number more or less
  const t = pushWords[await language()];
  const tag = p.request_id ?? p.kind;
  const before = (await worker.registration.getNotifications({ tag }))[0];
  const pages = await worker.clients.matchAll({ type: "window" });
  const inSight = pages.some((c) => c.visibilityState === "visible");
  const body = p.kind === "test" ? t.test : p.kind === "settled" ? t.settled : (t.asks[p.asks ?? ""] ?? t.answer);
  await worker.registration.showNotification(p.title || before?.title || "clew", {
    body,
    tag,
    icon: "/icon-192.png",
    badge: "/badge-96.png",
    silent: p.kind === "settled" || (p.kind === "question" && inSight), // a page that is seen tells it itself
    requireInteraction: p.kind === "question",
    data: {
      url: p.session_id ? addressOf(p.session_id, p.request_id) : (notedIn(before)?.url ?? "/inbox"),
      at: Date.now(),
      settled: p.kind === "settled",
    } satisfies Noted,
  });
  // Only beside a page that is seen may nothing be left of a message.
  if (p.kind === "settled" && inSight) for (const n of await worker.registration.getNotifications({ tag })) n.close();
}

function notedIn(n: Notification | undefined): Noted | undefined {
  return n?.data as Noted | undefined;
}

function addressOf(session: string, request = ""): string {
  return `/s/${encodeURIComponent(session)}?question=${encodeURIComponent(request)}`;
}

/** The page notes here what language its person chose. */
async function language(): Promise<"en" | "ko"> {
  const noted = await (await caches.match("/language", { cacheName: "clew.prefs" }))?.text();
  return (noted ?? navigator.language ?? "").toLowerCase().startsWith("ko") ? "ko" : "en";
}

// One tap opens the question: in a page that is open, or in a new one.
worker.addEventListener("notificationclick", (e) => {
  e.notification.close();
  e.waitUntil(lead(notedIn(e.notification)?.url ?? "/inbox"));
});

async function lead(to: string): Promise<void> {
  const all = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  const pages = all.filter((c) => ours.test(new URL(c.url).pathname));
  const there = new URL(to, location.origin).pathname;
  const nearest =
    pages.find((c) => new URL(c.url).pathname === there) ??
    pages.find((c) => c.visibilityState === "visible") ??
    pages[0];
  const focused = await nearest?.focus().catch(() => undefined);
  if (focused) focused.postMessage({ kind: "go", url: to });
  else await worker.clients.openWindow(to);
}

// The browser replaced its subscription: the server hears of the new one now, and
// not when somebody opens a page some day.
interface SubscriptionChange extends ExtendableEvent {
  readonly oldSubscription?: PushSubscription | null;
  readonly newSubscription?: PushSubscription | null;
}
worker.addEventListener("pushsubscriptionchange", (event) => {
  const e = event as SubscriptionChange;
  e.waitUntil(
    (async () => {
      const options = e.oldSubscription?.options;
      const next = e.newSubscription ?? (options ? await worker.registration.pushManager.subscribe(options) : null);
      if (next)
        await fetch("/api/v1/push", {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify(next),
        });
    })(),
  );
});
