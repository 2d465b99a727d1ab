// Answers behind relays: without an id of their request, and some with the same id for each. Synthetic; the numbers are a report's kind.
import { expect, test } from "vitest";
import { claudeCode } from "../claude-code.ts";
import { answer, asks, calls, idOf, line, parse, prompt, result, text, used, type Rec } from "./testing-claude.ts";

const relayed = (record: Rec, id: string, parent: string): Rec => {
  const { requestId: _, ...rest } = record;
  return { ...rest, parentUuid: idOf(parent), message: { ...(record["message"] as Rec), id } };
};
/** Each call with its fullest usage: prompt and output. */
const counted = (...records: readonly Rec[]) => {
  const all = new Map<string, [number, number]>();
  for (const { key, usage } of calls(parse(...records))) {
    const [prompted, output] = all.get(key) ?? [0, 0];
    all.set(key, [Math.max(prompted, usage?.inputUncached ?? 0), Math.max(output, usage?.output ?? 0)]);
  }
  return [...all.values()];
};
const RELAY = "ocgo";
const conversation = (id: string): Rec[] => [
  prompt("p1", 1, "Read both."),
  relayed(answer("a1", 2, "", text("Reading."), { usage: used(900, 0, 0, 4) }), id, "p1"),
  relayed(answer("a2", 3, "", asks("t1", "Read", { file_path: "/1" }), { usage: used(900, 0, 0, 40) }), id, "a1"),
  result("r1", 4, "t1", "One.", { more: { parentUuid: idOf("a2") } }),
  // Its result came while the answer was still written.
  relayed(answer("a3", 5, "", asks("t2", "Read", { file_path: "/2" }), { usage: used(900, 0, 0, 60) }), id, "r1"),
  result("r2", 6, "t2", "Two.", { more: { parentUuid: idOf("a3") } }),
  relayed(answer("b1", 7, "", text("Done."), { usage: used(1000, 0, 0, 20) }), id, "r2"),
  prompt("p2", 8, "Thanks."),
  relayed(answer("c1", 9, "", text("Welcome."), { usage: used(1100, 0, 0, 5) }), id, "p2"),
];
const EACH = [
  [900, 60],
  [1000, 20],
  [1100, 5],
];

test("answers that all have one short id are calls of their own", () => {
  expect(counted(...conversation(RELAY))).toEqual(EACH);
});

test("a long id is of one answer until a person wrote behind it, and shared from then on", () => {
  const id = "chatcmpl-always-the-same-name";
  const again = conversation(id).map((record, i) => ({
    ...record,
    uuid: idOf(`again ${i}`),
    parentUuid: i === 0 ? null : idOf(`again ${i - 1}`),
  }));
  expect(counted(...conversation(id), ...again)).toEqual([[1000, 60], [1100, 5], ...EACH]);
  // Counts that grow, prompt and all, while results come in between are one answer's.
  const growing = conversation(id)
    .slice(0, 7)
    .map((record, i) =>
      record["type"] === "assistant"
        ? { ...record, message: { ...(record["message"] as Rec), usage: used(100 * i, 0, 0, 10 * i) } }
        : record,
    );
  expect(counted(...growing)).toEqual([[600, 60]]);
});

test("copies of them in another file have their names, and name no call of another session", () => {
  const keys = (records: readonly Rec[]) => [...new Set(calls(parse(...records)).map(({ key }) => key))];
  const names = keys(conversation(RELAY));
  expect(names).toHaveLength(3);
  expect(keys([...conversation(RELAY)].map((record) => ({ ...record, sessionId: idOf("fork") })))).toEqual(names);
  expect(claudeCode.callNames).toBe("?*:?*");
  expect(names.filter((name) => /.:./.test(name))).toEqual([]);
});

test("an answer whose id is its own keeps the name that it had", () => {
  const own = conversation(RELAY).map((record, i) =>
    record["type"] === "assistant"
      ? { ...record, message: { ...(record["message"] as Rec), id: `chatcmpl-0123456789-${i < 6 ? 0 : i}` } }
      : record,
  );
  expect(calls(parse(...own)).map(({ key }) => key)).toEqual([
    ...Array.from({ length: 3 }, () => "chatcmpl-0123456789-0:"),
    ...["chatcmpl-0123456789-6:", "chatcmpl-0123456789-8:"],
  ]);
});

test("answers of many agents that are written side by side are one call each", () => {
  const agents = Array.from({ length: 9 }, (_, i) => i);
  const rows = (id: (agent: number) => string) => [
    ...agents.map((i) => [i, relayed(answer(`x${i}`, 2, "", text("I read.")), id(i), "p")] as const),
    ...agents.map((i) => [i, relayed(answer(`y${i}`, 3, "", asks(`t${i}`, "Read", {})), id(i), `x${i}`)] as const),
  ];
  const progress = rows((i) => `msg_bdrk_0123456789${i}`).map(([i, message]) =>
    line("progress", `progress of ${String(message["uuid"])}`, 3, {
      parentToolUseID: `task${i}`,
      data: { type: "agent_progress", agentId: `agent${i}`, message },
    }),
  );
  expect(counted(prompt("p", 1, "All."), ...progress)).toHaveLength(9);
  for (const id of [(i: number) => `msg_bdrk_0123456789${i}`, () => RELAY]) {
    const inside = rows(id).map(([i, record]) => ({ ...record, isSidechain: true, agentId: `agent${i}` }));
    expect(counted(prompt("p", 1, "All."), ...inside)).toHaveLength(9);
  }
});

test("a command that is typed while an answer is written does not end it", () => {
  const id = "msg_bdrk_0123456789";
  const file = [
    prompt("p1", 1, "Read."),
    relayed(answer("a1", 2, "", text("Reading."), { usage: used(900, 0, 0, 4) }), id, "p1"),
    prompt("c1", 3, "<command-name>/status</command-name>"),
    relayed(answer("a2", 4, "", asks("t1", "Read", { file_path: "/1" }), { usage: used(900, 0, 0, 40) }), id, "a1"),
  ];
  expect(counted(...file)).toEqual([[900, 40]]);
});
