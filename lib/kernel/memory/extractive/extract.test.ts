import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { processorMs } from "../../testing-processor-time.ts";
import { extract } from "./extract.ts";
import { piecesOfEvents } from "./input-from-events.ts";
import { oneLine } from "./line-text.ts";
import type { Piece } from "./piece.ts";
import { anyPieces, assistant, call, eventsOf, reasoning, result, user } from "./testing-log.ts";

const summaryOf = (pieces: readonly Piece[], budgetChars = 4000): string => extract(pieces, { budgetChars }).text;
const WHOLE = 1_000_000;

const SMALL = piecesOfEvents(
  eventsOf([
    user("The export drops rows. Fix it, but never touch the public schema."),
    assistant("I look at how the exporter walks its rows."),
    call("1", "Read", { file_path: "/srv/app/export-rows.ts" }),
    result("1", "1\tfunction exportRows(table) {\n2\t  return table.rows.slice(1);\n3\t}"),
    call("2", "Bash", { command: "npm test -- export-rows" }),
    result("2", "FAIL export-rows.test.ts\nAssertionError: expected 3 rows, found 2 rows\n  at line 4", {
      exitCode: 1,
      isError: true,
    }),
    reasoning("The root cause is that exportRows skips the first row because headers once stood there."),
    reasoning("The slice helper stays because the importer still needs it."),
    call("3", "Edit", { file_path: "/srv/app/export-rows.ts", old_string: "rows.slice(1)", new_string: "rows" }),
    result("3", "The file was changed."),
    call("4", "Bash", { command: "npm test -- export-rows" }),
    result("4", "PASS 3 tests", { exitCode: 0 }),
    call("5", "Plan", {
      steps: [
        { step: "Fix the rows", status: "completed" },
        { step: "Tell it in the changelog", status: "pending" },
      ],
    }),
    result("5", "ok"),
    user("Good. Also keep the tests under a second."),
    assistant("The rows are whole again; the changelog is next."),
  ]),
);

describe("sections", () => {
  const text = summaryOf(SMALL);

  test("the first message is the goal, and every other stands word for word", () => {
    expect(text).toContain("## Goal\n- The export drops rows. Fix it, but never touch the public schema. [event 1]");
    expect(text).toContain("## User messages\n- Good. Also keep the tests under a second. [event 15]");
  });

  test("a file that was read and then changed stands once, as changed, with what was said before", () => {
    expect(text).toMatch(
      /^- modified \/srv\/app\/export-rows\.ts: The slice helper stays because the importer still needs it\. \[event 9\]$/m,
    );
    expect(text).not.toContain("read /srv/app/export-rows.ts");
  });

  test("a command that failed and then passed is told as it last ended", () => {
    expect(text).toContain("- exit 0 ×2: npm test -- export-rows [event 12]");
    expect(text).not.toContain("exit 1");
  });

  test("error lines stand word for word, also where the command passed later", () => {
    expect(text).toContain("- AssertionError: expected 3 rows, found 2 rows [event 6]");
  });

  test("open is what the last plan has not done, and where the agent stopped", () => {
    expect(text).toContain("- to do: Tell it in the changelog [event 13]");
    expect(text).not.toContain("to do: Fix the rows");
    expect(text).toContain("- last said: The rows are whole again; the changelog is next. [event 16]");
  });

  test("what was settled is told in the agent's own words", () => {
    expect(text).toMatch(
      /## Decisions\n- The root cause is that exportRows skips the first row because headers once stood there\. \[event 7\]/,
    );
  });

  test("what is left out is counted", () => {
    const { counts } = extract(SMALL, { budgetChars: 700 });
    expect(counts.find(({ title }) => title === "Evidence")!.all).toBeGreaterThan(0);
    for (const { kept, all } of counts) expect(kept).toBeLessThanOrEqual(all);
  });
});

test("an edit that was refused is told as such", () => {
  const pieces = piecesOfEvents(
    eventsOf([
      call("1", "Edit", { file_path: "/a/one.ts", old_string: "x", new_string: "y" }),
      result("1", "String to replace was not found in the file.", { isError: true }),
    ]),
  );
  expect(summaryOf(pieces)).toContain("- modified, the last time in vain /a/one.ts");
});

