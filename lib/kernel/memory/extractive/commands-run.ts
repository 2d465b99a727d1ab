// Commands that were run: each once, with how it last ended. Those that fail and those that ran last come first.
import { commandKey } from "./evidence-lists.ts";
import { clipped, oneLine } from "./line-text.ts";
import type { Piece } from "./piece.ts";

export type RunCommand = {
  readonly text: string;
  readonly seqs: readonly number[];
  readonly lastSeq: number;
  readonly times: number;
  /** `exit 1`, `failed`, `no error`; `no result` where none came. */
  readonly ended: string;
  readonly isFailed: boolean;
};

/** Characters of one command: what tells it (120), and a little more of its end. */
const COMMAND_CHARS = 160;
/** A command that ran this many pieces ago counts half. */
const HALF_AT = 100;
const FAILED = 1.5;
/** Characters that every line takes beside the command. */
const AROUND = 24;

type Open = { text: string; seqs: number[]; times: number; ended: string; isFailed: boolean; at: number };

/** Every command once, the one most worth its characters first. */
export function commandsRun(pieces: readonly Piece[]): RunCommand[] {
  const commands = new Map<string, Open>();
  for (const [at, piece] of pieces.entries()) {
    const key = piece.command === null ? "" : commandKey(piece.command);
    if (key === "") continue;
    const one = commands.get(key);
    if (piece.kind === "tool_call") {
      if (one === undefined) {
        const text = clipped(oneLine(piece.command!.slice(0, 4 * COMMAND_CHARS)), COMMAND_CHARS);
        commands.set(key, { text, seqs: [piece.seq], times: 1, ended: "no result", isFailed: false, at });
      } else Object.assign(one, { times: one.times + 1, ended: "no result", isFailed: false, at }).seqs.push(piece.seq);
    } else if (one !== undefined) {
      one.isFailed = piece.isError;
      one.ended = piece.exitCode !== null ? `exit ${piece.exitCode}` : piece.isError ? "failed" : "no error";
      one.seqs.push(piece.seq);
    }
  }
  const worth = ({ text, times, isFailed, at }: Open): number =>
    ((1 + Math.log(times)) * (isFailed ? FAILED : 1)) / ((1 + (pieces.length - at) / HALF_AT) * (text.length + AROUND));
  return [...commands.values()]
    .toSorted((a, b) => worth(b) - worth(a) || b.at - a.at)
    .map(({ text, seqs, times, ended, isFailed }) => ({ text, seqs, times, ended, isFailed, lastSeq: seqs.at(-1)! }));
}
