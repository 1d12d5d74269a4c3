// The head of the page: the project, its tabs, what is saved, export, light or dark, help.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { at, signOut, visitor } from "../state/server.ts";
import { dialog, labelling, page, project, tab, TABS, type Tab } from "../state/open_project.ts";
import { isDark, nextTheme, reviewerName } from "../state/preferences.ts";
import { plural } from "../state/words.ts";
import { Icon } from "./small.tsx";

const NAMES: Record<Tab, string> = { label: "Label", map: "Map", review: "Review", people: "People", setup: "Setup" };

/** "Saved" only after the service said so; what waits is counted. */
export function Saved() {
  const work = labelling.value;
  if (!work) return null;
  const waiting = work.waiting.value;
  const link = work.link.value;
  const answers = plural(waiting, "answer");
  const [state, icon, text] =
    link === "offline"
      ? (["offline", "offline", waiting ? `Offline: ${answers} kept here` : "Offline"] as const)
      : link === "stopped"
        ? (["stopped", "alert", waiting ? `${answers} not taken` : "Stopped"] as const)
        : waiting
          ? (["sending", "wait", "Saving…"] as const)
          : (["saved", "check", "Saved"] as const);
  return (
    <div class={`link-state ${state}`}>
      <span role="status" data-state={state} data-waiting={waiting}>
        <Icon name={icon} /> {text}
      </span>
      {(state === "offline" || state === "stopped") && (
        <button type="button" class="plain small" onClick={() => work.retry()}>
          Try now
        </button>
      )}
    </div>
  );
}

const FORMATS: [string, string][] = [
  ["csv", "Table (csv)"],
  ["jsonl", "JSON lines"],
  ["parquet", "Parquet"],
  ["h5ad", "AnnData (h5ad)"],
];

/** The files to take away; `main` where it is what one does next. */
export function ExportMenu({ main }: { main?: boolean }) {
  const list = main ? "export-now" : "export-list";
  const open = useSignal(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open.value) return;
    const away = (event: Event) => {
      if (!box.current?.contains(event.target as Element)) open.value = false;
    };
    document.addEventListener("pointerdown", away);
    return () => document.removeEventListener("pointerdown", away);
  }, [open.value]);
  return (
    <div
      ref={box}
      class="menu"
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !open.value) return;
        open.value = false;
        box.current?.querySelector("button")?.focus();
        event.stopPropagation();
      }}
    >
      <button type="button" class={main ? "main small" : "plain"} aria-expanded={open.value} aria-controls={list} onClick={() => (open.value = !open.value)}>
        <Icon name="download" /> <span class={main ? "" : "wide"}>Export</span>
        {!main && <span class="hidden narrow">Export</span>}
      </button>
      <ul id={list} hidden={!open.value}>
        {FORMATS.map(([format, words]) => (
          <li key={format}>
            <a href={at(project.value, "export", { format })} download={`${project.value}.${format}`} onClick={() => (open.value = false)}>
              {words}
            </a>
          </li>
        ))}
        <li>
          <a href={at(project.value, "certificate")} download={`${project.value}-certificate.json`} onClick={() => (open.value = false)}>
            Certificate
          </a>
        </li>
      </ul>
    </div>
  );
}

export function Tabs() {
  const shown = TABS.filter((one) => one !== "map" || page.value?.map);
  return (
    <nav class="tabs" aria-label="Views">
      {shown.map((one) => (
        <a key={one} href={`#${one}`} aria-current={tab.value === one ? "page" : undefined}>
          {NAMES[one]}
        </a>
      ))}
    </nav>
  );
}

export function Header() {
  const standing = labelling.value?.standing.value;
  const share = standing && standing.items ? standing.answered / standing.items : 0;
  return (
    <header class="top">
      <div class="brand">
        <a class="logo" href="/label/" aria-label="All projects">
          <svg viewBox="0 0 24 24" aria-hidden="true">
            <circle cx="6" cy="7" r="3.2" />
            <circle cx="18" cy="6" r="2.4" />
            <circle cx="13" cy="18" r="3.200" />
            <path d="M8.500 9l3 6.500M8.800 6.800l7-.5M17 8.200l-2.800 7" />
          </svg>
        </a>
        <h1>
          <bdi>{project.value}</bdi>
        </h1>
      </div>
      <Tabs />
      <div class="tools">
        <Saved />
        <ExportMenu />
        <button type="button" class="plain round" aria-label={isDark() ? "Light colours" : "Dark colours"} onClick={nextTheme}>
          <Icon name={isDark() ? "sun" : "moon"} />
        </button>
        <button type="button" class="plain round" aria-label="Help and keys" onClick={() => (dialog.value = "help")}>
          <Icon name="help" />
        </button>
        <button
          type="button"
          class="plain who"
          title="Answer under another name"
          aria-label={`You answer as ${reviewerName.value}. Change the name`}
          onClick={async () => {
            if (visitor.value?.keys) await signOut().catch(() => undefined);
            reviewerName.value = "";
            location.reload(); // answers of this name that wait stay in the browser, for when it comes back
          }}
        >
          <Icon name="person" /> <bdi>{reviewerName.value}</bdi>
        </button>
      </div>
      <div class="progress" aria-hidden="true">
        <div style={{ inlineSize: `${100 * share}%` }} />
      </div>
    </header>
  );
}
