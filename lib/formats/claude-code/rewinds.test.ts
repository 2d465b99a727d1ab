// Synthetic records in the shape that Claude Code writes.
import { describe, expect, test } from "vitest";
import {
  answer,
  asks,
  bodies,
  events,
  idOf,
  jsonl,
  line,
  parse,
  prompt,
  result,
  run,
  text,
  type Rec,
} from "./testing-claude.ts";

const on = (parent: string | null, record: Rec): Rec => ({
  ...record,
  parentUuid: parent === null ? null : idOf(parent),
});
const rewinds = (...records: readonly Rec[]) => bodies(parse(...records)).filter(({ type }) => type === "rewind");
const back = (after: string | null) => ({ type: "rewind", text: "", after: after === null ? null : idOf(after) });

const FIRST = [on(null, prompt("p1", 1, "Begin.")), on("p1", answer("a1", 2, "1", text("Begun.")))];
const SECOND = [on("a1", prompt("p2", 3, "Go on.")), on("p2", answer("a2", 4, "2", text("Gone.")))];

describe("a rewind", () => {
  test("is a second prompt behind one record, and stands before it, with its record", () => {
    const drafts = parse(...FIRST, ...SECOND, on("a1", prompt("p3", 5, "Go elsewhere.")));
    const at = events(drafts).findIndex(({ body }) => body.type === "rewind");
    expect(events(drafts)[at]).toMatchObject({ body: back("a1"), recordKey: idOf("p3"), startsTurn: false });
    expect(events(drafts)[at + 1]).toMatchObject({ body: { type: "user" }, recordKey: idOf("p3"), startsTurn: true });
    expect(events(drafts)).toHaveLength(6);
  });

  test("to the start is a second prompt without a parent, where records name theirs", () => {
    const again = on(null, prompt("p3", 5, "Begin again."));
    expect(rewinds(...FIRST, ...SECOND, again)).toEqual([back(null)]);
    // Nobody names a parent: the order of the file is all there is.
    expect(rewinds(prompt("p1", 1, "a"), answer("a1", 2, "1", text("b")), prompt("p2", 3, "c"))).toEqual([]);
  });

  test("comes again: to the same record, then to one before it", () => {
    const third = [on("a1", prompt("p3", 5, "x")), on("p3", answer("a3", 6, "3", text("y")))];
    const fourth = [on("a3", prompt("p4", 7, "x")), on("p4", answer("a4", 8, "4", text("y")))];
    const all = [...FIRST, ...SECOND, ...third, ...fourth];
    expect(rewinds(...all, on("a1", prompt("p5", 9, "z")))).toEqual([back("a1"), back("a1")]);
    expect(rewinds(...all, on("a3", prompt("p5", 9, "z")), on(null, prompt("p6", 10, "z")))).toEqual([
      back("a1"),
      back("a3"),
      back(null),
    ]);
  });

  test("is seen at a command's note, and to before one", () => {
    const command = (label: string, parent: string) => [
      on(parent, prompt(`note ${label}`, 5, "<local-command-caveat>x</local-command-caveat>", { isMeta: true })),
      on(`note ${label}`, prompt(label, 5, "<command-name>/cost</command-name>")),
    ];
    expect(rewinds(...FIRST, ...SECOND, ...command("c", "a1"))).toEqual([back("a1")]);
    expect(rewinds(...FIRST, ...command("c", "a1"), on("a1", prompt("p3", 7, "x")))).toEqual([back("a1")]);
    expect(rewinds(...FIRST, ...command("c", "a1"), on("note c", prompt("p3", 7, "x")))).toEqual([back("note c")]);
    expect(rewinds(...FIRST, ...command("c", "a1"), on("c", prompt("p3", 7, "x")))).toEqual([]);
    const drafts = events(parse(...FIRST, ...SECOND, ...command("c", "a1")));
    expect(drafts.slice(-3).map(({ body, recordKey }) => [body.type, recordKey])).toEqual([
      ["rewind", idOf("note c")],
      ["user", idOf("note c")],
      ["user", idOf("c")],
    ]);
  });

  test("goes over more prompts than are remembered only to the start", () => {
    const many = Array.from({ length: 200 }, (_, i) => [
      on(i === 0 ? null : `a${i - 1}`, prompt(`p${i}`, i, "x")),
      on(`p${i}`, answer(`a${i}`, i, `${i}`, text("y"))),
    ]).flat();
    expect(rewinds(...many, on("a150", prompt("z", 500, "x")))).toEqual([back("a150")]);
    expect(rewinds(...many, on("a3", prompt("z", 500, "x")))).toEqual([]);
    expect(rewinds(...many, on(null, prompt("z", 500, "x")))).toEqual([back(null)]);
    expect(JSON.stringify(run(jsonl(...many)).state.prompts).length).toBeLessThan(1500);
  });
});

