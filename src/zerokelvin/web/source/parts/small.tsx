// Small parts that every view uses: icons, class chips, pictures that may be missing, keys.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { Label } from "../state/protocol.ts";
import { classStyle, keyOf } from "../state/colours.ts";

const PATHS: Record<string, string> = {
  check: "M4.5 10.5l3.5 3.5 7.5-8",
  undo: "M8 5L4 9l4 4M4 9h8a4 4 0 010 8h-2",
  redo: "M12 5l4 4-4 4M16 9H8a4 4 0 000 8h2",
  sun: "M10 6.5a3.5 3.5 0 100 7 3.5 3.5 0 000-7zM10 2v1.5M10 16.5V18M2 10h1.5M16.5 10H18M4.3 4.3l1.1 1.1M14.6 14.6l1.1 1.1M4.3 15.7l1.1-1.1M14.6 5.4l1.1-1.1",
  moon: "M16 11.5A6.5 6.5 0 018.5 4a6.5 6.5 0 107.5 7.5z",
  download: "M10 3v9M6.5 8.5L10 12l3.5-3.5M4 16h12",
  help: "M7.5 7.5a2.5 2.5 0 113.6 2.3c-.7.4-1.1.9-1.1 1.7M10 14.4v.1",
  eye: "M2.5 10S5 5 10 5s7.5 5 7.5 5-2.5 5-7.5 5-7.5-5-7.5-5zM10 8a2 2 0 100 4 2 2 0 000-4z",
  eyeOff: "M3 3l14 14M8 5.2A7.6 7.6 0 0110 5c5 0 7.5 5 7.5 5a13 13 0 01-2 2.7M5 6.8A12.500 12.500 0 002.500 10S5 15 10 15a7.300 7.300 0 003-.6",
  offline: "M3 3l14 14M5 9a8 8 0 013-1.8M12 7.200A8 8 0 0115 9M7.500 12a4 4 0 015 0M10 15v.1",
  wait: "M10 5v5l3 2M10 2.500a7.500 7.500 0 100 15 7.500 7.500 0 000-15z",
  person: "M10 4a3 3 0 100 6 3 3 0 000-6zM4 17c.5-3 3-5 6-5s5.500 2 6 5",
  alert: "M10 6.500v4M10 13.500v.1M10 2.500a7.500 7.500 0 100 15 7.500 7.500 0 000-15z",
  lasso: "M10 3c4 0 7 2 7 5s-3 5-7 5-7-2-7-5 3-5 7-5zM6 12.500c-1 1.500-.5 3 .5 4.500",
  hand: "M10 3v14M3 10h14M10 3L8 5M10 3l2 2M10 17l-2-2M10 17l2-2M3 10l2-2M3 10l2 2M17 10l-2-2M17 10l-2 2",
  search: "M9 4a5 5 0 100 10A5 5 0 009 4zM13 13l4 4",
  plus: "M10 4v12M4 10h12",
  minus: "M4 10h12",
  fit: "M4 8V4h4M12 4h4v4M16 12v4h-4M8 16H4v-4",
  close: "M5 5l10 10M15 5L5 15",
};

export function Icon({ name }: { name: string }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={PATHS[name] ?? ""} />
    </svg>
  );
}

export const Key = ({ children }: { children: ComponentChildren }) => <kbd>{children}</kbd>;

/** A class in its colour, with its key or first letter so that colour is never the only sign. */
export function Chip({ label, quiet }: { label: Label; quiet?: boolean }) {
  return (
    <span class={quiet ? "chip quiet" : "chip"} style={classStyle(label)}>
      <span class="dot" aria-hidden="true">
        {keyOf(label)}
      </span>
      <bdi class="chip-name">{label}</bdi>
    </span>
  );
}

/** A picture, or in its place the words that it is missing. */
export function Picture({ address, name, small }: { address: string; name: string; small?: boolean }) {
  const missing = useSignal("");
  const attempt = useSignal(0);
  if (missing.value === address) {
    return small ? (
      <span class="thumb none" title="The picture is missing">
        <Icon name="alert" />
      </span>
    ) : (
      <div class="missing" role="img" aria-label={`The picture of ${name} is missing`}>
        <Icon name="alert" />
        <p>
          The picture of <bdi>{name}</bdi> could not be loaded.
        </p>
        <button
          type="button"
          class="plain"
          onClick={() => {
            missing.value = "";
            attempt.value++;
          }}
        >
          Try again
        </button>
      </div>
    );
  }
  return (
    <img
      key={`${address} ${attempt.value}`}
      class={small ? "thumb" : "picture"}
      src={address}
      alt={small ? "" : name}
      draggable={false}
      onError={() => (missing.value = address)}
      onLoad={(event) => {
        const image = event.currentTarget;
        image.classList.toggle("tiny", image.naturalWidth <= 64 && image.naturalHeight <= 64);
      }}
    />
  );
}

export const Thumb = ({ address, name }: { address: string | null | undefined; name: string }) =>
  address ? <Picture address={address} name={name} small /> : null;
