export { PlanPanel } from "./PlanPanel";
export { PlanProgress } from "./PlanProgress";
