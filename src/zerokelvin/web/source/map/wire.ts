// What the service sends for the map: places and colours, little-endian, in the project's order of nodes.

export interface MapPlaces {
  n: number;
  stage: number; // 0 first drawing, 1 being refined, 2 final
  revision: number;
  x: Float32Array;
  y: Float32Array;
}

export interface MapColours {
  n: number;
  events: number;
  classes: number;
  predicted: Uint16Array; // 0xffff where nothing is predicted
  confidence: Uint8Array;
  source: Uint8Array; // 0 predicted, 1 asked, 2 taught, 3 mine
}

const HEAD = 24;

export function parseMap(buffer: ArrayBuffer): MapPlaces {
  const head = readHead(buffer, "ZKMAP1", 8);
  const { n } = head;
  return {
    n,
    stage: head.second,
    revision: head.third,
    x: littleEndian() ? new Float32Array(buffer, HEAD, n) : floats(buffer, HEAD, n),
    y: littleEndian() ? new Float32Array(buffer, HEAD + 4 * n, n) : floats(buffer, HEAD + 4 * n, n),
  };
}

export function parseColours(buffer: ArrayBuffer): MapColours {
  const head = readHead(buffer, "ZKCOL1", 4);
  const { n } = head;
  return {
    n,
    events: head.second,
    classes: head.third,
    predicted: littleEndian() ? new Uint16Array(buffer, HEAD, n) : shorts(buffer, HEAD, n),
    confidence: new Uint8Array(buffer, HEAD + 2 * n, n),
    source: new Uint8Array(buffer, HEAD + 3 * n, n),
  };
}

function readHead(buffer: ArrayBuffer, magic: string, each: number) {
  const view = new DataView(buffer);
  const found = buffer.byteLength < HEAD ? "" : String.fromCharCode(...new Uint8Array(buffer, 0, 6));
  if (found !== magic) throw new Error(`the map begins with "${found}" where ${magic} was expected`);
  const n = view.getUint32(8, true);
  const length = HEAD + each * n;
  if (buffer.byteLength < length) {
    throw new Error(`the map has ${buffer.byteLength} bytes; ${n} points need ${length}`);
  }
  return { n, second: view.getUint32(12, true), third: view.getUint32(16, true) };
}

function littleEndian(): boolean {
  return new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;
}

function floats(buffer: ArrayBuffer, at: number, n: number): Float32Array {
  const view = new DataView(buffer);
  return Float32Array.from({ length: n }, (_, i) => view.getFloat32(at + 4 * i, true));
}

function shorts(buffer: ArrayBuffer, at: number, n: number): Uint16Array {
  const view = new DataView(buffer);
  return Uint16Array.from({ length: n }, (_, i) => view.getUint16(at + 2 * i, true));
}
