// Which part of the plane is seen: pixels (of CSS, y down) = (place − centre) · scale + half the size (y up in the plane).

export interface Box {
  left: number;
  right: number;
  bottom: number;
  top: number;
}

export class Viewpoint {
  centreX = 0;
  centreY = 0;
  scale = 1;
  width = 1;
  height = 1;
  head = 0; // pixels at the top that something else stands on
  private fitted = 1;
  private home = true; // nobody has moved it since everything was to be seen

  /** How much larger than when everything is seen. */
  get zoom(): number {
    return this.scale / this.fitted;
  }

  /** See a whole box with a margin of some pixels. */
  fit(box: Box, margin = 24): void {
    this.fitted = this.scaleFor(box, margin);
    this.scale = this.fitted;
    this.centreX = (box.left + box.right) / 2;
    this.centreY = (box.bottom + box.top) / 2 + this.head / 2 / this.scale;
    this.home = true;
  }

  /** Another box or size: everything is seen still; where one had moved, what is seen stays, and the zoom in proportion. */
  refit(box: Box, margin = 24): void {
    if (this.home) return this.fit(box, margin);
    const zoom = this.zoom;
    this.fitted = this.scaleFor(box, margin);
    this.scale = this.fitted * zoom;
  }

  private scaleFor(box: Box, margin: number): number {
    const across = box.right - box.left || 1;
    const up = box.top - box.bottom || 1;
    return Math.min(Math.max(1, this.width - 2 * margin) / across, Math.max(1, this.height - this.head - 2 * margin) / up);
  }

  toScreen(x: number, y: number): [number, number] {
    return [(x - this.centreX) * this.scale + this.width / 2, this.height / 2 - (y - this.centreY) * this.scale];
  }

  toPlane(px: number, py: number): [number, number] {
    return [(px - this.width / 2) / this.scale + this.centreX, (this.height / 2 - py) / this.scale + this.centreY];
  }

  pan(dx: number, dy: number): void {
    this.home = false;
    this.centreX -= dx / this.scale;
    this.centreY += dy / this.scale;
  }

  /** Zoom by a factor so that what is under a pixel stays there. */
  zoomAt(px: number, py: number, factor: number): void {
    this.home = false;
    const [x, y] = this.toPlane(px, py);
    const zoom = Math.max(0.5, Math.min(400, this.zoom * factor));
    this.scale = zoom * this.fitted;
    this.centreX = x - (px - this.width / 2) / this.scale;
    this.centreY = y - (this.height / 2 - py) / this.scale;
  }

  /** Move as little as needed to have a place in sight. */
  reveal(x: number, y: number, margin = 40): void {
    const [px, py] = this.toScreen(x, y);
    const mx = Math.min(margin, this.width / 4);
    const my = Math.min(margin, this.height / 4);
    this.pan(clampTo(px, mx, this.width - mx) - px, clampTo(py, my, this.height - my) - py);
  }
}

function clampTo(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, value));
}
