interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): unknown };
}

/** Starts a worker of ours. Browsers with Trusted Types want its address to come from a policy. */
export function startWorker(address: string): Worker {
  const types = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes;
  const url = types?.createPolicy("clew", { createScriptURL: (u) => u }).createScriptURL(address) ?? address;
  return new Worker(url as string, { type: "module" });
}
