// Letters on a canvas are pixels: so what is written there is noted, before a page's own scripts run,
// for whoever measures letters. The last size of a text counts, as a canvas is drawn again and again.
globalThis.writtenOn = new WeakMap();
const drawn = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (words, ...place) {
  const { canvas } = this;
  const { a, b, c, d } = this.getTransform();
  const dense = canvas.width / (canvas.clientWidth || canvas.width);
  const size = (Number.parseFloat(this.font) * Math.sqrt(Math.abs(a * d - b * c))) / dense;
  if (!globalThis.writtenOn.has(canvas)) globalThis.writtenOn.set(canvas, new Map());
  globalThis.writtenOn.get(canvas).set(String(words), size);
  return drawn.call(this, words, ...place);
};
