export * from "./Bits";
export * from "./Button";
export * from "./cx";
export * from "./Dialog";
export * from "./Field";
export * from "./Mark";
export * from "./Menu";
export * from "./Tabs";
