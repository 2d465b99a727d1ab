// Synthetic Claude Code sessions of a wished size: deterministic for a seed, every word from the list below, nothing from a
// real transcript. Shaped like real ones: an answer is told in several lines that repeat its usage, most results are
// small and a few are large, and the context is compacted when it comes near its window.
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";

export type SessionInput = {
  readonly path: string;
  readonly sessionId: string;
  readonly seed: number;
  /** Ends with the first turn that reaches this many bytes, or this many lines. */
  readonly bytes?: number;
  readonly lines?: number;
  readonly startAt?: number;
  readonly project?: string;
};

export type Written = { readonly bytes: number; readonly lines: number };

const WORDS =
  "anchor ballast beacon berth bilge bollard bow bridge bulkhead buoy cabin cable capstan cargo chart cleat compass crane crew current deck derrick dock draft dredge ebb fender fairway ferry fleet galley gangway gauge harbour hatch haul hawser helm hold hull keel knot ladder lantern latch ledger locker mast mooring oar pier pilot plank port quay rail reef rigging rope rudder sail sextant shoal signal slip sounding spar stern tide tiller tonnage tow trim wake wharf winch".split(
    " ",
  );
const TOOLS = ["Read", "Bash", "Grep", "Edit", "Glob", "Write"] as const;
const FLUSH_BYTES = 4 * 1024 * 1024;
/** Tokens at which the synthetic agent compacts, and what is left then. */
const COMPACT_AT = 160_000;
const COMPACTED_TO = 24_000;

/** The same numbers for the same seed (mulberry32). */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export const uuidOf = (seed: number, serial: number): string => {
  const hex = (n: number, length: number): string => (n >>> 0).toString(16).padStart(8, "0").slice(-length);
  return `${hex(seed, 8)}-${hex(serial >>> 16, 4)}-4${hex(serial, 3)}-8${hex(seed * 7, 3)}-${hex(serial * 2654435761, 8)}${hex(serial, 4)}`;
};

/** Writes one session file. */
export function writeSession(input: SessionInput): Written {
  mkdirSync(dirname(input.path), { recursive: true });
  const fd = openSync(input.path, "w");
  let held: string[] = [];
  let heldBytes = 0;
  let bytes = 0;
  let lines = 0;
  const flush = (): void => {
    if (held.length > 0) writeSync(fd, held.join(""));
    held = [];
    heldBytes = 0;
  };
  try {
    for (const line of sessionLines(input)) {
      held.push(line);
      heldBytes += line.length;
      bytes += line.length;
      lines++;
      if (heldBytes >= FLUSH_BYTES) flush();
      if (bytes >= (input.bytes ?? Infinity) || lines >= (input.lines ?? Infinity)) break;
    }
    flush();
  } finally {
    closeSync(fd);
  }
  return { bytes, lines };
}

/** Endless lines of a session, each with its newline. ASCII only, so that characters are bytes. */
export function* sessionLines(input: Omit<SessionInput, "path" | "bytes" | "lines">): Generator<string> {
  const { seed, sessionId } = input;
  const next = random(seed);
  pool ??= textPool(random(0x5bd1e995));
  const project = input.project ?? "/home/user/projects/harbour";
  let at = input.startAt ?? Date.UTC(2026, 0, 5, 8);
  let serial = 0;
  let answers = 0;
  let parent: string | null = null;
  let context = 18_000;

  const line = (type: string, more: Record<string, unknown>): string => {
    const uuid = uuidOf(seed, serial++);
    at += 400 + Math.floor(next() * 9000);
    const record = {
      parentUuid: parent,
      isSidechain: false,
      userType: "external",
      cwd: project,
      sessionId,
      version: "2.1.4",
      gitBranch: "main",
      type,
      ...more,
      uuid,
      timestamp: new Date(at).toISOString(),
    };
    parent = uuid;
    return `${JSON.stringify(record)}\n`;
  };
  const words = pool;
  const text = (least: number, most: number): string => {
    const length = Math.floor(least + (most - least) * next() ** 3);
    const from = Math.floor(next() * (words.length - length));
    return words.slice(from, from + length);
  };

  for (;;) {
    context += 300;
    yield line("user", { message: { role: "user", content: `${text(40, 900)} (${seed}.${serial})` } });
    const steps = 3 + Math.floor(next() * 22);
    for (let step = 0; step < steps; step++) {
      const id = `msg_${seed.toString(36)}${(answers++).toString(36).padStart(6, "0")}`;
      const output = 90 + Math.floor(next() * 700);
      const fresh = 40 + Math.floor(next() * 3000);
      const usage = {
        input_tokens: 4,
        cache_creation_input_tokens: fresh,
        cache_read_input_tokens: context,
        output_tokens: output,
      };
      context += fresh + output;
      const isLast = step === steps - 1;
      const answer = (content: object): string =>
        line("assistant", {
          requestId: `req_${id.slice(4)}`,
          message: {
            id,
            type: "message",
            role: "assistant",
            model: "claude-sonnet-4-5-20250929",
            content: [content],
            stop_reason: isLast ? "end_turn" : "tool_use",
            usage,
          },
        });
      if (next() < 0.35)
        yield answer({ type: "thinking", thinking: text(80, 1500), signature: "c3ludGhldGlj".repeat(20) });
      if (isLast || next() < 0.5) yield answer({ type: "text", text: text(60, 1800) });
      if (isLast) break;
      const toolId = `toolu_${seed.toString(36)}${serial.toString(36).padStart(8, "0")}`;
      const name = TOOLS[Math.floor(next() * TOOLS.length)]!;
      yield answer({ type: "tool_use", id: toolId, name, input: inputOf(name, text, project) });
      // Four in five results are short; the others fill a context.
      const content = `${seed}.${serial} ${next() < 0.8 ? text(60, 4000) : text(4500, 40_000)}`;
      context += Math.ceil(content.length / 4);
      yield line("user", {
        message: {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: toolId, content, is_error: next() < 0.04 }],
        },
      });
    }
    if (context < COMPACT_AT) continue;
    const metadata = { trigger: "auto", preTokens: context };
    yield line("system", { subtype: "compact_boundary", content: "Conversation compacted", compactMetadata: metadata });
    yield line("user", { isCompactSummary: true, message: { role: "user", content: text(2000, 9000) } });
    context = COMPACTED_TO;
  }
}

function inputOf(name: string, text: (least: number, most: number) => string, project: string): object {
  if (name === "Bash") return { command: text(20, 200), description: text(10, 60) };
  if (name === "Grep" || name === "Glob") return { pattern: text(6, 30), path: project };
  if (name === "Edit") return { file_path: `${project}/deck.ts`, old_string: text(40, 900), new_string: text(40, 900) };
  if (name === "Write") return { file_path: `${project}/hold.ts`, content: text(200, 6000) };
  return { file_path: `${project}/keel.ts` };
}

let pool: string | null = null;

/** Half a megabyte of lines that pieces are cut from: making words for gigabytes would take longer than importing them. */
function textPool(next: () => number): string {
  const lines: string[] = [];
  for (let size = 0; size < 512 * 1024;) {
    const words = Array.from({ length: 4 + Math.floor(next() * 10) }, () => {
      const word = WORDS[Math.floor(next() * WORDS.length)]!;
      return next() < 0.12 ? `${word}${Math.floor(next() * 10_000)}` : word;
    });
    const line = words.join(next() < 0.7 ? " " : "_");
    lines.push(line);
    size += line.length + 1;
  }
  return lines.join("\n");
}
