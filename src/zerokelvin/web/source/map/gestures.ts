// Mouse, pen and fingers on the map: drag to pan, wheel and pinch to zoom, a line drawn around points, a click.

import type { Point } from "./polygon.ts";

export type Tool = "pan" | "lasso";

export interface Gestures {
  tool(): Tool;
  pan(dx: number, dy: number): void;
  zoom(px: number, py: number, factor: number): void;
  click(px: number, py: number): void;
  hover(px: number, py: number): void;
  leave(): void;
  drawing(line: readonly Point[]): void;
  drawn(line: readonly Point[]): void;
}

const STILL = 5; // pixels that a click may move
const STEP = 3; // pixels between corners of a line

/** Listen to a canvas until the signal is aborted. */
export function listen(canvas: HTMLCanvasElement, act: Gestures, signal: AbortSignal): void {
  const pointers = new Map<number, [number, number]>();
  let line: [number, number][] | null = null;
  let begun: [number, number] | null = null;
  let moved = false;

  const place = (event: PointerEvent | WheelEvent): [number, number] => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const on = <K extends keyof HTMLElementEventMap>(
    name: K, then: (event: HTMLElementEventMap[K]) => void, passive = true,
  ) => canvas.addEventListener(name, then, { signal, passive });

  on("pointerdown", (event) => {
    if (event.button !== 0) return;
    const at = place(event);
    canvas.setPointerCapture?.(event.pointerId);
    pointers.set(event.pointerId, at);
    if (pointers.size === 1) {
      begun = at;
      moved = false;
      line = act.tool() === "lasso" || event.shiftKey ? [at] : null;
    } else if (line) {
      line = null; // a second finger: this is a pinch
      act.drawing([]);
    }
  });

  on("pointermove", (event) => {
    const at = place(event);
    const before = pointers.get(event.pointerId);
    if (!before) {
      act.hover(...at);
      return;
    }
    if (pointers.size === 2) {
      const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
      if (other) {
        const was = Math.hypot(before[0] - other[0], before[1] - other[1]);
        const is = Math.hypot(at[0] - other[0], at[1] - other[1]);
        act.pan((at[0] - before[0]) / 2, (at[1] - before[1]) / 2);
        if (was > 0 && is > 0) act.zoom((at[0] + other[0]) / 2, (at[1] + other[1]) / 2, is / was);
      }
      moved = true;
    } else if (begun) {
      moved ||= Math.hypot(at[0] - begun[0], at[1] - begun[1]) > STILL;
      if (line) {
        const last = line[line.length - 1]!;
        if (Math.hypot(at[0] - last[0], at[1] - last[1]) >= STEP) {
          line.push(at);
          act.drawing(line);
        }
      } else if (moved) {
        act.pan(at[0] - before[0], at[1] - before[1]);
      }
    }
    pointers.set(event.pointerId, at);
  });

  const end = (event: PointerEvent, counts: boolean) => {
    if (!pointers.delete(event.pointerId) || pointers.size) return;
    if (counts && line && moved) act.drawn(line);
    else if (counts && !moved) act.click(...place(event));
    if (line) act.drawing([]);
    line = null;
    begun = null;
  };
  on("pointerup", (event) => end(event, true));
  on("pointercancel", (event) => end(event, false));
  on("pointerleave", () => act.leave());
  on("wheel", (event) => {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
    act.zoom(...place(event), Math.exp(-event.deltaY * lines * 0.0015));
  }, false);
}
