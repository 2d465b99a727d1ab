import fc from "fast-check";
import { expect, test } from "vitest";
import { foldedTo, lineOfRow, rowOfLine, toggleFold, withoutFoldsAround, type Fold } from "./folds.ts";

const LINES = 60;
const folds = fc.array(fc.tuple(fc.nat(LINES - 2), fc.integer({ min: 2, max: 30 })), { maxLength: 6 }).map((some) =>
  // Brackets stand in brackets or beside them, never across.
  some
    .map(([line, lines]) => ({ line, lines: Math.min(lines, LINES - line) }))
    .filter((fold, i, all) =>
      all
        .slice(0, i)
        .every(
          (other) =>
            other.line !== fold.line &&
            (fold.line + fold.lines <= other.line ||
              other.line + other.lines <= fold.line ||
              (other.line < fold.line && fold.line + fold.lines < other.line + other.lines) ||
              (fold.line < other.line && other.line + other.lines < fold.line + fold.lines)),
        ),
    ),
);

const isHidden = (all: readonly Fold[], line: number): boolean =>
  all.some((fold) => fold.line < line && line < fold.line + fold.lines);

test("rows are the lines that no fold hides", () => {
  fc.assert(
    fc.property(folds, (all) => {
      const seen = Array.from({ length: LINES }, (_, line) => line).filter((line) => !isHidden(all, line));
      expect(LINES - foldedTo(all, LINES)).toBe(seen.length);
      seen.forEach((line, row) => {
        expect(lineOfRow(all, row)).toBe(line);
        expect(rowOfLine(all, line)).toBe(row);
      });
    }),
  );
});

test("a line that was found is not hidden any more", () => {
  fc.assert(
    fc.property(folds, fc.nat(LINES - 1), (all, line) => {
      expect(isHidden(withoutFoldsAround(all, line), line)).toBe(false);
    }),
  );
  const fold = { line: 3, lines: 4 };
  expect(toggleFold(toggleFold([], fold), fold)).toEqual([]);
});