test("a snippet of an output that is kept as an artifact names its line there", () => {
  const pointer = "art:00000000-0000-8000-a000-000000000002";
  const output = `${"nothing here\n".repeat(40)}the handler parseRequestLine rejects every folded header value\n`;
  const pieces = piecesOfEvents(
    eventsOf([call("1", "Bash", { command: "cat notes" }), result("1", output)], { 2: pointer }),
  );
  const { lines } = extract(pieces, { budgetChars: 2000 });
  const line = lines.find(({ text }) => text.includes("parseRequestLine"))!;
  const [, at] = /\[artifact:art:00000000-0000-8000-a000-000000000002#L(\d+)\]$/.exec(line.text)!;
  // The snippet begins at that line or a little before the name's own.
  expect(Number(at)).toBeGreaterThan(20);
  expect(Number(at)).toBeLessThanOrEqual(41);
  expect(line.seqs).toEqual([2]);
});

test("a session that changed two hundred files names every one of them", () => {
  const bodies = Array.from({ length: 200 }, (_, i) => [
    call(`c${i}`, "Edit", {
      file_path: `/srv/some/long/project/folder/part${i}/index.ts`,
      old_string: "a",
      new_string: "b",
    }),
    result(`c${i}`, "done"),
  ]);
  const text = summaryOf(piecesOfEvents(eventsOf(bodies.flat())), 16_000);
  for (let i = 0; i < 200; i++) expect(text).toContain(`part${i}/index.ts`);
});

test("changed files that just fit are all there, whatever their number", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 3000, max: 12_000 }), (count, budgetChars) => {
      const bodies = Array.from({ length: count }, (_, i) => [
        call(`c${i}`, "Write", { file_path: `/srv/folder/file-${i}.ts`, content: "x" }),
        result(`c${i}`, "done"),
      ]);
      const text = summaryOf(piecesOfEvents(eventsOf(bodies.flat())), budgetChars);
      for (let i = 0; i < count; i++) expect(text).toContain(`file-${i}.ts`);
    }),
  );
});

test("a pasted page leaves room for short wishes, and keeps its own constraints", () => {
  const page = Array.from({ length: 300 }, (_, i) => `Paragraph ${i} tells of weather and of nothing else.`);
  page[150] = "Whatever happens, you must not rename the tables.";
  const pieces = piecesOfEvents(
    eventsOf([user(page.join("\n")), user("Do not use recursion."), user("Always write tests first.")]),
  );
  const text = summaryOf(pieces, 3000);
  expect(text).toContain("Whatever happens, you must not rename the tables.");
  expect(text).toContain("- Do not use recursion. [event 2]");
  expect(text).toContain("- Always write tests first. [event 3]");
});

describe("whatever the log holds", () => {
  const budget = fc.oneof(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 400, max: 12_000 }));

  test("the same log gives the same bytes", () => {
    fc.assert(
      fc.property(anyPieces, budget, (pieces, budgetChars) => {
        const again = JSON.parse(JSON.stringify(pieces)) as Piece[];
        expect(extract(again, { budgetChars })).toEqual(extract(pieces, { budgetChars }));
      }),
    );
  });

  test("the budget is never exceeded", () => {
    fc.assert(
      fc.property(anyPieces, budget, (pieces, budgetChars) => {
        expect(extract(pieces, { budgetChars }).text.length).toBeLessThanOrEqual(budgetChars);
      }),
    );
  });

  test("every line but a heading names events that are in the log, in order", () => {
    fc.assert(
      fc.property(anyPieces, budget, (pieces, budgetChars) => {
        const known = new Set(pieces.map(({ seq }) => seq));
        for (const { text, seqs, isHeading } of extract(pieces, { budgetChars }).lines) {
          expect(isHeading).toBe(text.startsWith("## "));
          if (isHeading) continue;
          expect(text.startsWith("- ")).toBe(true);
          expect(seqs.length).toBeGreaterThan(0);
          expect(seqs.every((seq) => known.has(seq))).toBe(true);
          expect(seqs.every((seq, i) => i === 0 || seq > seqs[i - 1]!)).toBe(true);
        }
      }),
    );
  });

  test("with room enough every message of the person stands there word for word", () => {
    fc.assert(
      fc.property(anyPieces, (pieces) => {
        const text = summaryOf(pieces, WHOLE);
        for (const piece of pieces)
          if (piece.kind === "user" && oneLine(piece.text) !== "") expect(text).toContain(oneLine(piece.text));
      }),
    );
  });

  test("no heading, fence or control character of the log is one of the summary", () => {
    fc.assert(
      fc.property(anyPieces, budget, (pieces, budgetChars) => {
        const { text, lines } = extract(pieces, { budgetChars });
        expect(text).toBe(lines.map((line) => line.text).join("\n"));
        expect(text.split("\n").length).toBe(text === "" ? 1 : lines.length);
        for (const line of text.split("\n")) expect(line === "" || /^(?:- |## [A-Z])/.test(line)).toBe(true);
        // eslint-disable-next-line no-control-regex
        expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/);
        expect(text.isWellFormed()).toBe(true);
      }),
    );
  });

  test("a log of one run of letters without a break is read in bounded time", () => {
    const pieces = piecesOfEvents(
      eventsOf([user("a-".repeat(150_000)), assistant("/".repeat(300_000)), result("x", "_.".repeat(150_000))]),
    );
    const took = processorMs(() => expect(summaryOf(pieces, 2000).length).toBeLessThanOrEqual(2000));
    expect(took).toBeLessThan(5000);
  });
});

test("nothing gives nothing", () => {
  expect(extract([], { budgetChars: 1000 })).toMatchObject({ text: "", lines: [] });
  expect(summaryOf(SMALL, 0)).toBe("");
  expect(summaryOf(SMALL, Number.NaN)).toBe("");
});
