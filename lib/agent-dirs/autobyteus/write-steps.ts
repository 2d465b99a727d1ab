// A change of several files of a folder as steps that can be done again, and taken back: each knows how its file was
// before and how it is after. A file of lines may have grown meanwhile: what came later stays behind either.
import { rmdirSync } from "node:fs";
import { join } from "node:path";
import { appendBytes, changed, makeFolder, readStamped, removeFile, sha256, swapFile } from "./files.ts";

/** How a file is; null when it is not there. */
export type Side = { readonly size: number; readonly sha256: string } | null;

export type Step = {
  /** In the folder. */
  readonly file: string;
  readonly kind: "append" | "replace";
  /** It only ever grows, by lines: then what was added since stays. */
  readonly isLines: boolean;
  readonly before: Side;
  readonly after: Side;
  /** Bytes before, of a file that is replaced. */
  readonly beforeRef: string | null;
  /** Bytes after; of a file that is appended to, those that are added. */
  readonly afterRef: string;
  /** The folder of the file was made for it. */
  readonly madeFolder?: string;
};

/** Where bytes are kept that a folder may need again. */
export type Keep = {
  put(bytes: Uint8Array): string;
  get(ref: string): Uint8Array;
  /** Nobody asks for these again. Where it is missing, somebody else sweeps. */
  drop?(ref: string): void;
};

export type StepInput = {
  readonly file: string;
  readonly isLines: boolean;
  readonly before: Buffer | null;
  readonly madeFolder?: string;
} & ({ readonly after: Buffer | string } | { readonly added: Buffer | string });

export function stepOf(input: StepInput, keep: Keep): Step {
  const { file, isLines, before, madeFolder } = input;
  const isAppend = "added" in input;
  const bytes = Buffer.from(isAppend ? input.added : (input.after as string));
  const after = isAppend ? Buffer.concat([before ?? Buffer.alloc(0), bytes]) : bytes;
  return {
    file,
    kind: isAppend ? "append" : "replace",
    isLines,
    before: sideOf(before),
    after: sideOf(after),
    beforeRef: isAppend || before === null ? null : keep.put(before),
    afterRef: keep.put(bytes),
    ...(madeFolder !== undefined && { madeFolder }),
  };
}

export const sideOf = (bytes: Buffer | null): Side =>
  bytes === null ? null : { size: bytes.length, sha256: sha256(bytes) };

/** Where a file stands in the steps that are made of it. */
export type Position = {
  /** Steps of this file that are done. */
  readonly done: number;
  /** Bytes of an append that a kill cut off. */
  readonly torn: number;
  readonly bytes: Buffer | null;
  /** What others added since. */
  readonly later: Buffer;
};

const NONE = Buffer.alloc(0);
const NEWLINE = Buffer.from("\n");

/** How far the steps of one file are done; null when it is as none of them leaves it. */
export function positionOf(directory: string, steps: readonly Step[], keep: Keep): Position | null {
  const [first] = steps as [Step];
  const bytes = readStamped(join(directory, first.file))?.bytes ?? null;
  const sides = [first.before, ...steps.map(({ after }) => after)];
  const exact = sides.findLastIndex((side) => isSide(bytes, side));
  if (exact >= 0) return { done: exact, torn: 0, bytes, later: NONE };
  if (bytes === null) return null;
  if (first.kind === "append") {
    const torn = tornBytes(bytes, first, keep);
    if (torn !== null) return { done: 0, torn, bytes, later: NONE };
  }
  if (!first.isLines) return null;
  // The longer one first: after lines were taken away from the end of a file, it is a beginning of what it was.
  const grown = sides
    .map((side, done) => ({ side, done }))
    .filter(({ side }) => side !== null && side.size < bytes.length && isGrownFrom(bytes, side))
    .toSorted((a, b) => b.side!.size - a.side!.size)[0];
  return grown === undefined ? null : { done: grown.done, torn: 0, bytes, later: bytes.subarray(grown.side!.size) };
}

const isSide = (bytes: Buffer | null, side: Side): boolean =>
  bytes === null || side === null ? bytes === side : bytes.length === side.size && sha256(bytes) === side.sha256;

