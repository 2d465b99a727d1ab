// Areas in proportion to weights, as near to squares as a row by row filling gets. Pure.

export type Rect = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

/** One rectangle for each weight, in the same order. Weights of 0 and less get an empty one. */
export function squarify(weights: readonly number[], room: Rect): Rect[] {
  const rects: Rect[] = weights.map(() => ({ x: room.x, y: room.y, width: 0, height: 0 }));
  const order = weights
    .map((weight, index) => ({ weight, index }))
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight || a.index - b.index);
  let left = order.reduce((sum, { weight }) => sum + weight, 0);
  let rest = room;
  for (let from = 0; from < order.length && rest.width > 0 && rest.height > 0;) {
    const scale = (rest.width * rest.height) / left;
    const side = Math.min(rest.width, rest.height);
    let to = from + 1;
    let sum = order[from]!.weight;
    let worst = ratioOf(sum * scale, sum * scale, side);
    // The row grows while its worst shape gets no worse: the lightest of a row is its worst, but for the first.
    while (to < order.length) {
      const next = sum + order[to]!.weight;
      const area = next * scale;
      const shape = Math.max(
        ratioOf(order[from]!.weight * scale, area, side),
        ratioOf(order[to]!.weight * scale, area, side),
      );
      if (shape > worst && to > from) break;
      worst = shape;
      sum = next;
      to += 1;
    }
    const row = order.slice(from, to);
    rest = layRow(row, sum, { rest, scale, rects });
    left -= sum;
    from = to;
  }
  return rects;
}

/** How far from a square one of `area` is in a row of `rowArea` along `side`; 1 is a square. */
function ratioOf(area: number, rowArea: number, side: number): number {
  const depth = rowArea / side;
  const length = area / depth;
  return Math.max(depth / length, length / depth);
}

type Laying = { readonly rest: Rect; readonly scale: number; readonly rects: Rect[] };

/** Lays a row along the shorter side; returns the room that is left. */
function layRow(
  row: readonly { readonly weight: number; readonly index: number }[],
  sum: number,
  { rest, scale, rects }: Laying,
): Rect {
  const { x, y, width, height } = rest;
  const isColumn = width >= height;
  const depth = Math.min((sum * scale) / (isColumn ? height : width), isColumn ? width : height);
  let along = 0;
  for (const { weight, index } of row) {
    const length = (weight / sum) * (isColumn ? height : width);
    rects[index] = isColumn
      ? { x, y: y + along, width: depth, height: length }
      : { x: x + along, y, width: length, height: depth };
    along += length;
  }
  return isColumn
    ? { x: x + depth, y, width: width - depth, height }
    : { x, y: y + depth, width, height: height - depth };
}
