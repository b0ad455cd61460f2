import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "@/app/App";
import { applyPrefs } from "@/app/prefs";
import { followKeyboard } from "@/app/viewport";
import { startServiceWorker } from "@/app/worker";
import "@/ui/tokens.css";

applyPrefs();
followKeyboard();
createRoot(document.getElementById("app")!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
startServiceWorker();
