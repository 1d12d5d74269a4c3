// What a person chose in this browser: name, light or dark, whether the guess is shown. Kept between visits.

import { effect, signal, type Signal } from "@preact/signals";

function kept<T>(name: string, first: T): Signal<T> {
  const key = `zerokelvin.${name}`;
  let value = first;
  try {
    const text = localStorage.getItem(key);
    if (text !== null) value = JSON.parse(text) as T;
  } catch {
    // a browser that keeps nothing still works
  }
  const held = signal(value);
  effect(() => {
    const text = JSON.stringify(held.value);
    try {
      localStorage.setItem(key, text);
    } catch {
      // as above
    }
  });
  return held;
}

export const reviewerName = kept<string>("reviewer", "");
export const theme = kept<"system" | "light" | "dark">("theme", "system");
export const guessShown = kept<boolean>("guess", true);

const darkSystem = typeof matchMedia === "function" ? matchMedia("(prefers-color-scheme: dark)") : null;
const systemIsDark = signal(darkSystem?.matches ?? false);
darkSystem?.addEventListener("change", (event) => (systemIsDark.value = event.matches));

export const isDark = () => (theme.value === "system" ? systemIsDark.value : theme.value === "dark");

/** Keeps the colours of the document at what was chosen. */
export function followTheme(): void {
  effect(() => {
    document.documentElement.dataset["theme"] = isDark() ? "dark" : "light";
  });
}

export const nextTheme = () => {
  theme.value = isDark() ? "light" : "dark";
};
