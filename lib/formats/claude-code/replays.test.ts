// Synthetic records in the shape that Claude Code writes: what it wrote before is in the file again.
import { expect, test } from "vitest";
import {
  answer,
  asks,
  bodies,
  calls,
  events,
  idOf,
  line,
  parse,
  prompt,
  result,
  text,
  type Rec,
} from "./testing-claude.ts";

/** A turn of 6 records, with a call of a tool. */
const turn = (n: number): Rec[] => [
  prompt(`p${n}`, n * 10, `Prompt ${n}.`),
  answer(`a${n}`, n * 10 + 1, `a${n}`, asks(`t${n}`, "Read", { file_path: `/tides/${n}` })),
  result(`r${n}`, n * 10 + 2, `t${n}`, `Tide ${n}.`),
  answer(`b${n}`, n * 10 + 3, `b${n}`, text(`Answer ${n}.`)),
  line("system", `h${n}`, n * 10 + 4, { subtype: "stop_hook_summary" }),
  line("system", `d${n}`, n * 10 + 5, { subtype: "turn_duration", durationMs: 5000 }),
];
const turns = (from: number, to: number): Rec[] =>
  Array.from({ length: to - from + 1 }, (_, i) => turn(from + i)).flat();
const compaction = (label: string, second: number): Rec[] => [
  line("system", label, second, { subtype: "compact_boundary", compactMetadata: { trigger: "auto" } }),
  prompt(`${label} summary`, second, "This session is being continued …", { isCompactSummary: true }),
];
const kinds = (...records: readonly Rec[]) => {
  const counts: Record<string, number> = {};
  for (const body of bodies(parse(...records))) {
    const kind = body.type === "meta" ? body.subtype : body.type;
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
};

test("what a resumed session has again from its compaction on is read once", () => {
  const since = [...compaction("c", 100), ...turns(11, 18)];
  const file = [...turns(1, 6), ...since, ...since, ...turn(30)];
  expect(kinds(...file)).toEqual({
    ...kinds(...turns(1, 6), ...since, ...turn(30)),
    duplicate: since.length,
  });
  const drafts = parse(...file);
  expect(events(drafts).filter(({ startsTurn }) => startsTurn)).toHaveLength(15);
  // Two answers a turn.
  expect(calls(drafts)).toHaveLength(30);
});

test("what stands before a second compaction is read once, and the rows of its command are new", () => {
  const first = turns(1, 8);
  const command: Rec[] = [
    prompt("note", 299, "<local-command-caveat>x</local-command-caveat>", { isMeta: true }),
    prompt("command", 299, "<command-name>/compact</command-name>"),
  ];
  const file = [
    ...first,
    ...compaction("c", 100),
    ...turns(11, 13),
    ...first,
    ...compaction("d", 300),
    ...command,
    ...turn(40),
  ];
  expect(kinds(...file)).toMatchObject({ compaction: 2, tool_call: 12, tool_result: 12, assistant: 12, duplicate: 48 });
  // The words of 12 turns, two summaries, the note and the command.
  expect(kinds(...file)["user"]).toBe(16);
});

test("a session that is only branched from or compacted has no copies", () => {
  const back = { ...prompt("p9", 200, "Elsewhere."), parentUuid: idOf("d2") };
  const late = { ...prompt("late", 50, "Typed before."), parentUuid: idOf("d6") };
  expect(kinds(...turns(1, 6), back, ...compaction("c", 210), late, ...turn(30))["duplicate"]).toBeUndefined();
});

test("copies end with the first prompt that is none, however far ahead the clock once was", () => {
  const ahead = answer("ahead", 1e7, "ahead", text("By a wrong clock."));
  const since = [...compaction("c", 100), ...turns(11, 18)];
  const before = [...turns(1, 3), ahead, ...turns(4, 6), ...since];
  expect(kinds(...before, ...since, ...turns(30, 60))).toEqual({
    ...kinds(...before, ...turns(30, 60)),
    duplicate: since.length,
  });
});
