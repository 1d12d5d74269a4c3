// The map: many points in one canvas, to look at, to open one, and to draw a line around some.
//
// A second canvas over the first shows what changes with every movement of the hand: the line, the focused point and
// those highlighted. Both are drawn in the next frame after something changed, and never otherwise.

import { listen, type Tool } from "./gestures.ts";
import { type Direction, GridIndex } from "./grid_index.ts";
import { type ColourMode, paint } from "./palette.ts";
import { type Point, simplified } from "./polygon.ts";
import { pixelRenderer, type Renderer, webglRenderer } from "./renderers.ts";
import { Viewpoint } from "./viewpoint.ts";

export interface PointMapOptions {
  colours: readonly string[]; // by class
  dark?: boolean;
  reducedMotion?: boolean;
  renderer?: "webgl2" | "canvas"; // by default WebGL2 where there is one
  onOpen(index: number): void;
  onSelect(indices: Uint32Array, polygon: Point[]): void;
  onHover?(index: number | null): void;
  onFocusPoint?(index: number): void;
  onTool?(tool: Tool): void;
  head?(): number; // pixels at the top that something else stands on
}

const REACH = 14; // pixels between a click and the point that is meant
const MOVING = 450; // milliseconds from one drawing to the next
const ARROWS: Record<string, Direction> = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down" };

export class PointMap {
  private readonly view = new Viewpoint();
  private readonly overlay: HTMLCanvasElement;
  private readonly ending = new AbortController();
  private readonly watching: ResizeObserver | null;
  private drawer: Renderer;
  private x = new Float32Array(0);
  private y = new Float32Array(0);
  private index = new GridIndex(this.x, this.y);
  private shown: [Uint16Array, Uint8Array, Uint8Array] = [new Uint16Array(0), new Uint8Array(0), new Uint8Array(0)];
  private mode: ColourMode = "prediction";
  private tool: Tool = "pan";
  private focused = -1;
  private marked: ArrayLike<number> = [];
  private line: readonly Point[] = [];
  private from: { x: Float32Array; y: Float32Array; at: number } | null = null;
  private frame = 0;
  private stale = true;

