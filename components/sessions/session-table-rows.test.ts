import fc from "fast-check";
import { expect, test } from "vitest";
import { COLUMNS, visibleColumns } from "./columns.ts";
import { markWords, peakShare, projectName, snippetNearHit } from "./session-table-rows.ts";

test("a wider table never shows fewer columns, and the session itself always stands", () => {
  fc.assert(
    fc.property(fc.nat(2000), fc.nat(400), fc.subarray(COLUMNS.map((column) => column.id)), (width, more, hidden) => {
      const narrow = visibleColumns(width, hidden).map((column) => column.id);
      const wide = visibleColumns(width + more, hidden).map((column) => column.id);
      expect(wide).toEqual(expect.arrayContaining(narrow));
      expect(narrow[0]).toBe("session");
    }),
  );
});

test("a peak without a load line has no share", () => {
  expect(peakShare({ tokens: 78_000, loadLine: 156_000 })).toBe(0.5);
  expect(peakShare({ tokens: 78_000, loadLine: null })).toBeNull();
  expect(peakShare({ tokens: null, loadLine: 156_000 })).toBeNull();
});

test("a project is named by its last two folders", () => {
  expect(projectName("/home/someone/devenv/cli")).toBe("devenv/cli");
  expect(projectName("C:\\code\\app")).toBe("code/app");
  expect(projectName("/")).toBe("/");
});

test("searched words are marked at the start of a word, whatever the query holds", () => {
  expect(markWords("Compare line attribution", "attrib line")).toBe("Compare \u0002line\u0003 \u0002attrib\u0003ution");
  expect(markWords("Compare", "(*")).toBeNull();
  expect(markWords("online", "line")).toBeNull();
  // A letter's marks are of its word.
  expect(markWords("हिन्दी में", "हिन्दी")).toBe("\u0002हिन्दी\u0003 में");
});

test("a snippet begins shortly before its hit, at a word", () => {
  const long = "one two three four five six seven eight nine \u0002ten\u0003 eleven";
  expect(snippetNearHit(long)).toBe("…six seven eight nine \u0002ten\u0003 eleven");
  expect(snippetNearHit("one \u0002two\u0003")).toBe("one \u0002two\u0003");
});
