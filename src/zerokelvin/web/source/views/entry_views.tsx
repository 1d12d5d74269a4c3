// What comes before the work: the list of projects, the key of a service that wants one, the name of who answers.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Icon, Key } from "../parts/small.tsx";
import { beginAs, failure, openPage, page, project } from "../state/open_project.ts";
import { reviewerName } from "../state/preferences.ts";
import { getJson, loginWanted, meet, signIn } from "../state/server.ts";
import { plural } from "../state/words.ts";

export function ProjectsView() {
  const names = useSignal<string[] | null>(null);
  const problem = useSignal("");
  useEffect(() => {
    meet()
      .then(() => getJson<{ projects: ({ name: string } | string)[] }>("/v1/projects"))
      .then((found) => (names.value = found.projects.map((one) => (typeof one === "string" ? one : one.name))))
      .catch((error: Error) => (problem.value = loginWanted.value ? "" : error.message));
  }, [loginWanted.value]);
  return (
    <main class="entry">
      <article class="card welcome">
        <h1>Projects</h1>
        {problem.value && <p class="wrong" role="alert">{problem.value}</p>}
        {names.value?.length === 0 && <p>No project yet. On the command line, <code>zerokelvin label --demo</code> makes one.</p>}
        <ul class="projects">
          {names.value?.map((name) => (
            <li key={name}>
              <a href={`/label/${encodeURIComponent(name)}`}>
                <bdi>{name}</bdi>
              </a>
            </li>
          ))}
        </ul>
      </article>
    </main>
  );
}

export function LoginView() {
  const key = useSignal("");
  const problem = useSignal("");
  const enter = async () => {
    try {
      await signIn(key.value.trim());
      if (project.value) await openPage(project.value);
    } catch (error) {
      problem.value = (error as Error).message;
    }
  };
  return (
    <main class="entry">
      <form
        class="card welcome"
        onSubmit={(event) => {
          event.preventDefault();
          void enter();
        }}
      >
        <h1>This service wants a key</h1>
        <label for="key">Key</label>
        <input
          id="key"
          type="password"
          autocomplete="current-password"
          value={key.value}
          autofocus
          aria-describedby={problem.value ? "key-problem" : undefined}
          onInput={(event) => (key.value = event.currentTarget.value)}
        />
        {problem.value && <p id="key-problem" class="wrong" role="alert">{problem.value}</p>}
        <button type="submit" class="main">Sign in</button>
      </form>
    </main>
  );
}

export function NameView() {
  const name = useSignal("");
  const problem = useSignal("");
  const info = page.value!;
  const begin = () => {
    const chosen = name.value.trim();
    if (!chosen) {
      problem.value = "A name is needed, so that answers can be told apart.";
      return;
    }
    reviewerName.value = chosen;
    void beginAs(chosen);
  };
  return (
    <main class="entry">
      <form
        class="card welcome"
        onSubmit={(event) => {
          event.preventDefault();
          begin();
        }}
      >
        <h1>
          <bdi>{project.value}</bdi>
        </h1>
        <p>
          {plural(info.items, "item")}
          {info.classes.length > 0 && `, ${plural(info.classes.length, "class", "classes")}`}. You answer the questions that matter; the rest is
          predicted, with a limit on the error that you can watch.
        </p>
        <label for="name">Your name</label>
        <input
          id="name"
          type="text"
          autocomplete="name"
          maxLength={80}
          dir="auto"
          autofocus
          value={name.value}
          aria-describedby={problem.value ? "name-problem" : undefined}
          onInput={(event) => (name.value = event.currentTarget.value)}
        />
        {problem.value && <p id="name-problem" class="wrong" role="alert">{problem.value}</p>}
        <button type="submit" class="main">Start</button>
        <p class="faint key-line">
          <Key>1</Key>–<Key>9</Key> answer, <Key>Z</Key> undoes, <Key>?</Key> shows all keys.
        </p>
      </form>
    </main>
  );
}

export function FailureView() {
  return (
    <main class="entry">
      <article class="card welcome">
        <h1>
          <Icon name="alert" /> This page cannot start
        </h1>
        <p role="alert">{failure.value}</p>
        <div class="row">
          <button type="button" class="main" onClick={() => void openPage(project.value)}>Try again</button>
          <a class="plain" href="/label/">All projects</a>
        </div>
      </article>
    </main>
  );
}
