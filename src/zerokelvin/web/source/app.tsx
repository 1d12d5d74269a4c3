// The page: what comes before the work, or the view of the chosen tab under the head.

import { useEffect } from "preact/hooks";
import { Header, Tabs } from "./parts/header.tsx";
import { Help } from "./parts/help.tsx";
import { onKey } from "./parts/shortcuts.ts";
import { failure, labelling, page, project, spoken, tab } from "./state/open_project.ts";
import { loginWanted } from "./state/server.ts";
import { FailureView, LoginView, NameView, ProjectsView } from "./views/entry_views.tsx";
import { LabelView } from "./views/label_view.tsx";
import { MapView } from "./views/map_view.tsx";
import { PeopleView } from "./views/people_view.tsx";
import { ReviewView } from "./views/review_view.tsx";
import { SetupView } from "./views/setup_view.tsx";

const VIEWS = { label: LabelView, map: MapView, review: ReviewView, people: PeopleView, setup: SetupView };

function Work() {
  const shown = tab.value === "map" && !page.value!.map ? "label" : tab.value;
  const View = VIEWS[shown];
  useEffect(() => {
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  return (
    <>
      <a class="leap" href="#main" onClick={(event) => {
        event.preventDefault();
        document.getElementById("main")?.focus();
      }}>
        To the question
      </a>
      <Header />
      <main id="main" tabIndex={-1} class={`view-${shown}`}>
        <View key={shown} />
      </main>
      <div class="bottom">
        <Tabs />
      </div>
      <Help />
    </>
  );
}

export function App() {
  const body = loginWanted.value ? (
    <LoginView />
  ) : !project.value ? (
    <ProjectsView />
  ) : failure.value ? (
    <FailureView />
  ) : !page.value ? (
    <main class="entry" aria-busy="true">
      <h1 class="hidden">Loading</h1>
      <div class="pulse" />
    </main>
  ) : !labelling.value ? (
    <NameView />
  ) : (
    <Work />
  );
  return (
    <>
      {body}
      <div class="hidden" role="status" aria-live="polite">
        {spoken.value}
      </div>
    </>
  );
}
