import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { contentWords, plainWords } from "./content-words.ts";
import { entitiesIn } from "./entities.ts";
import { evidenceOf, logText, type Evidence } from "./evidence.ts";
import { commandsOf, errorLinesOf, fileNames } from "./evidence-lists.ts";
import { piecesOfEvents } from "./input-from-events.ts";
import type { EventBody } from "../../event.ts";
import { anyPieces, assistant, call, eventsOf, result, user } from "./testing-log.ts";

const pieces = (...bodies: EventBody[]) => piecesOfEvents(eventsOf(bodies));
const namesIn = (text: string): string[] => entitiesIn(text).map(({ name }) => name);

describe("names", () => {
  test.each([
    ["see /srv/app/main.go:12", ["/srv/app/main.go", "main.go"]],
    ["in lib/kernel/event.ts.", ["lib/kernel/event.ts", "event.ts"]],
    ["call parseLine(max_bytes, HTTP_PORT)", ["parseLine", "max_bytes", "HTTP_PORT"]],
    ["strings.SplitAfter keeps", ["strings.SplitAfter", "SplitAfter"]],
    ["at 9f86d08a, manual-commit-hook", ["9f86d08a", "manual-commit-hook"]],
    ["123e4567-e89b-12d3-a456-426614174000", ["123e4567-e89b-12d3-a456-426614174000"]],
    ["this and/or that, a well-known Session error", []],
    ["1.2.3 and 1234567 and deadbeef", []],
  ])("%s", (text, names) => {
    expect(namesIn(text)).toEqual(names);
  });

  test("each stands where it is said to stand", () => {
    fc.assert(
      fc.property(anyPieces, (log) => {
        const text = logText(log);
        for (const { name, at } of entitiesIn(text)) expect(text.startsWith(name, at)).toBe(true);
      }),
    );
  });
});

test("content words leave out the commonest, and plain ones every part of a name", () => {
  expect(contentWords("They should parseHeader, then write lib/port/gate.ts")).toEqual([
    "parse",
    "header",
    "write",
    "port",
    "gate",
  ]);
  expect(plainWords("They should parseHeader, then write lib/port/gate.ts. Rows stay")).toEqual([
    "write",
    "rows",
    "stay",
  ]);
});

describe("what was needed", () => {
  const before = pieces(
    user("Please repair parseLine, the reader stumbles over quoted cells in large tables."),
    call("1", "Read", { file_path: "/srv/app/cell-reader.ts" }),
    result("1", "function skipQuote(cell) { advances behind closing quotation marks }"),
    assistant("The helper maxDepth is never reached."),
  );
  const needs = (...after: EventBody[]): number => evidenceOf(before, pieces(...after), "").needed;

  test("a name that the agent writes later and that stood before is needed", () => {
    expect(needs(assistant("Now parseLine is next."))).toBe(1);
    expect(needs(call("2", "Edit", { file_path: "/srv/app/cell-reader.ts", new_string: "skipQuote(x)" }))).toBe(3);
  });

  test("one that a result or a person told again first is not", () => {
    expect(needs(call("2", "Bash", { command: "cat notes" }), result("2", "parseLine"), assistant("parseLine"))).toBe(
      0,
    );
    expect(needs(user("parseLine again"), assistant("parseLine"))).toBe(0);
    expect(needs(assistant("parseLine"), user("parseLine again"))).toBe(1);
  });

  test("one that never stood before is not, and a summary tells nothing", () => {
    expect(needs(assistant("freshName"))).toBe(0);
    expect(needs({ type: "user", text: "parseLine", injected: "summary" }, assistant("parseLine"))).toBe(1);
  });
});

