// Two ways to draw many points: WebGL2, and pixels written by hand where there is none.

import type { Viewpoint } from "./viewpoint.ts";

export interface Renderer {
  readonly kind: "webgl2" | "canvas";
  place(x: Float32Array, y: Float32Array): void;
  paint(colours: Uint8Array<ArrayBuffer>): void;
  draw(view: Viewpoint, ratio: number, size: number): void;
  destroy(): void;
}

const VERTEX = `#version 300 es
in float x; in float y; in vec4 colour;
uniform vec2 centre; uniform vec2 scale; uniform float size;
out vec4 shade;
void main() {
  gl_Position = vec4((x - centre.x) * scale.x, (y - centre.y) * scale.y, 0.0, 1.0);
  gl_PointSize = size;
  shade = colour;
}`;

const FRAGMENT = `#version 300 es
precision highp float;
in vec4 shade; uniform float size; out vec4 pixel;
void main() {
  if (size > 3.0) {
    vec2 off = gl_PointCoord - 0.5;
    if (dot(off, off) > 0.25) discard;
  }
  pixel = vec4(shade.rgb, 1.0);
}`;

/** Null where the browser has no WebGL2, or refuses it; the canvas is then still free for another context. */
export function webglRenderer(canvas: HTMLCanvasElement): Renderer | null {
  const trial = document.createElement("canvas").getContext("webgl2");
  if (!trial || !linked(trial)) return null;
  trial.getExtension("WEBGL_lose_context")?.loseContext(); // a browser has few of them
  const gl = canvas.getContext("webgl2", { antialias: false, alpha: true, powerPreference: "low-power" });
  const program = gl && linked(gl);
  if (!gl || !program) return null;
  const buffers = { x: gl.createBuffer(), y: gl.createBuffer(), colour: gl.createBuffer() };
  const uniform = (name: string) => gl.getUniformLocation(program, name);
  const [centre, scale, size] = [uniform("centre"), uniform("scale"), uniform("size")];
  let placed = 0;
  let painted = 0;
  const fill = (name: keyof typeof buffers, width: number, type: number, data: ArrayBufferView<ArrayBufferLike>) => {
    gl.bindBuffer(gl.ARRAY_BUFFER, buffers[name]);
    gl.bufferData(gl.ARRAY_BUFFER, data as ArrayBufferView<ArrayBuffer>, gl.DYNAMIC_DRAW);
    const at = gl.getAttribLocation(program, name);
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, width, type, type === gl.UNSIGNED_BYTE, 0, 0);
  };
  return {
    kind: "webgl2",
    place(x, y) {
      fill("x", 1, gl.FLOAT, x);
      fill("y", 1, gl.FLOAT, y);
      placed = x.length;
    },
    paint(colours) {
      fill("colour", 4, gl.UNSIGNED_BYTE, colours);
      painted = colours.length / 4;
    },
    draw(view, ratio, points) {
      gl.viewport(0, 0, canvas.width, canvas.height);
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT);
      if (!placed || painted < placed) return;
      gl.useProgram(program);
      gl.uniform2f(centre, view.centreX, view.centreY);
      gl.uniform2f(scale, (2 * view.scale) / view.width, (2 * view.scale) / view.height);
      gl.uniform1f(size, points * ratio);
      gl.drawArrays(gl.POINTS, 0, placed);
    },
    destroy() {
      for (const buffer of Object.values(buffers)) gl.deleteBuffer(buffer);
      gl.deleteProgram(program);
    },
  };
}

function linked(gl: WebGL2RenderingContext): WebGLProgram | null {
  const program = gl.createProgram();
  for (const [type, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]] as const) {
    const shader = gl.createShader(type);
    if (!shader) return null;
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
    gl.deleteShader(shader);
  }
  gl.linkProgram(program);
  return gl.getProgramParameter(program, gl.LINK_STATUS) ? program : null;
}

/** Every point a square of pixels, one write each: 100,000 points take some milliseconds. */
export function pixelRenderer(canvas: HTMLCanvasElement): Renderer {
  const context = canvas.getContext("2d");
  let x = new Float32Array(0);
  let y = new Float32Array(0);
  let words = new Uint32Array(0);
  return {
    kind: "canvas",
    place(nextX, nextY) {
      x = nextX as Float32Array<ArrayBuffer>;
      y = nextY as Float32Array<ArrayBuffer>;
    },
    paint(colours) {
      words = new Uint32Array(colours.buffer);
    },
    draw(view, ratio, points) {
      if (!context) return;
      const image = context.createImageData(canvas.width, canvas.height);
      const pixels = new Uint32Array(image.data.buffer);
      const side = Math.max(1, Math.round(points * ratio));
      const [across, up] = [view.scale * ratio, view.scale * ratio];
      const [left, top] = [canvas.width / 2 - side / 2, canvas.height / 2 - side / 2];
      for (let i = 0; i < x.length && i < words.length; i++) {
        const px = Math.round((x[i]! - view.centreX) * across + left);
        const py = Math.round((view.centreY - y[i]!) * up + top);
        const [x0, x1] = [Math.max(0, px), Math.min(canvas.width, px + side)];
        if (x0 >= x1) continue;
        for (let row = Math.max(0, py); row < Math.min(canvas.height, py + side); row++) {
          pixels.fill(words[i]!, row * canvas.width + x0, row * canvas.width + x1);
        }
      }
      context.putImageData(image, 0, 0);
    },
    destroy() {},
  };
}
