export { barriers } from "./axe";
export { literal } from "./model";
export { inTurn, nightly, opposite, size, tried } from "./nightly";
export { expect, test } from "./test";
export { screenshots } from "./shots";
export { soonMs, until } from "./until";
export { live, shown, told } from "./transcript";
export { Visitor, type VisitorOptions } from "./visitor";
export { World, type WorldOptions } from "./world";
