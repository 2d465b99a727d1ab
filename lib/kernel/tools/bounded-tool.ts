// A tool as the executor runs it, and a call of one.
import { textOfValue } from "../artifacts/pointer.ts";

export type ToolCall = {
  /** The model's id of the call. Data: odd, empty and repeated ones are all right. */
  readonly call_id: string;
  readonly tool_name: string;
  readonly arguments: unknown;
};

export type CallContext = {
  readonly call_id: string;
  /** Aborted when the call is given up; a tool that listens stops early. */
  readonly signal: AbortSignal;
  readonly deadlineAt: number;
};

export type BoundedTool = {
  readonly name: string;
  execute(input: unknown, context: CallContext): unknown;
  /** Makes of what the tool returned what the model is to see. Measured is what comes out of this. */
  toModelOutput?(output: unknown): unknown;
  /** Checks and mends the arguments; throws when they do not fit. */
  parse?(input: unknown): unknown;
  /** Its own limit, in milliseconds: within 5 s and 45 s. */
  readonly timeoutMs?: number;
  readonly metadata?: { readonly retry_on_timeout?: boolean };
  /** The same arguments give the same answer: a second call in a turn is answered by the first. */
  readonly isIdempotent?: boolean;
  /** What it returned may be used again, in other turns and sessions too, where the host gives a cache. */
  readonly isCacheable?: boolean;
};

/** One text for a tool with its arguments, whatever the order of their keys; null where arguments are not plain data. */
export function callKey(toolName: string, input: unknown): string | null {
  try {
    return `${toolName}\n${textOfValue(sorted(input, 0))}`;
  } catch {
    return null;
  }
}

/** Arguments nested deeper are not compared: models write a handful of levels. */
const LEVELS = 64;

function sorted(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth === LEVELS) throw new RangeError("deep");
  if (Array.isArray(value)) return value.map((item) => sorted(item, depth + 1));
  // Entries, not an object: a key "__proto__" stays a key.
  return {
    entries: Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item, depth + 1)]),
  };
}