  constructor(private readonly canvas: HTMLCanvasElement, private readonly options: PointMapOptions) {
    const wanted = options.renderer ?? "webgl2";
    this.drawer = (wanted === "webgl2" && webglRenderer(canvas)) || pixelRenderer(canvas);
    canvas.tabIndex = 0;
    canvas.style.touchAction = "none";
    if (!canvas.hasAttribute("role")) canvas.setAttribute("role", "application");
    this.overlay = document.createElement("canvas");
    this.overlay.setAttribute("aria-hidden", "true");
    Object.assign(this.overlay.style, { position: "absolute", pointerEvents: "none" });
    canvas.after(this.overlay);
    const { signal } = this.ending;
    listen(canvas, this.gestures(), signal);
    canvas.addEventListener("keydown", (event) => this.key(event), { signal });
    canvas.addEventListener("focus", () => this.ask(false), { signal });
    canvas.addEventListener("blur", () => this.ask(false), { signal });
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault(), { signal });
    canvas.addEventListener("webglcontextrestored", () => this.restore(), { signal });
    this.watching = typeof ResizeObserver === "undefined" ? null : new ResizeObserver(() => this.resize());
    this.watching?.observe(canvas);
    this.resize();
  }

  get renderer(): "webgl2" | "canvas" {
    return this.drawer.kind;
  }

  /** Other places for the points; of as many points as before, they wander there and the view stays. */
  setPositions(x: Float32Array, y: Float32Array): void {
    const same = x.length === this.x.length && x.length > 0;
    if (same && !this.options.reducedMotion) this.from = { x: this.x, y: this.y, at: performance.now() };
    this.x = x as Float32Array<ArrayBuffer>;
    this.y = y as Float32Array<ArrayBuffer>;
    this.index = new GridIndex(this.x, this.y);
    if (same) this.view.refit(this.index);
    else this.view.fit(this.index);
    if (!same) this.focused = -1;
    if (!this.from) this.drawer.place(this.x, this.y);
    this.repaint();
  }

  setColours(predicted: Uint16Array, confidence: Uint8Array, source: Uint8Array, mode: ColourMode): void {
    this.shown = [predicted, confidence, source];
    this.mode = mode;
    this.repaint();
  }

  setMode(mode: ColourMode): void {
    this.mode = mode;
    this.repaint();
  }

  setTheme(theme: { colours: readonly string[]; dark: boolean }): void {
    Object.assign(this.options, theme);
    this.repaint();
  }

  setTool(tool: Tool): void {
    this.tool = tool;
    this.canvas.style.cursor = tool === "lasso" ? "crosshair" : "";
    this.options.onTool?.(tool);
  }

  /** Rings around these points, and none around others. */
  highlight(indices: ArrayLike<number>): void {
    this.marked = indices;
    this.ask(false);
  }

  focusPoint(index: number): void {
    if (!(index >= 0 && index < this.x.length)) return;
    this.focused = index;
    this.view.reveal(this.x[index]!, this.y[index]!);
    this.options.onFocusPoint?.(index);
    this.ask();
  }

  fit(): void {
    this.view.fit(this.index);
    this.ask();
  }

  resize(): void {
    const ratio = this.ratio();
    const [width, height] = [this.canvas.clientWidth || 1, this.canvas.clientHeight || 1];
    for (const canvas of [this.canvas, this.overlay]) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const { style } = this.overlay;
    style.left = `${this.canvas.offsetLeft}px`;
    style.top = `${this.canvas.offsetTop}px`;
    style.width = `${width}px`;
    style.height = `${height}px`;
    this.view.width = width;
    this.view.height = height;
    this.view.head = Math.min(this.options.head?.() ?? 0, height / 3);
    this.view.refit(this.index);
    this.ask();
  }

  /** Draw at once; returns when it is done, for measurements. */
  drawNow(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.draw(performance.now());
  }

  destroy(): void {
    cancelAnimationFrame(this.frame);
    this.ending.abort();
    this.watching?.disconnect();
    this.overlay.remove();
    this.drawer.destroy();
  }

  private ratio(): number {
    return Math.min(globalThis.devicePixelRatio || 1, 3);
  }

  private restore(): void {
    this.drawer = webglRenderer(this.canvas) ?? this.drawer;
    this.drawer.place(this.x, this.y);
    this.repaint();
  }

  /** Colours of the points that are there; grey for those nothing is known of yet. */
  private repaint(): void {
    let [predicted, confidence, source] = this.shown;
    const n = this.x.length;
    if (predicted.length !== n) {
      const known = predicted;
      predicted = new Uint16Array(n).fill(0xffff);
      predicted.set(known.subarray(0, n));
      confidence = grown(confidence, n);
      source = grown(source, n);
    }
    this.drawer.paint(paint(predicted, confidence, source, this.mode, this.options.colours, !!this.options.dark));
    this.ask();
  }

  /** Draw in the next frame: all, or only what lies over the points. */
  private ask(points = true): void {
    this.stale ||= points;
    if (!this.frame) this.frame = requestAnimationFrame((now) => this.draw(now));
  }

  private draw(now: number): void {
    this.frame = 0;
    if (this.from) this.wander(now);
    if (this.stale) this.drawer.draw(this.view, this.ratio(), this.pointSize());
    this.stale = this.from !== null;
    this.drawOverlay();
  }

  private wander(now: number): void {
    const from = this.from!;
    const t = Math.max(0, Math.min(1, (now - from.at) / MOVING));
    if (t >= 1) {
      this.from = null;
      this.drawer.place(this.x, this.y);
      return;
    }
    const eased = t * t * (3 - 2 * t);
    this.drawer.place(between(from.x, this.x, eased), between(from.y, this.y, eased));
    this.ask();
  }

  private pointSize(): number {
    const base = this.x.length > 30000 ? 2 : this.x.length > 3000 ? 3.5 : 7;
    return Math.min(14, base * Math.max(1, this.view.zoom ** 0.4));
  }

  private drawOverlay(): void {
    const context = this.overlay.getContext("2d");
    if (!context) return;
    const ratio = this.ratio();
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.view.width, this.view.height);
    const [ink, paper] = this.options.dark ? ["#ffffff", "#000000"] : ["#000000", "#ffffff"];
    const ring = (i: number, radius: number) => {
      if (i >= this.x.length) return;
      const [px, py] = this.view.toScreen(this.x[i]!, this.y[i]!);
      for (const [colour, width] of [[paper, 4], [ink, 2]] as const) {
        context.strokeStyle = colour;
        context.lineWidth = width;
        context.beginPath();
        context.arc(px, py, radius, 0, 2 * Math.PI);
        context.stroke();
      }
    };
    const radius = this.pointSize() / 2 + 3;
    for (let k = 0; k < Math.min(this.marked.length, 500); k++) ring(this.marked[k]!, radius);
    if (this.focused >= 0) ring(this.focused, radius + 4);
    if (this.line.length > 1) {
      context.beginPath();
      this.line.forEach(([px, py], k) => (k ? context.lineTo(px, py) : context.moveTo(px, py)));
      context.closePath();
      context.fillStyle = this.options.dark ? "rgb(255 255 255 / 0.12)" : "rgb(0 0 0 / 0.08)";
      context.fill("evenodd");
      context.strokeStyle = ink;
      context.lineWidth = 1.5;
      context.setLineDash([5, 4]);
      context.stroke();
      context.setLineDash([]);
    }
  }

  private near(px: number, py: number): number {
    return this.index.nearest(...this.view.toPlane(px, py), REACH / this.view.scale);
  }

  private gestures() {
    const change = () => this.ask(false);
    return {
      tool: () => this.tool,
      pan: (dx: number, dy: number) => (this.view.pan(dx, dy), this.ask()),
      zoom: (px: number, py: number, factor: number) => (this.view.zoomAt(px, py, factor), this.ask()),
      hover: (px: number, py: number) => {
        const found = this.options.onHover ? this.near(px, py) : -1;
        this.options.onHover?.(found < 0 ? null : found);
      },
      leave: () => this.options.onHover?.(null),
      click: (px: number, py: number) => {
        const found = this.near(px, py);
        if (found < 0) return;
        this.focused = found;
        change();
        this.options.onOpen(found);
      },
      drawing: (line: readonly Point[]) => ((this.line = line), change()),
      drawn: (line: readonly Point[]) => this.select(line),
    };
  }

  /** The points inside a line of pixels go to whoever asked for them. */
  private select(line: readonly Point[]): void {
    const polygon = simplified(line, 1).map(([px, py]): Point => this.view.toPlane(px, py));
    const found = this.index.inside(polygon);
    this.highlight(found.length <= 500 ? found : []);
    this.options.onSelect(found, polygon);
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const [px, py] = [this.view.width / 2, this.view.height / 2];
    const arrow = ARROWS[event.key];
    if (arrow) {
      const here = this.focused;
      const first = this.index.nearest(...this.view.toPlane(px, py), Infinity);
      this.focusPoint(here < 0 ? first : this.index.towards(here, arrow));
    } else if (event.key === "Enter" && this.focused >= 0) this.options.onOpen(this.focused);
    else if (event.key === "+" || event.key === "=") this.gestures().zoom(px, py, 1.4);
    else if (event.key === "-") this.gestures().zoom(px, py, 1 / 1.4);
    else if (event.key === "0") this.fit();
    else if (event.key === "l" || event.key === "L") this.setTool(this.tool === "lasso" ? "pan" : "lasso");
    else if (event.key === "Escape" && (this.marked.length || this.tool === "lasso")) {
      this.setTool("pan");
      this.highlight([]);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

function grown(bytes: Uint8Array, n: number): Uint8Array {
  const out = new Uint8Array(n);
  out.set(bytes.subarray(0, n));
  return out;
}

function between(from: Float32Array, to: Float32Array, t: number): Float32Array {
  const out = new Float32Array(to.length);
  for (let i = 0; i < out.length; i++) out[i] = from[i]! + (to[i]! - from[i]!) * t;
  return out;
}
