import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { missingIds, readRequirements } from "./conformance.ts";

const ROOT = join(import.meta.dirname, "..");
const rows = readRequirements(readFileSync(join(ROOT, "docs", "conformance.md"), "utf8"));

test("every requirement of the designs has a row", () => {
  expect(rows.length).toBeGreaterThan(150);
  expect(missingIds(rows)).toEqual([]);
});

test("every row names a test that is there", () => {
  const texts = new Map<string, string>();
  const lost = rows.filter(({ file, title }) => {
    if (!texts.has(file)) {
      const path = join(ROOT, file);
      texts.set(file, existsSync(path) ? readFileSync(path, "utf8") : "");
    }
    return !names(texts.get(file)!, title);
  });
  expect(lost.map(({ id, file, title }) => `${id}: ${file} > ${title}`)).toEqual([]);
});

/** Whether a file has a test of this title, as it stands or as one of a table's, with values in its places. */
function names(text: string, title: string): boolean {
  if (text.includes(title)) return true;
  return [...text.matchAll(/["`]([^"`\n]*(?:%[sdij]|\$\w+|\$\{[^}]*\})[^"`\n]*)["`]/g)].some(([, made]) => {
    let at = 0;
    const pieces = made!.split(/%[sdij]|\$\{[^}]*\}|\$[\w.]+/);
    return pieces.every((piece, i) => {
      const found = title.indexOf(piece, at);
      at = found + piece.length;
      return found >= 0 && (i > 0 || found === 0) && (i < pieces.length - 1 || at === title.length || piece === "");
    });
  });
}

test("every line of the tables is read", () => {
  const lines = readFileSync(join(ROOT, "docs", "conformance.md"), "utf8").split("\n");
  expect(lines.filter((line) => line.includes(".test.ts > ")).length).toBe(rows.length);
});
