// Which lines of a laid-out text are folded away, and so which line a row shows. Pure.

/** A line that opens something, and how many lines that takes, itself counted; all but the first are hidden. */
export type Fold = { readonly line: number; readonly lines: number };

/** Folds that lie in no other, in the order of their lines. */
function outermost(folds: readonly Fold[]): Fold[] {
  const kept: Fold[] = [];
  for (const fold of folds.toSorted((a, b) => a.line - b.line)) {
    const last = kept.at(-1);
    if (last === undefined || fold.line >= last.line + last.lines) kept.push(fold);
  }
  return kept;
}

/** Lines hidden before a line. */
export function foldedTo(folds: readonly Fold[], line: number): number {
  return outermost(folds)
    .filter((fold) => fold.line < line)
    .reduce((sum, fold) => sum + Math.min(fold.lines - 1, line - fold.line - 1), 0);
}

export function lineOfRow(folds: readonly Fold[], row: number): number {
  let line = row;
  for (const fold of outermost(folds)) {
    if (fold.line >= line) break;
    line += fold.lines - 1;
  }
  return line;
}

/** The row of a line; of one that is hidden, that of the line that hides it. */
export function rowOfLine(folds: readonly Fold[], line: number): number {
  const hiding = outermost(folds).find((fold) => fold.line < line && line < fold.line + fold.lines);
  const seen = hiding?.line ?? line;
  return seen - foldedTo(folds, seen);
}

export const toggleFold = (folds: readonly Fold[], fold: Fold): Fold[] =>
  folds.some(({ line }) => line === fold.line) ? folds.filter(({ line }) => line !== fold.line) : [...folds, fold];

/** Without those that hide a line. */
export const withoutFoldsAround = (folds: readonly Fold[], line: number): Fold[] =>
  folds.filter((fold) => line <= fold.line || line >= fold.line + fold.lines);
