// The colours of classes, of confidence and of who answered: told apart by people with any kind of colour vision.
//
// The first eight began at those of Okabe and Ito (2008) and were moved by a search until each has a contrast of 3 : 1
// against the page and any two differ by 20 in L*a*b*, also to red-blind and green-blind eyes. Further ones go round
// the circle of hues by the golden angle in three steps of lightness.

export type Rgb = readonly [number, number, number];
export type ColourMode = "prediction" | "confidence" | "source";

const ON_LIGHT = ["#354e94", "#db7b00", "#53a468", "#b57aa1", "#a13a00", "#4894f1", "#7c1d26", "#2a2845"];
const ON_DARK = ["#1e7ebf", "#e28012", "#07bb73", "#d7a8bf", "#ffe300", "#82c3ff", "#a74d73", "#fffff2"];
const GOLDEN = 137.508;
const PAGE = { light: 1, dark: 0.007 }; // luminance of the page behind

export function classColours(count: number, dark: boolean): string[] {
  const first = dark ? ON_DARK : ON_LIGHT;
  return Array.from({ length: count }, (_, i) => first[i] ?? further(i, dark));
}

/** The i-th colour: its hue, and the lightness of its step moved until the contrast is 3 : 1. */
function further(i: number, dark: boolean): string {
  const step = dark ? 0.03 : -0.03;
  let lightness = (dark ? [0.5, 0.66, 0.8] : [0.5, 0.38, 0.26])[i % 3]!;
  let colour = hsl((i * GOLDEN) % 360, 0.65, lightness);
  while (contrast(colour, dark ? PAGE.dark : PAGE.light) < 3) {
    lightness += step;
    colour = hsl((i * GOLDEN) % 360, 0.65, lightness);
  }
  return hex(colour);
}

/** The contrast of a colour against a page of a luminance (WCAG 2.2). */
export function contrast(colour: Rgb, page: number): number {
  const [red, green, blue] = colour.map((part) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  const own = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return (Math.max(own, page) + 0.05) / (Math.min(own, page) + 0.05);
}

/** Unsure stands out: from a strong orange over violet to a quiet blue grey. */
export function confidenceColours(dark: boolean): Rgb[] {
  const stops: Rgb[] = dark
    ? [[255, 158, 61], [214, 96, 150], [92, 96, 190], [58, 72, 100]]
    : [[200, 84, 0], [176, 60, 130], [90, 100, 200], [176, 190, 214]];
  return Array.from({ length: 256 }, (_, i) => {
    const at = (i / 255) * (stops.length - 1);
    const k = Math.min(Math.floor(at), stops.length - 2);
    return mix(stops[k]!, stops[k + 1]!, at - k);
  });
}

/** By who answered: predicted, asked, taught, mine; everything beyond counts as mine. */
export function sourceColours(dark: boolean): Rgb[] {
  return (dark ? ["#59636e", "#1e7ebf", "#07bb73", "#ffe300"] : ["#b4bcc4", "#354e94", "#53a468", "#db7b00"]).map(rgb);
}

export function noneColour(dark: boolean): Rgb {
  return dark ? [96, 104, 112] : [150, 156, 162];
}

/** Four bytes a point for the present mode. */
export function paint(
  predicted: Uint16Array,
  confidence: Uint8Array,
  source: Uint8Array,
  mode: ColourMode,
  colours: readonly string[],
  dark: boolean,
): Uint8Array<ArrayBuffer> {
  const n = predicted.length;
  const out = new Uint8Array(4 * n);
  const words = new Uint32Array(out.buffer);
  const none = word(noneColour(dark));
  if (mode === "prediction") {
    const table = Uint32Array.from(colours, (colour) => word(rgb(colour)));
    for (let i = 0; i < n; i++) words[i] = predicted[i]! < table.length ? table[predicted[i]!]! : none;
  } else if (mode === "confidence") {
    const table = Uint32Array.from(confidenceColours(dark), word);
    for (let i = 0; i < n; i++) words[i] = predicted[i] === 0xffff ? none : table[confidence[i]!]!;
  } else {
    const table = Uint32Array.from(sourceColours(dark), word);
    for (let i = 0; i < n; i++) words[i] = table[Math.min(source[i]!, table.length - 1)]!;
  }
  return out;
}

export function rgb(colour: string): Rgb {
  const long = /^#([0-9a-f]{6})/i.exec(colour)?.[1];
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(colour);
  const digits = long ?? (short ? short.slice(1).map((one) => one + one).join("") : null);
  if (!digits) return [136, 136, 136];
  const value = Number.parseInt(digits, 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

function word([red, green, blue]: Rgb): number {
  return new Uint32Array(new Uint8Array([red, green, blue, 255]).buffer)[0]!;
}

function mix(a: Rgb, b: Rgb, t: number): Rgb {
  return [0, 1, 2].map((k) => Math.round(a[k]! + (b[k]! - a[k]!) * t)) as unknown as Rgb;
}

function hsl(hue: number, saturation: number, lightness: number): Rgb {
  const span = saturation * Math.min(lightness, 1 - lightness);
  const channel = (k: number) => {
    const turn = (k + hue / 30) % 12;
    return Math.round(255 * (lightness - span * Math.max(-1, Math.min(turn - 3, 9 - turn, 1))));
  };
  return [channel(0), channel(8), channel(4)];
}

function hex(colour: Rgb): string {
  return `#${colour.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}
