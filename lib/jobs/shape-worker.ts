// The thread that walks the bytes of a text for its shape. It looks at the clock itself, so that what was read until then
// is told and not lost.
import { closeSync, openSync, readSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import { ShapeReader, type ShapeKind, type TextShape } from "#lib/kernel/shape-tree/read-shape.ts";
import { serve } from "./worker-side.ts";

export type ShapeTask = {
  readonly path: string;
  readonly kind: ShapeKind;
  readonly mostBytes: number;
  readonly deadlineMs: number;
};

const PIECE_BYTES = 256 * 1024;

serve(parentPort!, async (task: ShapeTask) => ({ answer: shapeOfFile(task), isSpent: false }));

function shapeOfFile({ path, kind, mostBytes, deadlineMs }: ShapeTask): TextShape {
  const until = performance.now() + deadlineMs;
  const reader = new ShapeReader(kind);
  const file = openSync(path, "r");
  try {
    const buffer = new Uint8Array(PIECE_BYTES);
    for (let left = mostBytes; ;) {
      const length = readSync(file, buffer, 0, Math.min(PIECE_BYTES, left + 1), null);
      if (length === 0) return reader.end(null);
      if (left === 0) return reader.end("size");
      const taken = Math.min(length, left);
      left -= taken;
      if (!reader.add(buffer.subarray(0, taken))) return reader.end(null);
      if (taken < length) return reader.end("size");
      if (performance.now() > until) return reader.end("deadline");
    }
  } finally {
    closeSync(file);
  }
}
