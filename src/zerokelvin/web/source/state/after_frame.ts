// Work for after the next frame has been drawn: a turn's own work is not to delay what is seen. A tab that is hidden draws
// no frames, and one that is closed has no time to wait.

const LATEST = 60; // milliseconds

const open = new Set<() => void>();

export function afterFrame(work: () => void): void {
  const once = () => {
    if (open.delete(once)) work();
  };
  open.add(once);
  requestAnimationFrame(() => setTimeout(once));
  setTimeout(once, LATEST);
}

/** Do at once what waits for a frame. */
export function flush(): void {
  for (const once of [...open]) once();
}

globalThis.addEventListener?.("pagehide", flush);
