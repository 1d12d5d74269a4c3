// Guidelines and the notes of each class beside the item, changed in place by those who may.

import { useSignal } from "@preact/signals";
import { changePage, page } from "../state/open_project.ts";
import { Chip } from "./small.tsx";

function Editable({ value, label, empty, save }: { value: string; label: string; empty: string; save: (text: string) => Promise<void> }) {
  const draft = useSignal<string | null>(null);
  const problem = useSignal("");
  const may = page.value?.can_admin ?? false;
  if (draft.value === null) {
    return (
      <div class="note">
        {value ? (
          <p class="note-text" dir="auto">{value}</p>
        ) : (
          <p class="faint">{empty}</p>
        )}
        {may && (
          <button type="button" class="plain small" aria-label={`Edit ${label}`} onClick={() => (draft.value = value)}>
            Edit
          </button>
        )}
      </div>
    );
  }
  const store = async () => {
    try {
      await save(draft.value ?? "");
      draft.value = null;
    } catch (error) {
      problem.value = (error as Error).message;
    }
  };
  return (
    <form
      class="note-form"
      onSubmit={(event) => {
        event.preventDefault();
        void store();
      }}
    >
      <textarea
        aria-label={label}
        dir="auto"
        rows={4}
        value={draft.value}
        ref={(box) => {
          if (box && document.activeElement !== box) box.focus();
        }}
        onInput={(event) => (draft.value = event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") draft.value = null;
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void store();
        }}
      />
      {problem.value && <p class="wrong" role="alert">{problem.value}</p>}
      <div class="row">
        <button type="submit" class="main small">Save</button>
        <button type="button" class="plain small" onClick={() => (draft.value = null)}>Cancel</button>
      </div>
    </form>
  );
}

export function Notes() {
  const info = page.value!;
  return (
    <section class="panel notes" aria-labelledby="notes-title">
      <details open>
        <summary>
          <h2 id="notes-title">Guidelines</h2>
        </summary>
        <Editable
          value={info.guidelines}
          label="guidelines"
          empty="No guidelines yet: what should everyone know who answers?"
          save={(text) => changePage({ guidelines: text })}
        />
      </details>
      <details open={info.classes.length <= 9 && info.classes.some((one) => one.notes)}>
        <summary>
          <h2>Notes on the classes</h2>
        </summary>
        <ul class="class-notes">
          {info.classes.map((one) => (
            <li key={one.label}>
              <Chip label={one.label} />
              <Editable
                value={one.notes}
                label={`note on ${one.label}`}
                empty="No note."
                save={(text) => changePage({ notes: { [one.label]: text } })}
              />
            </li>
          ))}
        </ul>
      </details>
    </section>
  );
}
