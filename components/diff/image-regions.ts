// Where two images of one size differ, as regions to step through. Pure.

/** In pixels. */
export type Region = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

export type ImageDifference = {
  readonly pixels: number;
  /** From the top left, as one reads. */
  readonly regions: readonly Region[];
};

/** Pixels that differ within so many of each other are one region. */
const CELL_PX = 16;

/** `left` and `right`: RGBA, four bytes a pixel, of the same size. */
export function imageRegions(left: Uint8ClampedArray, right: Uint8ClampedArray, width: number): ImageDifference {
  const height = left.length / 4 / width;
  const columns = Math.ceil(width / CELL_PX);
  const cells = new Map<number, { left: number; top: number; right: number; bottom: number }>();
  let pixels = 0;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 4;
      if (isSame(left, right, at)) continue;
      pixels++;
      const key = Math.floor(y / CELL_PX) * columns + Math.floor(x / CELL_PX);
      const cell = cells.get(key);
      if (cell === undefined) cells.set(key, { left: x, top: y, right: x, bottom: y });
      else {
        cell.left = Math.min(cell.left, x);
        cell.right = Math.max(cell.right, x);
        cell.bottom = y;
      }
    }
  const regions: Region[] = [];
  // In the order of their keys: from the top left.
  for (const key of [...cells.keys()].toSorted((a, b) => a - b)) {
    if (!cells.has(key)) continue;
    const box = { left: width, top: height, right: 0, bottom: 0 };
    const open = [key];
    while (open.length > 0) {
      const next = open.pop()!;
      const cell = cells.get(next);
      if (cell === undefined) continue;
      cells.delete(next);
      box.left = Math.min(box.left, cell.left);
      box.top = Math.min(box.top, cell.top);
      box.right = Math.max(box.right, cell.right);
      box.bottom = Math.max(box.bottom, cell.bottom);
      open.push(...besides(next, columns));
    }
    regions.push({ x: box.left, y: box.top, width: box.right - box.left + 1, height: box.bottom - box.top + 1 });
  }
  return { pixels, regions };
}

/** What is transparent on both sides is the same, whatever its colour. */
const isSame = (left: Uint8ClampedArray, right: Uint8ClampedArray, at: number): boolean =>
  left[at + 3] === right[at + 3] &&
  (left[at + 3] === 0 || (left[at] === right[at] && left[at + 1] === right[at + 1] && left[at + 2] === right[at + 2]));

function besides(key: number, columns: number): number[] {
  const column = key % columns;
  const found: number[] = [];
  for (const down of [-1, 0, 1])
    for (const aside of [-1, 0, 1])
      if (column + aside >= 0 && column + aside < columns) found.push(key + down * columns + aside);
  return found;
}
