// The files that a log touched, and how each was left.
import { fileNames } from "./evidence-lists.ts";
import { oneLine } from "./line-text.ts";
import type { FileDeed, Piece } from "./piece.ts";
import { notesOfFile, whysOf, type Why } from "./why.ts";

export type TouchedFile = {
  readonly path: string;
  readonly does: FileDeed;
  /** Calls that did so. */
  readonly times: number;
  readonly seqs: readonly number[];
  readonly lastSeq: number;
  /** The last change was refused: the file is as it was before it. */
  readonly isFailed: boolean;
  /** Of its last change: what the agent said before it, and what the change itself says. */
  readonly notes: readonly Why[];
};

type Open = { does: FileDeed; times: number; seqs: number[]; isFailed: boolean; notes: Why[] };

/** Every file once, the last touched first. */
export function touchedFiles(pieces: readonly Piece[]): TouchedFile[] {
  const files = new Map<string, Open>();
  const whys = whysOf(pieces);
  for (const [i, piece] of pieces.entries()) {
    for (const { path, does } of piece.files) {
      if (piece.kind === "tool_call") touch(files, path, does, piece.seq, notesOfFile(piece, path, whys[i]!));
      else if (piece.isError) refuse(files, path, does);
    }
  }
  return [...files]
    .map(([path, { seqs, ...one }]) => ({ path, ...one, seqs, lastSeq: seqs.at(-1)! }))
    .toSorted((a, b) => b.lastSeq - a.lastSeq || (a.path < b.path ? -1 : 1));
}

function touch(files: Map<string, Open>, path: string, does: FileDeed, seq: number, notes: Why[]): void {
  const one = files.get(path);
  if (one === undefined) {
    files.set(path, { does, times: 1, seqs: [seq], isFailed: false, notes });
    return;
  }
  // Reading what was changed does not make it less changed; changing what was created leaves it new.
  if (does === "read" && one.does !== "read") return;
  const isNew = one.does === "created" && does === "modified";
  one.times = one.does === does || isNew ? one.times + 1 : 1;
  one.does = isNew ? "created" : does;
  one.isFailed = false;
  one.notes = notes;
  one.seqs.push(seq);
}

function refuse(files: Map<string, Open>, path: string, does: FileDeed): void {
  const one = files.get(path);
  if (one !== undefined && does !== "read") one.isFailed = true;
}

export type LedgerLine = {
  readonly text: string;
  readonly files: readonly TouchedFile[];
  readonly seqs: readonly number[];
};

/** Lines that name every changed file within `chars` characters: each with its path and why, else its path, else its name. */
export function changedLines(files: readonly TouchedFile[], chars: number, ref: (seq: number) => string): LedgerLine[] {
  const full = files.map((file) => ({
    text: `- ${deedOf(file)} ${oneLine(file.path)}`,
    files: [file],
    seqs: file.seqs,
  }));
  const [size, ends] = [sizeOf(full), files.map(({ lastSeq }) => ` ${ref(lastSeq)}`)];
  const paths = full.map((line, i) => ({ ...line, text: line.text + ends[i]! }));
  if (sizeOf(paths) <= chars) {
    let left = chars - sizeOf(paths);
    const result = new Set<string>();
    return full.map((line, i) => {
      const { notes, seqs } = files[i]!;
      // What was said before five files is told of one of them.
      const why = notes.find(({ text }) => !result.has(text));
      if (why === undefined || why.text.length + 2 > left) return paths[i]!;
      result.add(why.text);
      left -= why.text.length + 2;
      return { ...line, text: `${line.text}: ${why.text}${ends[i]!}`, seqs: [...seqs, why.seq] };
    });
  }
  if (size <= chars) return full;
  return grouped(files);
}

const sizeOf = (lines: readonly LedgerLine[]): number => lines.reduce((sum, { text }) => sum + text.length + 1, 0);

/** Many files: names alone, as much of each path as tells it from the others, ten to a line. */
function grouped(files: readonly TouchedFile[]): LedgerLine[] {
  const names = fileNames(files.map(({ path }) => path));
  const lines: LedgerLine[] = [];
  for (const does of ["modified", "created", "deleted"] as const) {
    const own = files.map((file, i) => ({ file, name: oneLine(names[i]!) })).filter(({ file }) => file.does === does);
    for (let from = 0; from < own.length; from += 10) {
      const ten = own.slice(from, from + 10);
      lines.push({
        text: `- ${does} ${ten.map(({ name }) => name).join(", ")}`,
        files: ten.map(({ file }) => file),
        seqs: ten.flatMap(({ file }) => file.seqs),
      });
    }
  }
  return lines;
}

export const deedOf = ({ does, times, isFailed }: TouchedFile): string =>
  `${does}${times > 1 ? ` ×${times}` : ""}${isFailed ? ", the last time in vain" : ""}`;
