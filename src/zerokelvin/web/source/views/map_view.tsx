// The map: every item a point, coloured by prediction, confidence or who answered. A click shows the item; a lasso, or a
// choice by class and confidence for those who use the keyboard, selects many, which one act labels.

import { effect, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { ColourMode } from "../map/palette.ts";
import { PointMap } from "../map/point_map.ts";
import { parseColours, parseMap, type MapColours } from "../map/wire.ts";
import { Icon } from "../parts/small.tsx";
import { allColours, classStyle } from "../state/colours.ts";
import { announce, labelling, page, project } from "../state/open_project.ts";
import { isDark } from "../state/preferences.ts";
import type { Item } from "../state/protocol.ts";
import { at, getBytes, getJson } from "../state/server.ts";
import { count, plural } from "../state/words.ts";
import { PointCard } from "./point_card.tsx";
import { SelectionCard } from "./selection_card.tsx";

export const colours = signal<MapColours | null>(null);
export const selected = signal<Uint32Array | null>(null);
export const opened = signal<{ index: number; item: Item } | null>(null);
const mode = signal<ColourMode>("prediction");
const tool = signal<"pan" | "lasso">("pan");
const stage = signal(-1);
const problem = signal("");

const MODES: [ColourMode, string][] = [
  ["prediction", "Prediction"],
  ["confidence", "Confidence"],
  ["source", "Who answered"],
];

async function open(index: number): Promise<void> {
  try {
    const item = await getJson<Item>(at(project.value, "map/node", { index }));
    opened.value = { index, item };
    announce(item.title);
  } catch (error) {
    problem.value = (error as Error).message;
  }
}

function select(indices: Uint32Array): void {
  opened.value = null;
  selected.value = indices.length ? indices : null;
}

/** Fetches places while they are refined and colours whenever the model has learnt. */
function follow(map: PointMap): () => void {
  let ended = false;
  let revision = -1;
  const places = async () => {
    while (!ended) {
      try {
        const found = parseMap(await getBytes(at(project.value, "map")));
        if (ended) return;
        if (found.revision !== revision) map.setPositions(found.x, found.y);
        revision = found.revision;
        stage.value = found.stage;
        problem.value = "";
        if (found.stage >= 2) return;
      } catch (error) {
        problem.value = (error as Error).message;
      }
      await new Promise((resolve) => setTimeout(resolve, 1500));
    }
  };
  const paint = async () => {
    try {
      const found = parseColours(await getBytes(at(project.value, "map/colours")));
      if (ended) return;
      colours.value = found;
      map.setColours(found.predicted, found.confidence, found.source, mode.peek());
    } catch (error) {
      problem.value = (error as Error).message;
    }
  };
  void places().then(paint);
  void paint();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = effect(() => {
    void labelling.value?.events.value;
    clearTimeout(timer);
    timer = setTimeout(() => void paint(), 300);
  });
  return () => {
    ended = true;
    clearTimeout(timer);
    stop();
  };
}

function Legend() {
  const found = colours.value;
  const classes = page.value!.classes;
  if (!found) return null;
  if (mode.value === "confidence") {
    return (
      <div>
        <div class="ramp confidence" aria-hidden="true" />
        <p class="row faint spread">
          <span>unsure</span>
          <span>sure</span>
        </p>
      </div>
    );
  }
  if (mode.value === "source") {
    const numbers = [0, 0, 0, 0];
    for (const source of found.source) numbers[Math.min(source, 3)]!++;
    return (
      <ul class="legend">
        {["Predicted", "Answered by others", "Known before", "Answered by you"].map((words, place) =>
          numbers[place] ? (
            <li key={words}>
              <span class={`source source-${place}`} aria-hidden="true" /> {words} <span class="number faint">{count(numbers[place]!)}</span>
            </li>
          ) : null,
        )}
      </ul>
    );
  }
  const numbers = new Uint32Array(classes.length);
  for (const code of found.predicted) if (code < numbers.length) numbers[code]!++;
  return (
    <ul class="legend">
      {classes.map((one, place) => (
        <li key={one.label} style={classStyle(one.label)}>
          <span class="dot" aria-hidden="true" /> <bdi>{one.label}</bdi> <span class="number faint">{count(numbers[place]!)}</span>
        </li>
      ))}
    </ul>
  );
}

/** Selecting without a pointer: a class, and at most so sure. */
function Choose() {
  const label = useRef<HTMLSelectElement>(null);
  const sure = useRef<HTMLInputElement>(null);
  const choose = () => {
    const found = colours.value;
    if (!found) return;
    const code = Number(label.current?.value ?? -1);
    const most = (255 * (sure.current?.valueAsNumber ?? 100)) / 100;
    const indices: number[] = [];
    for (let i = 0; i < found.n; i++) {
      if ((code < 0 || found.predicted[i] === code) && found.confidence[i]! <= most && found.source[i] === 0) indices.push(i);
    }
    announce(`${plural(indices.length, "item")} selected`);
    select(Uint32Array.from(indices));
  };
  return (
    <form
      class="map-card"
      onSubmit={(event) => {
        event.preventDefault();
        choose();
      }}
    >
      <h2>Select</h2>
      <div class="field">
        <label for="choose-class">Predicted as</label>
        <select id="choose-class" ref={label}>
          <option value="-1">any class</option>
          {page.value!.classes.map((one, code) => (
            <option key={one.label} value={code}>{one.label}</option>
          ))}
        </select>
      </div>
      <div class="field">
        <label for="choose-sure">At most so sure, in %</label>
        <input id="choose-sure" ref={sure} type="number" min="0" max="100" step="any" defaultValue="100" />
      </div>
      <button type="submit" class="main quiet">Select these</button>
    </form>
  );
}

export function MapView() {
  const canvas = useRef<HTMLCanvasElement>(null);
  const map = useRef<PointMap | null>(null);
  const tools = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const made = new PointMap(canvas.current!, {
      colours: allColours(),
      dark: isDark(),
      reducedMotion: matchMedia("(prefers-reduced-motion: reduce)").matches,
      onOpen: (index) => void open(index),
      onSelect: (indices) => select(indices),
      onFocusPoint: (index) => announce(describe(index)),
      onTool: (chosen) => (tool.value = chosen),
      head: () => (tools.current ? tools.current.offsetTop + tools.current.offsetHeight : 0),
    });
    map.current = made;
    const stopFollowing = follow(made);
    const stopTheme = effect(() => made.setTheme({ colours: allColours(), dark: isDark() }));
    const stopMode = effect(() => made.setMode(mode.value));
    const stopTool = effect(() => made.setTool(tool.value));
    const stopMarks = effect(() => made.highlight(selected.value ?? (opened.value ? [opened.value.index] : [])));
    const watch = new ResizeObserver(() => made.resize());
    watch.observe(canvas.current!.parentElement!);
    return () => {
      for (const stop of [stopFollowing, stopTheme, stopMode, stopTool, stopMarks]) stop();
      watch.disconnect();
      made.destroy();
      map.current = null;
    };
  }, []);
  const note = stage.value < 0 ? "The map is being drawn…" : stage.value < 2 ? "The map is being refined…" : "";
  return (
    <div class="map-view">
      <section class="map-stage" aria-label="Map of all items">
        <canvas
          ref={canvas}
          tabIndex={0}
          role="application"
          aria-label={`Map of ${plural(page.value!.items, "item")}. Arrow keys go from point to point, Enter shows one, plus and minus zoom, L draws a lasso.`}
        />
        <div class="map-tools" ref={tools}>
          <div class="segments" role="group" aria-label="Colour by">
            {MODES.map(([value, words]) => (
              <button key={value} type="button" aria-pressed={mode.value === value} onClick={() => (mode.value = value)}>
                {words}
              </button>
            ))}
          </div>
          <div class="segments" role="group" aria-label="Tool">
            <button type="button" aria-pressed={tool.value === "pan"} onClick={() => (tool.value = "pan")}>
              <Icon name="hand" /> Move
            </button>
            <button type="button" aria-pressed={tool.value === "lasso"} onClick={() => (tool.value = "lasso")}>
              <Icon name="lasso" /> Lasso
            </button>
          </div>
          <button type="button" class="main quiet small" onClick={() => map.current?.fit()}>
            <Icon name="fit" /> All
          </button>
        </div>
        <p class="map-note" role="status" hidden={!problem.value && !note}>
          {problem.value || note}
        </p>
      </section>
      <aside class="map-side" aria-label="About the map">
        {opened.value ? (
          <PointCard index={opened.value.index} item={opened.value.item} />
        ) : selected.value ? (
          <SelectionCard indices={selected.value} />
        ) : (
          <>
            <Legend />
            <Choose />
          </>
        )}
      </aside>
    </div>
  );
}

function describe(index: number): string {
  const found = colours.peek();
  if (!found) return `point ${index + 1}`;
  const name = page.peek()!.classes[found.predicted[index]!]?.label ?? "no class";
  return `point ${index + 1}: ${name}, ${Math.round((100 * found.confidence[index]!) / 255)} % sure`;
}
