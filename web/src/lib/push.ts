import { client } from "@/app/client";

/** Whether this browser can be pushed to at all. */
export function canPush(): boolean {
  return "serviceWorker" in navigator && "PushManager" in window && isSecureContext;
}

/** On an iPhone only a page on the home screen can be pushed to. */
export function needsHomeScreen(agent = navigator.userAgent, touches = navigator.maxTouchPoints): boolean {
  const apple = /iPhone|iPad/.test(agent) || (/Macintosh/.test(agent) && touches > 1);
  return apple && !matchMedia("(display-mode: standalone)").matches;
}

/** This browser's subscription, once it is known to be in force. */
export async function currentPush(): Promise<PushSubscription | null> {
  await renewing;
  return subscription();
}

async function subscription(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration("/");
  return (await registration?.pushManager.getSubscription()) ?? null;
}

/** What the server made of this browser's subscription, and with which sign-in. */
interface Posted {
  id: string;
  key: string;
}
const storageKey = "clew.push";

export function posted(): Posted | null {
  try {
    return JSON.parse(localStorage.getItem(storageKey) ?? "null") as Posted | null;
  } catch {
    return null;
  }
}

function note(p: Posted | null): void {
  try {
    if (p) localStorage.setItem(storageKey, JSON.stringify(p));
    else localStorage.removeItem(storageKey);
  } catch {
    // then nobody knows here which of the devices this is
  }
}

export class PushRefused extends Error {
  override readonly name = "PushRefused";
}

/** Subscribes this device, and tells the server. Begins with the browser's question, which needs a click. */
export async function startPush(keyId = ""): Promise<void> {
  if ((await Notification.requestPermission()) !== "granted") throw new PushRefused();
  const { public_key } = await client.rest.push.get();
  const made = await subscribe(public_key);
  try {
    await post(made, keyId);
  } catch (e) {
    await made.unsubscribe(); // half a subscription would look like a whole one
    throw e;
  }
}

export async function stopPush(): Promise<void> {
  const here = posted();
  await forget();
  if (here) await client.rest.push.unsubscribe(here.id).catch(() => {}); // without it the server finds out with the next message
}

/**
 * Posts the subscription again, on each load by somebody who is signed in: it
 * renews the server's time, and the browser belongs to whoever came last. One
 * that was removed under the same sign-in, perhaps at another device, stays so.
 */
export function renewPush(keyId = ""): void {
  if (canPush()) renewing = renew(keyId).catch(() => {}); // the next load tries again
}

let renewing: Promise<void> = Promise.resolve();

async function renew(keyId: string): Promise<void> {
  const now = await subscription();
  if (!now) return;
  const { public_key, subscriptions } = await client.rest.push.get();
  const before = posted();
  if (before?.key === keyId && !subscriptions.some((s) => s.id === before.id)) return forget();
  await post(madeFor(now, public_key) ? now : await subscribe(public_key), keyId);
}

async function forget(): Promise<void> {
  await (await subscription())?.unsubscribe();
  note(null);
}

/** A browser has one subscription; one for another server's key is of no use. */
async function subscribe(key: string): Promise<PushSubscription> {
  const { pushManager } = await navigator.serviceWorker.ready;
  const old = await pushManager.getSubscription();
  if (old && !madeFor(old, key)) await old.unsubscribe();
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytesOf(key) });
}

function madeFor(s: PushSubscription, key: string): boolean {
  const has = s.options.applicationServerKey;
  if (!has) return true; // not every browser says
  const wanted = bytesOf(key);
  return has.byteLength === wanted.length && new Uint8Array(has).every((b, i) => b === wanted[i]);
}

async function post(s: PushSubscription, key: string): Promise<void> {
  const { endpoint, keys } = s.toJSON();
  const { id } = await client.rest.push.subscribe({
    endpoint: endpoint!,
    keys: { p256dh: keys!.p256dh!, auth: keys!.auth! },
    name: deviceName(),
  });
  note({ id, key });
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(text, (c) => c.charCodeAt(0));
}

/** A name by which a person knows the device. */
function deviceName(agent = navigator.userAgent): string {
  const browser = /Edg\//.test(agent)
    ? "Edge"
    : /Firefox\//.test(agent)
      ? "Firefox"
      : /Chrome\//.test(agent)
        ? "Chrome"
        : /Safari\//.test(agent)
          ? "Safari"
          : "Browser";
  const system = /iPhone/.test(agent)
    ? "iPhone"
    : /iPad/.test(agent)
      ? "iPad"
      : /Android/.test(agent)
        ? "Android"
        : /Mac OS/.test(agent)
          ? "Mac"
          : /Windows/.test(agent)
            ? "Windows"
            : "Linux";
  return `${browser}, ${system}`;
}
