/** Within this distance of the end the view goes along; beyond it, it holds. */
export const followWithin = 80;

export interface FollowState {
  /** False while somebody reads further up. */
  following: boolean;
  /** The last row that was there when the view stopped to follow. */
  seen: string | null;
}

export const atStart: FollowState = { following: true, seen: null };

/** The view was scrolled, or its content grew: does it follow or hold? */
export function scrolled(state: FollowState, distanceFromEnd: number, lastKey: string | null): FollowState {
  const following = distanceFromEnd <= followWithin;
  if (following) return state.following ? state : atStart;
  return state.following ? { following: false, seen: lastKey } : state;
}

/** Somebody unfolds something: what they look at stays where it is, though the end moves away. */
export function held(state: FollowState, lastKey: string | null): FollowState {
  return state.following ? { following: false, seen: lastKey } : state;
}

/** How many rows came since the view holds. */
export function newSince(state: FollowState, keys: readonly { key: string }[]): number {
  if (state.following || state.seen === null) return 0;
  for (let i = keys.length - 1, n = 0; i >= 0; i--, n++) if (keys[i]!.key === state.seen) return n;
  return 0; // what was seen last was taken back
}