describe("scores", () => {
  const before = pieces(
    user("Please repair parseLine, the reader stumbles over quoted cells in large tables."),
    call("1", "Edit", { file_path: "/srv/app/cell-reader.ts", old_string: "a", new_string: "b" }),
    result("1", "done"),
    call("2", "Bash", { command: "npm test --   cells\n--bail" }),
    result("2", "ok so far\nTypeError: cell is undefined", { isError: true, exitCode: 1 }),
  );
  const after = pieces(assistant("parseLine skips them now."));
  const score = (summary: string): Evidence => evidenceOf(before, after, summary);

  test("a name among the words that it stood among is kept in context, alone it is only kept", () => {
    expect(score("- repair parseLine: reader stumbles over quoted cells")).toMatchObject({ entity: 1, contexted: 1 });
    expect(score("- parseLine")).toMatchObject({ entity: 1, contexted: 0 });
    expect(score("- parseLine, with entirely unrelated friendly prose beside")).toMatchObject({
      entity: 1,
      contexted: 0,
    });
    expect(score("- parseLines")).toMatchObject({ entity: 0, contexted: 0 });
  });

  test("words more than the window away are no context", () => {
    const far = ` ${"x ".repeat(150)}`;
    expect(score(`parseLine${far}repair reader stumbles over quoted cells`).contexted).toBe(0);
  });

  test("files, messages, commands and error lines", () => {
    expect(score("cell-reader.ts")).toMatchObject({ filesModified: 1, userMessages: 0, commands: 0, errors: 0 });
    expect(score("repair the parse line reader that stumbles over quoted cells").userMessages).toBe(1);
    expect(score("ran npm test -- cells --bail").commands).toBe(1);
    expect(score("npm test").commands).toBe(0);
    expect(score("> TypeError:  cell is undefined").errors).toBe(1);
    expect(score("ok so far").errors).toBe(0);
  });

  test("names that only outputs had said are counted apart", () => {
    const before = pieces(
      user("Look at parseLine."),
      call("1", "Bash", { command: "ls" }),
      result("1", "readLine parseLine skipLine"),
    );
    const after = pieces(assistant("I change readLine, parseLine and skipLine."));
    expect(evidenceOf(before, after, "parseLine skipLine")).toMatchObject({ entity: 2 / 3, fromOutputs: 1 / 2 });
  });

  test("where there was nothing to keep there is no score", () => {
    expect(evidenceOf(pieces(assistant("hm")), [], "x")).toEqual({
      entity: null,
      contexted: null,
      fromOutputs: null,
      filesModified: null,
      userMessages: null,
      commands: null,
      errors: null,
      needed: 0,
    });
  });

  test("a bag of names scores nothing in context, in whatever order", () => {
    fc.assert(
      fc.property(anyPieces, fc.boolean(), (log, turned) => {
        const half = log.length >> 1;
        const names = [...new Set(log.slice(0, half).flatMap(({ text }) => namesIn(text)))];
        const { contexted, entity } = evidenceOf(
          log.slice(0, half),
          log.slice(half),
          (turned ? names.toReversed() : names).join(" "),
        );
        expect(contexted ?? 0).toBe(0);
        expect(entity ?? 1).toBe(1);
      }),
    );
  });

  test("the log itself keeps everything", () => {
    fc.assert(
      fc.property(anyPieces, (log) => {
        const half = log.length >> 1;
        const kept = evidenceOf(log.slice(0, half), log.slice(half), logText(log.slice(0, half)));
        for (const key of ["entity", "filesModified", "userMessages", "commands", "errors"] as const)
          expect(kept[key] ?? 1).toBe(1);
      }),
    );
  });
});

test("two files of one name are told apart by their folders", () => {
  expect(fileNames(["/a/b/index.ts", "/a/c/index.ts", "D:\\x\\main.go"])).toEqual([
    "b/index.ts",
    "c/index.ts",
    "main.go",
  ]);
  expect(fileNames(["index.ts", "a/index.ts"])).toEqual(["index.ts", "a/index.ts"]);
});

test("commands and error lines count once, and lines of results that went well are none", () => {
  const log = pieces(
    call("1", "Bash", { command: "make all" }),
    result("1", "make: no error here at all"),
    call("2", "Bash", { command: "make  all" }),
    result("2", "fatal error: no rule\nfatal error: no rule\nshort", { isError: true }),
  );
  expect(commandsOf(log)).toEqual(["make all"]);
  expect(errorLinesOf(log)).toEqual(["fatal error: no rule"]);
});
