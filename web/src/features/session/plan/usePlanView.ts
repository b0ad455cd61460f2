import { useState } from "react";

export type PlanViewName = "list" | "graph";
const key = "clew.plan.view";

/** List or graph, remembered in this browser. The list comes first: it is for everybody. */
export function usePlanView(): [PlanViewName, (v: PlanViewName) => void] {
  const [view, setView] = useState<PlanViewName>(() => {
    try {
      return localStorage.getItem(key) === "graph" ? "graph" : "list";
    } catch {
      return "list"; // storage may be forbidden
    }
  });
  return [
    view,
    (v) => {
      setView(v);
      try {
        localStorage.setItem(key, v);
      } catch {
        // kept for this page then
      }
    },
  ];
}
