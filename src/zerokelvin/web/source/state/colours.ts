// The colour and the sign of a class: the service's if it gave one, else by the place of the class in the list.

import { classColours } from "../map/palette.ts";
import type { Label } from "./protocol.ts";
import { page } from "./open_project.ts";
import { isDark } from "./preferences.ts";

export function allColours(): string[] {
  const classes = page.value?.classes ?? [];
  const ours = classColours(classes.length, isDark());
  return classes.map((one, place) => one.colour ?? ours[place] ?? "#888888");
}

export function colourOf(label: Label): string {
  const place = page.value?.classes.findIndex((one) => one.label === label) ?? -1;
  return allColours()[place] ?? "#888888";
}

export function keyOf(label: Label): string {
  const known = page.value?.classes.find((one) => one.label === label);
  return known?.key ?? [...String(label)][0]?.toLocaleUpperCase() ?? "?";
}

/** Black or white, whichever reads better on the colour (relative luminance, WCAG 2.2). */
export function inkOn(colour: string): string {
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})/i.exec(colour);
  if (!hex) return "#000000";
  const [red, green, blue] = hex.slice(1, 4).map((part) => {
    const value = Number.parseInt(part, 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000000" : "#ffffff";
}

/** The two colours of a class for a style: its own, and what is written on it. */
export function classStyle(label: Label): Record<string, string> {
  const colour = colourOf(label);
  return { "--class": colour, "--ink": inkOn(colour) };
}