function isGrownFrom(bytes: Buffer, side: NonNullable<Side>): boolean {
  const isWhole = side.size === 0 || bytes[side.size - 1] === 0x0a || bytes[side.size] === 0x0a;
  return isWhole && sha256(bytes.subarray(0, side.size)) === side.sha256;
}

function tornBytes(bytes: Buffer, step: Step, keep: Keep): number | null {
  const from = step.before?.size ?? 0;
  const added = Buffer.from(keep.get(step.afterRef));
  const torn = bytes.length - from;
  if (torn < 0 || torn >= added.length) return null;
  if (step.before !== null && sha256(bytes.subarray(0, from)) !== step.before.sha256) return null;
  return bytes.subarray(from).equals(added.subarray(0, torn)) ? torn : null;
}

/** Does what is not done yet. Each file is looked at right before it is changed, and read again after. */
export function doSteps(directory: string, steps: readonly Step[], keep: Keep): void {
  steps.forEach((step, at) => {
    const ofFile = steps.filter(({ file }) => file === step.file);
    const nth = steps.slice(0, at).filter(({ file }) => file === step.file).length;
    const path = join(directory, step.file);
    const position = positionOf(directory, ofFile, keep) ?? changed(path);
    if (position.done > nth) return;
    if (step.madeFolder !== undefined) makeFolder(join(directory, step.madeFolder));
    const bytes = Buffer.from(keep.get(step.afterRef));
    if (step.kind === "append") appendBytes(path, bytes.subarray(position.torn));
    else swapFile(path, withLater(bytes, position.later), () => same(directory, ofFile, position, keep));
    const now = positionOf(directory, ofFile, keep);
    if (now === null || now.done <= nth) changed(path);
  });
}

/** Fails unless every file is as the steps leave it, or longer. */
export function checkSteps(directory: string, steps: readonly Step[], keep: Keep): void {
  for (const step of steps) {
    const ofFile = steps.filter(({ file }) => file === step.file);
    const position = positionOf(directory, ofFile, keep);
    if (position === null || position.done < ofFile.length) changed(join(directory, step.file));
  }
}

/** Takes back what is done, the last step first. */
export function undoSteps(directory: string, steps: readonly Step[], keep: Keep): void {
  for (const [at, step] of [...steps.entries()].toReversed()) {
    const ofFile = steps.filter(({ file }) => file === step.file);
    const nth = steps.slice(0, at).filter(({ file }) => file === step.file).length;
    const path = join(directory, step.file);
    const position = positionOf(directory, ofFile, keep) ?? changed(path);
    const isTorn = position.torn > 0 && position.done === nth;
    if (position.done <= nth && !isTorn) continue;
    const before =
      step.kind === "append"
        ? position.bytes!.subarray(0, step.before?.size ?? 0)
        : step.beforeRef === null
          ? NONE
          : Buffer.from(keep.get(step.beforeRef));
    if (step.before === null && position.later.length === 0) removeFile(path);
    else swapFile(path, withLater(before, position.later), () => same(directory, ofFile, position, keep));
    if (step.madeFolder !== undefined) removeEmpty(join(directory, step.madeFolder));
  }
}

/** What came later behind it, on a line of its own. */
function withLater(bytes: Buffer, later: Buffer): Buffer {
  if (later.length === 0) return bytes;
  const isEnded = bytes.length === 0 || bytes.at(-1) === 0x0a;
  if (isEnded) return Buffer.concat([bytes, later[0] === 0x0a ? later.subarray(1) : later]);
  return later[0] === 0x0a ? Buffer.concat([bytes, later]) : Buffer.concat([bytes, NEWLINE, later]);
}

/** Fails when the file is not as it was a moment ago. */
function same(directory: string, ofFile: readonly Step[], { bytes }: Position, keep: Keep): void {
  const now = positionOf(directory, ofFile, keep)?.bytes ?? null;
  if (now === null ? bytes !== null : bytes === null || !now.equals(bytes)) changed(join(directory, ofFile[0]!.file));
}

function removeEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch (error) {
    if (!["ENOTEMPTY", "EEXIST", "ENOENT"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}
