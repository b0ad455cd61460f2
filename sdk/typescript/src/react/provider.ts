import { createContext, createElement, useContext, type ReactNode } from "react";
import { ClewClient } from "../client.js";

const Context = createContext<ClewClient | null>(null);

/** Gives a client to all below it. */
export function ClewProvider(props: { client: ClewClient; children?: ReactNode }): ReactNode {
  return createElement(Context.Provider, { value: props.client }, props.children);
}

/** The client of the nearest ClewProvider. */
export function useClew(): ClewClient {
  const client = useContext(Context);
  if (!client) throw new Error("useClew needs a ClewProvider above it");
  return client;
}

let ownClient: ClewClient | undefined;

/** The client of the nearest ClewProvider, else one for the page's own server. */
export function useClewOrOwn(): ClewClient {
  return useContext(Context) ?? (ownClient ??= new ClewClient());
}
