import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { corpusIn, readDirectory } from "./directory.ts";
import { exportDirectory } from "./export-directory.ts";
import { passesGate } from "./memory-items-file.ts";
import { FILES } from "./directory-paths.ts";
import type { Generation } from "./raw-trace.ts";
import { bytesIn, inFolder, makeDirectory, testHost } from "./testing-directory.ts";

const withExport = (
  from: Generation,
  to: Generation,
  work: (given: { from: string; to: string; exported: ReturnType<typeof exportDirectory> }) => void,
): void =>
  inFolder((base) => {
    const [source, target] = [join(base, "from"), join(base, "to")];
    makeDirectory(source, { generation: from, style: "python", damage: from === to ? ["foreign", "glued"] : [] });
    const before = bytesIn(source);
    const exported = exportDirectory(readDirectory(source), target, to, testHost());
    expect(bytesIn(source)).toEqual(before);
    work({ from: source, to: target, exported });
  });

describe("a folder that is exported", () => {
  test.each([1, 2] as const)("as its own generation, %s, is the same byte for byte", (generation) => {
    withExport(generation, generation, ({ from, to, exported }) => {
      const before = bytesIn(from);
      // What a writer never finished belongs to no complete segment.
      for (const name of before.keys()) if (name.includes("_00000000.jsonl")) before.delete(name);
      expect(bytesIn(to)).toEqual(before);
      expect(exported).toMatchObject({ renamed: 0, dropped: {}, episodic: 3, semantic: 3 });
    });
  });

  test("from the first as the second passes its check, and an id that stood twice is made two", () => {
    withExport(1, 2, ({ from, to, exported }) => {
      const [before, after] = [readDirectory(from), readDirectory(to)];
      expect([after.generation, after.warnings, after.problems]).toEqual([2, [], []]);
      expect(after.files.get(FILES.semantic)!.lines.every(({ records }) => passesGate(records[0]!.value))).toBe(true);
      const corpus = corpusIn(after);
      expect(corpus.map(({ turnId, seq, content }) => [turnId, seq, content])).toEqual(
        corpusIn(before).map(({ turnId, seq, content }) => [turnId, seq, content]),
      );
      expect(new Set(corpus.map(({ id }) => id)).size).toBe(corpus.length);
      expect(exported).toEqual({
        traces: 250,
        archived: 20,
        episodic: 3,
        semantic: 3,
        renamed: 54,
        dropped: {
          "raw_traces tags": 162,
          "raw_traces tool_result_ref": 6,
          "episodic tags": 3,
          "semantic tags": 3,
          "semantic confidence": 3,
        },
        badLines: 0,
      });
      expect(after.snapshot).toEqual({ ...before.snapshot!, schemaVersion: 3 });
    });
  });

  test("from the second as the first is of the first, and what that has no place for is counted", () => {
    withExport(2, 1, ({ from, to, exported }) => {
      const [before, after] = [readDirectory(from), readDirectory(to)];
      expect([after.generation, after.warnings, after.problems]).toEqual([1, [], []]);
      const plain = (found: typeof before) =>
        corpusIn(found)
          .filter(({ traceType }) => traceType !== "reasoning")
          .map(({ turnId, seq, content, toolCallId, unknown }) => [turnId, seq, content, toolCallId, unknown]);
      expect(plain(after)).toEqual(plain(before));
      expect([...bytesIn(to).keys()]).toEqual(
        [FILES.episodic, FILES.rawTraces, FILES.rawTracesArchive, FILES.semantic, FILES.snapshot].toSorted(),
      );
      expect(after.semantic.map(({ fact }) => fact)).toEqual(before.semantic.map(({ fact }) => fact));
      expect(exported.dropped).toEqual({ "semantic category": 3, "raw_traces reasoning": 18 });
      expect(exported.renamed).toBe(108);
    });
  });

  test("goes into no folder that holds anything", () => {
    inFolder((base) => {
      makeDirectory(join(base, "from"), { generation: 1, style: "javascript", turns: 1 });
      mkdirSync(join(base, "to"));
      writeFileSync(join(base, "to", "mine"), "");
      const found = readDirectory(join(base, "from"));
      expect(() => exportDirectory(found, join(base, "to"), 2, testHost())).toThrow(/not empty/);
      expect([...bytesIn(join(base, "to")).keys()]).toEqual(["mine"]);
    });
  });
});
