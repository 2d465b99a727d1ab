import fc from "fast-check";
import { expect, test } from "vitest";
import { COLUMNS, visibleColumns } from "./columns.ts";
import { markWords, peakShare, placeOf, projectName, rowCount, snippetNearHit } from "./session-table-rows.ts";

test("sub-agents stand below their parent, in order, and the rest moves down", () => {
  const unfolded = [
    { id: "b", index: 1, children: 2 },
    { id: "d", index: 3, children: 1 },
  ];
  const rows = Array.from({ length: rowCount(4, unfolded) }, (_, row) => placeOf(row, unfolded));
  expect(rows).toEqual([
    { kind: "session", index: 0 },
    { kind: "session", index: 1 },
    { kind: "child", parent: "b", nth: 0, last: false },
    { kind: "child", parent: "b", nth: 1, last: true },
    { kind: "session", index: 2 },
    { kind: "session", index: 3 },
    { kind: "child", parent: "d", nth: 0, last: true },
  ]);
});

test("every session and every sub-agent has exactly one row", () => {
  const plan = fc.array(fc.nat(3), { maxLength: 30 });
  fc.assert(
    fc.property(plan, (children) => {
      const unfolded = children
        .map((count, index) => ({ id: `s${index}`, index, children: count }))
        .filter((parent) => parent.children > 0);
      const seen = Array.from({ length: rowCount(children.length, unfolded) }, (_, row) => {
        const place = placeOf(row, unfolded);
        return place.kind === "session" ? `s${place.index}` : `${place.parent}/${place.nth}`;
      });
      const wanted = children.flatMap((count, index) => [
        `s${index}`,
        ...Array.from({ length: count }, (_, nth) => `s${index}/${nth}`),
      ]);
      expect(seen).toEqual(wanted);
    }),
  );
});

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
