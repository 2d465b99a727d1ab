// Families of synthetic session files for property tests: a root, its forks, older and diverged copies, sub-agents in
// files of their own and inline. Each file is a list of lines; a plan says in which pieces and order they come in.
import fc from "fast-check";
import {
  answer,
  asks,
  idOf,
  line,
  prompt,
  result,
  text,
  used,
  type Rec,
} from "#lib/formats/claude-code/testing-claude.ts";

export type FamilyFile = { readonly name: string; readonly lines: readonly string[] };

type Member = { readonly sessionId: string; readonly steps: readonly number[] };
type Growth = {
  readonly kind: "fork" | "older" | "diverged" | "agent" | "compactor" | "early";
  readonly of: number;
  readonly keep: number;
  readonly own: number;
};

/** One step of a run: a prompt, an answer of two lines, a tool's result. Some outputs are large, some steps compact. */
function stepLines(step: number, sessionId: string, side: Rec = {}): Rec[] {
  const more = { sessionId, ...side };
  const at = step * 10;
  const long = step % 3 === 0 ? `line of step ${step}\n`.repeat(300) : `short ${step}`;
  const usage = (output: number): Rec => used(step, 100 * step, 7, output);
  const lines = [
    prompt(`p${step}`, at, `Do step ${step}`, more),
    answer(`a${step}`, at + 1, `${step}`, text(`On ${step}`), { usage: usage(1), stop: null, more }),
    answer(`b${step}`, at + 2, `${step}`, asks(`t${step}`, "Bash", { command: `run ${step}` }), {
      usage: usage(20 + step),
      stop: "tool_use",
      more,
    }),
    { ...result(`r${step}`, at + 3, `t${step}`, long, { is_error: step % 5 === 4 }), ...more },
  ];
  if (step % 4 === 3)
    lines.push({
      ...line("system", `c${step}`, at + 4, {
        subtype: "compact_boundary",
        compactMetadata: { trigger: "auto", preTokens: 900 },
      }),
      ...more,
    });
  if (step % 6 === 5)
    lines.push(...stepLines(step + 10_000, sessionId, { isSidechain: true, agentId: `in${step}`, ...side }));
  return lines;
}

const sessionOf = (label: string): string => idOf(`session ${label}`);

function build(root: number, growths: readonly Growth[]): FamilyFile[] {
  const members: Member[] = [{ sessionId: sessionOf("root"), steps: range(0, root) }];
  const files: FamilyFile[] = [fileOf(`p/${members[0]!.sessionId}.jsonl`, members[0]!)];
  growths.forEach(({ kind, of, keep, own }, i) => {
    const from = members[of % members.length]!;
    const kept = from.steps.slice(0, keep % (from.steps.length + 1));
    const added = range(100 * (i + 1), own);
    const agent = { isSidechain: true, agentId: `agent${i}` };
    if (kind === "agent" || kind === "compactor") {
      // The agent that writes a summary repeats its parent's last records, ids and all.
      const repeated = kind === "agent" ? [] : kept.slice(-2);
      const lines = [...repeated, ...added].flatMap((step) => stepLines(step, from.sessionId, agent));
      if (lines.length > 0)
        files.push({ name: `p/${from.sessionId}/subagents/agent-agent${i}.jsonl`, lines: lines.map(toLine) });
      return;
    }
    if (kind === "early") {
      // A fork that was made while an answer came in: it has one of the answer's two lines, with less usage.
      const sessionId = sessionOf(`fork ${i}`);
      const lines = kept.flatMap((step, n) =>
        stepLines(step, sessionId).slice(0, n === kept.length - 1 ? 2 : Infinity),
      );
      const rest = added.flatMap((step) => stepLines(step, sessionId));
      if (kept.length > 0) files.push({ name: `p/${sessionId}.jsonl`, lines: [...lines, ...rest].map(toLine) });
      return;
    }
    const sessionId = kind === "fork" ? sessionOf(`fork ${i}`) : from.sessionId;
    const steps = kind === "older" ? kept : [...kept, ...added];
    if (steps.length === 0) return;
    const member = { sessionId, steps };
    members.push(member);
    files.push(fileOf(kind === "fork" ? `p/${sessionId}.jsonl` : `copy${i}/${sessionId}.jsonl`, member));
  });
  return files;
}

const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, i) => from + i);
const toLine = (record: Rec): string => `${JSON.stringify(record)}\n`;
const fileOf = (name: string, { sessionId, steps }: Member): FamilyFile => ({
  name,
  lines: steps.flatMap((step) => stepLines(step, sessionId)).map(toLine),
});

/** A family: a root of one to seven steps, and up to four files that came of it or of each other. */
export const families: fc.Arbitrary<FamilyFile[]> = fc
  .tuple(
    fc.integer({ min: 1, max: 7 }),
    fc.array(
      fc.record({
        kind: fc.constantFrom(
          "fork" as const,
          "fork" as const,
          "older" as const,
          "diverged" as const,
          "agent" as const,
          "compactor" as const,
          "early" as const,
        ),
        of: fc.nat(5),
        keep: fc.nat(9),
        own: fc.nat(3),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  )
  .map(([root, growths]) => build(root, growths));

/** Pieces in which files come in: for each file the byte ends of its states, the last one whole, shuffled together. */
export type Piece = {
  readonly file: number;
  readonly bytes: number;
  /** The file whose lines stand in its place at first: they are replaced by its own. */
  readonly as?: number;
};

export const plansFor = (files: readonly FamilyFile[]): fc.Arbitrary<Piece[]> =>
  fc
    .tuple(
      fc.array(fc.tuple(fc.nat(files.length - 1), fc.double({ min: 0, max: 1, noNaN: true })), { maxLength: 5 }),
      fc.shuffledSubarray([...files.keys()], { minLength: files.length }),
      fc.infiniteStream(fc.nat(1000)),
      fc.array(fc.tuple(fc.nat(files.length - 1), fc.nat(files.length - 1)), { maxLength: 2 }),
    )
    .map(([cuts, order, random, replaced]) => {
      const sizes = files.map(({ lines }) => Buffer.byteLength(lines.join("")));
      const pieces: Piece[] = cuts.map(([file, share]) => ({ file, bytes: Math.floor(sizes[file]! * share) }));
      const all = [...pieces, ...order.map((file) => ({ file, bytes: sizes[file]! }))]
        .map((piece) => [random.next().value ?? 0, piece] as const)
        .toSorted(([a], [b]) => a - b)
        .map(([, piece]) => piece);
      // A file only grows: its pieces keep their positions, and go up in size.
      const ends = files.map((_, file) =>
        all
          .filter((piece) => piece.file === file)
          .map(({ bytes }) => bytes)
          .toSorted((a, b) => a - b),
      );
      const grown: Piece[] = all.map(({ file }) => ({ file, bytes: ends[file]!.shift()! }));
      return [...replaced.map(([file, as]) => ({ file, as, bytes: sizes[as]! })), ...grown];
    });
