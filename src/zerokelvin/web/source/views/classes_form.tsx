// Classes typed in the page: the first ones where none are given, more where the project is open to them.

import { useSignal } from "@preact/signals";
import { Chip, Icon } from "../parts/small.tsx";
import { changePage, page } from "../state/open_project.ts";

/** The names in what was typed: one a line or between commas, each once, none that is already a class. */
export function namesIn(text: string, known: readonly string[]): string[] {
  const names = text.split(/[,\n]/).map((name) => name.trim());
  return [...new Set(names)].filter((name) => name && !known.includes(name));
}

export function AddClasses({ first }: { first?: boolean }) {
  const text = useSignal("");
  const problem = useSignal("");
  const classes = page.value!.classes;
  const known = classes.map((one) => String(one.label));
  const names = namesIn(text.value, known);
  const may = page.value!.can_admin || page.value!.open_classes;
  if (first && !may) {
    return (
      <article class="card welcome">
        <h2>No classes yet</h2>
        <p>Someone who may change this project has to name its classes first.</p>
      </article>
    );
  }
  const save = async () => {
    if (!names.length) {
      problem.value = "Type at least one name.";
      return;
    }
    try {
      problem.value = "";
      await changePage({ add_classes: names });
      text.value = "";
    } catch (error) {
      problem.value = (error as Error).message;
    }
  };
  return (
    <form
      class={first ? "card welcome" : "add-classes"}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      {first && (
        <>
          <h2>What are the classes?</h2>
          <p>Name the answers that an item can have. The first nine get the keys 1 to 9 and keep them.</p>
        </>
      )}
      <label for="new-classes">{first ? "Classes, one a line or with commas" : "More classes"}</label>
      <textarea
        id="new-classes"
        rows={first ? 5 : 2}
        dir="auto"
        value={text.value}
        placeholder={first ? "positive\nnegative" : ""}
        aria-describedby={problem.value ? "classes-problem" : undefined}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      {names.length > 0 && (
        <p class="row wrap" aria-live="polite">
          {names.map((name) => (
            <Chip key={name} label={name} quiet />
          ))}
        </p>
      )}
      {problem.value && <p id="classes-problem" class="wrong" role="alert">{problem.value}</p>}
      <button type="submit" class="main">
        <Icon name="plus" /> {first ? "Start" : "Add"}
      </button>
    </form>
  );
}
