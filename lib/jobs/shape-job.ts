// Shapes of stored texts, read in a thread of their own: 256 MB take seconds that nobody else is to wait for.
import { fail } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { ShapeKind, TextShape } from "#lib/kernel/shape-tree/read-shape.ts";
import type { ShapeTask } from "./shape-worker.ts";
import { createWorkerPool } from "./worker-pool.ts";

export type ShapeRequest = {
  readonly path: string;
  readonly kind: ShapeKind;
  readonly limits?: { readonly mostBytes: number; readonly deadlineMs: number };
};
export type ShapeResult = TextShape & { readonly ms: number };

/** Beyond its own deadline a thread may still read one piece and describe 2,000 paths. */
const GRACE_MS = 5000;

export function createShapes(size: number): {
  read(request: ShapeRequest): Promise<ShapeResult>;
  close(): Promise<void>;
} {
  const threads = createWorkerPool<ShapeTask, TextShape>({
    entry: new URL("./shape-worker.ts", import.meta.url),
    size,
  });
  return {
    async read({ path, kind, limits = { mostBytes: LIMITS.shapeBytes, deadlineMs: LIMITS.shapeMs } }) {
      const ran = await threads.run({ path, kind, ...limits }, { deadlineMs: limits.deadlineMs + GRACE_MS });
      if (ran.kind === "answer") return { ...ran.answer, ms: ran.ms };
      if (ran.kind === "busy") return fail("timeout", "Other shapes are being read. Try again in a moment.");
      if (ran.kind === "deadline")
        return fail("timeout", `Reading its shape took over ${limits.deadlineMs / 1000} s and was stopped. Ask jq.`);
      throw new Error(`Reading the shape failed: ${ran.message}.`);
    },
    close: () => threads.close(),
  };
}