describe("no rewind is", () => {
  test.each<[string, readonly Rec[]]>([
    [
      "a result of parallel calls, whichever the answer goes on from",
      [
        on("p1", answer("b1", 2, "2", asks("t1", "Bash", {}))),
        on("b1", answer("b2", 2, "2", asks("t2", "Bash", {}))),
        on("b2", result("r2", 3, "t2", "two")),
        on("b1", result("r1", 3, "t1", "one")),
        on("r1", answer("b3", 4, "3", text("Both."))),
        on("b3", prompt("p2", 5, "On.")),
      ],
    ],
    [
      "a note of the client, a hook's or a progress line",
      [
        on("a1", line("system", "s1", 3, { subtype: "turn_duration", durationMs: 3 })),
        on("a1", line("progress", "g1", 3, { data: { type: "hook_progress" } })),
        on("s1", prompt("p2", 5, "On.")),
        on("s1", line("attachment", "n1", 5, { attachment: { type: "file" } })),
        on("s1", prompt("m1", 5, "seen", { isMeta: true })),
      ],
    ],
    [
      "a compaction's boundary and summary",
      [
        {
          ...on(null, line("system", "cut", 3, { subtype: "compact_boundary", compactMetadata: { trigger: "auto" } })),
          logicalParentUuid: idOf("a1"),
        },
        on("cut", prompt("sum", 3, "We began.", { isCompactSummary: true })),
        on("sum", prompt("p2", 4, "On.")),
      ],
    ],
    [
      "a sub-agent's conversation in the same file",
      [
        on(null, prompt("x1", 3, "Look.", { isSidechain: true })),
        on(null, prompt("x2", 4, "Look again.", { isSidechain: true })),
        on("a1", prompt("p2", 5, "On.")),
      ],
    ],
    ["a record whose parent stands in another file", [on("elsewhere", prompt("p2", 5, "On."))]],
    ["a copy of a prompt, far behind it", [...SECOND, ...copiesOf(30), on("a1", prompt("p2", 3, "Go on."))]],
    ["a record without the field", [{ ...prompt("p2", 5, "On."), parentUuid: undefined }]],
  ])("%s", (_, records) => {
    expect(rewinds(...FIRST, ...records)).toEqual([]);
  });

  test("anything in a sub-agent's own file", () => {
    const file = jsonl(
      ...[
        on(null, prompt("p1", 1, "x")),
        on("p1", answer("a1", 2, "1", text("y"))),
        on(null, prompt("p2", 3, "x")),
      ].map((one) => ({ ...one, isSidechain: true, agentId: "agent1" })),
    );
    expect(bodies(run(file, "/logs/agent-agent1.jsonl").drafts).map(({ type }) => type)).not.toContain("rewind");
  });
});

function copiesOf(count: number): Rec[] {
  return Array.from({ length: count }, (_, i) => on("a2", line("system", `n${i}`, 5, { subtype: "note" })));
}
