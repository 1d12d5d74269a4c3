// The project's settings: target, random checks, overlap, guesses; more classes; labels brought in from a file.

import { useSignal } from "@preact/signals";
import { changePage, labelling, page, project } from "../state/open_project.ts";
import type { PageChange } from "../state/protocol.ts";
import { at, newId, postJson } from "../state/server.ts";
import { count, plural } from "../state/words.ts";
import { AddClasses } from "./classes_form.tsx";
import { Notes } from "../parts/notes.tsx";

function NumberField(props: { name: string; label: string; help: string; value: number | null; scale: number; unit: string; change: (value: number) => PageChange }) {
  const problem = useSignal("");
  return (
    <div class="field">
      <label for={props.name}>{props.label}</label>
      <div class="row">
        <input
          id={props.name}
          type="number"
          min="0"
          max={props.scale === 100 ? 100 : undefined}
          step="any"
          value={props.value === null ? "" : Number((props.value * props.scale).toPrecision(6))}
          disabled={!page.value!.can_admin}
          aria-describedby={`${props.name}-help`}
          onChange={async (event) => {
            const value = event.currentTarget.valueAsNumber;
            if (Number.isNaN(value)) return;
            try {
              await changePage(props.change(value / props.scale));
              problem.value = "";
            } catch (error) {
              problem.value = (error as Error).message;
            }
          }}
        />
        <span class="faint">{props.unit}</span>
      </div>
      <p id={`${props.name}-help`} class="faint">{props.help}</p>
      {problem.value && <p class="wrong" role="alert">{problem.value}</p>}
    </div>
  );
}

function base64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).split(",")[1] ?? "");
    reader.onerror = () => reject(reader.error ?? new Error("The file cannot be read."));
    reader.readAsDataURL(file);
  });
}

function ImportField() {
  const said = useSignal("");
  const wrong = useSignal(false);
  const bring = async (file: File) => {
    const format = /\.(jsonl|parquet)$/i.exec(file.name)?.[1]?.toLowerCase() ?? "csv";
    try {
      const content = format === "parquet" ? await base64(file) : await file.text();
      const reply = await postJson<{ taken: number; known: number; unknown: number }>(at(project.value, "import"), { content, format }, newId());
      wrong.value = false;
      said.value = `${plural(reply.taken, "label")} taken, ${count(reply.known)} known already, ${count(reply.unknown)} not of this project.`;
      await labelling.value?.refresh();
    } catch (error) {
      wrong.value = true;
      said.value = (error as Error).message;
    }
  };
  return (
    <div class="field">
      <label for="import">Bring in labels</label>
      <input
        id="import"
        type="file"
        accept=".csv,.jsonl,.parquet"
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          if (file) void bring(file);
        }}
      />
      <p class="faint">A csv, jsonl or parquet file as exported here, or with the columns node and label.</p>
      {said.value && <p class={wrong.value ? "wrong" : ""} role={wrong.value ? "alert" : "status"}>{said.value}</p>}
    </div>
  );
}

export function SetupView() {
  const info = page.value!;
  return (
    <div class="setup">
      <section class="card" aria-labelledby="setup-title">
        <h2 id="setup-title">Settings</h2>
        {!info.can_admin && <p class="faint">You can read these; someone who may change the project sets them.</p>}
        <NumberField name="target" label="Target: at most so many labels wrong" help={`Held with ${Math.round(info.confidence * 100)} % confidence, whenever one looks.`} value={info.target} scale={100} unit="%" change={(target) => ({ target })} />
        <NumberField name="audit" label="Random checks" help="This share of the questions is drawn at random, with the guess hidden; the error limit comes from them." value={info.audit_share} scale={100} unit="% of the questions" change={(audit_share) => ({ audit_share })} />
        <NumberField name="overlap" label="Overlap" help="This share of the items is asked of two people, to see how far they agree." value={info.overlap} scale={100} unit="% of the items" change={(overlap) => ({ overlap })} />
        <div class="field">
          <label class="check">
            <input type="checkbox" checked={info.hide_guess} disabled={!info.can_admin} onChange={(event) => void changePage({ hide_guess: event.currentTarget.checked })} />
            <span>Hide every guess from everyone who answers</span>
          </label>
        </div>
        {info.can_admin && <ImportField />}
        {(info.open_classes || info.can_admin) && <AddClasses />}
      </section>
      <Notes />
    </div>
  );
}
