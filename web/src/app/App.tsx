import { ClewProvider } from "@clew-run/client/react";
import { useEffect } from "react";
import { Redirect, Route, Switch, useLocation } from "wouter";
import { useWords } from "@/i18n";
import { lazyPart } from "@/lib/lazyPart";
import { Button, Empty, Loading } from "@/ui";
import { HomePage } from "@/features/inbox/HomePage";
import { BatchHost } from "@/features/session/questions/BatchHost";
import { findAccount, useAccount } from "./account";
import { Broken } from "./Broken";
import { client } from "./client";
import { useQuestionBell } from "./inbox";
import { Shell } from "./Shell";
import { SignIn } from "./SignIn";
import { appWords } from "./words";

const SessionPage = lazyPart(() => import("@/features/session/SessionPage").then((m) => m.SessionPage));
const InboxPage = lazyPart(() => import("@/features/inbox/InboxPage").then((m) => m.InboxPage));
const DesktopPage = lazyPart(() => import("@/features/desktop/DesktopPage").then((m) => m.DesktopPage));
const NotebookPage = lazyPart(() => import("@/features/notebook/NotebookPage").then((m) => m.NotebookPage));
const TimePage = lazyPart(() => import("@/features/time/TimePage").then((m) => m.TimePage));
const HistoryPage = lazyPart(() => import("@/features/history/HistoryPage").then((m) => m.HistoryPage));
const SearchPage = lazyPart(() => import("@/features/search/SearchPage").then((m) => m.SearchPage));
const SettingsPage = lazyPart(() => import("@/features/settings/SettingsPage").then((m) => m.SettingsPage));
const UsagePage = lazyPart(() => import("@/features/usage/UsagePage").then((m) => m.UsagePage));
const DesignPage = lazyPart(() => import("@/features/design/DesignPage").then((m) => m.DesignPage));

export function App() {
  const account = useAccount((s) => s.account);
  useEffect(() => void findAccount(), []);
  switch (account.state) {
    case "asking":
      return <Loading />;
    case "away":
      return <Away />;
    case "out":
      return <SignIn problem={account.problem} wrong={account.wrong} link={account.link} ended={account.ended} />;
    case "in":
      return (
        <ClewProvider client={client}>
          <Pages />
        </ClewProvider>
      );
  }
}

function Pages() {
  const [path] = useLocation();
  const t = useWords(appWords);
  useQuestionBell();
  return (
    <Shell>
      <Broken where={path}>
        <Switch>
          <Route path="/">
            <HomePage />
          </Route>
          <Route path="/sign-in">
            <HomePage />
          </Route>
          <Route path="/inbox">
            <InboxPage />
          </Route>
          <Route path="/history">
            <HistoryPage />
          </Route>
          <Route path="/search">
            <SearchPage />
          </Route>
          <Route path="/settings/:part?">{(p) => <SettingsPage part={p.part} />}</Route>
          <Route path="/usage">
            <UsagePage />
          </Route>
          <Route path="/mcp">
            <Redirect to="/settings/tools" replace />
          </Route>
          <Route path="/admin/:part?">
            <Redirect to="/settings/people" replace />
          </Route>
          <Route path="/s/:id/time">{(p) => <TimePage key={p.id} sessionId={p.id} />}</Route>
          <Route path="/s/:id/desktop/:monitor?">
            {(p) => <DesktopPage key={p.id} sessionId={p.id} monitor={p.monitor} />}
          </Route>
          <Route path="/s/:id/notebook/:nb?">
            {(p) => <NotebookPage key={p.id} sessionId={p.id} notebookId={p.nb} />}
          </Route>
          <Route path="/s/:id">{(p) => <SessionPage key={p.id} sessionId={p.id} />}</Route>
          <Route path="/design">
            <DesignPage />
          </Route>
          <Route>
            <Empty top title={t.notFound} />
          </Route>
        </Switch>
      </Broken>
      <BatchHost />
    </Shell>
  );
}

/** The server does not answer: asks again by itself, and at once when the network is back. */
function Away() {
  const t = useWords(appWords);
  useEffect(() => {
    const again = () => void findAccount();
    const timer = setInterval(again, 5_000);
    window.addEventListener("online", again);
    return () => {
      clearInterval(timer);
      window.removeEventListener("online", again);
    };
  }, []);
  return (
    <main>
      <Empty top title={t.away} action={<Button onClick={() => void findAccount()}>{t.tryNow}</Button>}>
        {t.awayHelp}
      </Empty>
    </main>
  );
}
