import { ClewError } from "@clew-run/client";
import { create } from "zustand";
import { client } from "./client";
import { notifyError } from "./notices";

type Me = Awaited<ReturnType<typeof client.rest.me>>;

/**
 * Who is signed in. `away` says that the server could not be reached, which is
 * no reason to ask for a token.
 */
export type Account =
  | { state: "asking" }
  | { state: "in"; me: Me }
  | {
      state: "out";
      problem?: string;
      /** What was given is not known to the server. */ wrong?: boolean;
      /** Somebody was signed in until now. */ ended?: boolean;
      /** The problem is of a link, and not of what was typed. */ link?: boolean;
    }
  | { state: "away" };

export const useAccount = create<{ account: Account }>(() => ({ account: { state: "asking" } }));

/** Who is signed in, null before that is known. */
export function useMe(): Me | null {
  return useAccount((s) => (s.account.state === "in" ? s.account.me : null));
}

/** Whether the one who is signed in may begin sessions: viewers and approvers come to those of others. */
export function useMayStart(): boolean {
  const role = useMe()?.role;
  return role === "owner" || role === "admin";
}

const set = (account: Account) => useAccount.setState({ account });

/** Takes what a link brought in its fragment, and takes it out of the address at once. */
function fromFragment(): { ticket: string } | { token: string } | null {
  const given = new URLSearchParams(location.hash.slice(1));
  const ticket = given.get("ticket");
  const token = given.get("token");
  if (!ticket && !token) return null;
  history.replaceState(null, "", location.pathname + location.search);
  return ticket ? { ticket } : { token: token! };
}

async function look(): Promise<Account> {
  try {
    return { state: "in", me: await client.rest.me() };
  } catch (e) {
    if (e instanceof ClewError && (e.status === 401 || e.status === 403)) return { state: "out" };
    return { state: "away" };
  }
}

export async function signIn(credentials: { ticket: string } | { token: string }): Promise<void> {
  try {
    await client.rest.signIn(credentials);
    set(await look());
  } catch (e) {
    if (e instanceof ClewError && e.code === "CONNECTION_FAILED") return set({ state: "away" });
    // A used ticket in the address of a page that is signed in already is no error;
    // one of somebody else is said so.
    const now = await look();
    if (now.state === "in" && e instanceof ClewError && e.code === "FORBIDDEN") notifyError(e);
    set(
      now.state === "out"
        ? { state: "out", problem: (e as Error).message, wrong: used(e), link: "ticket" in credentials && used(e) }
        : now,
    );
  }
}

/** A ticket that is no good is refused like any wrong token; a busy server refuses in another way. */
function used(e: unknown): boolean {
  return e instanceof ClewError && (e.status === 400 || e.status === 401 || e.status === 403);
}

/** Finds out who is here; called when the page opens and after a silence. */
export async function findAccount(): Promise<void> {
  const given = fromFragment();
  if (given) return signIn(given);
  set(await look());
}

export async function signOut(): Promise<void> {
  await client.rest.signOut();
  set({ state: "out" });
}

/** A line broke. If it did because the key was taken back, or is too old, the sign-in page takes over. */
export async function stillSignedIn(): Promise<void> {
  const now = await look();
  if (now.state === "out" && useAccount.getState().account.state === "in") set({ state: "out", ended: true });
}
