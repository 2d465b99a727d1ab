import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { variedBy, writeVaried } from "./load-vary.ts";

const UUID = "0b6ee5f1-5d1c-4f66-9a0e-2f1f7d3c9a10";
const words = (count: number): string => Array.from({ length: count }, (_, i) => `capstan${i} hawser${i}`).join(" ");
const record = {
  type: "assistant",
  uuid: UUID,
  parentUuid: "first",
  sessionId: UUID,
  timestamp: "2026-03-01T08:00:00.000Z",
  message: {
    id: "msg_01AbCdEfGhIjKlMnOp",
    model: "claude-opus-4-6-with-a-name-of-more-than-forty-characters",
    usage: { input_tokens: 3, cache_read_input_tokens: 12_000 },
    content: [
      { type: "thinking", thinking: words(40), signature: words(20) },
      { type: "tool_use", id: "toolu_01AbCdEfGhIjKlMnOp", name: "Read", input: { note: words(40) } },
    ],
  },
};
const line = JSON.stringify(record);
const varied = (seed: number, text = line): typeof record => JSON.parse(variedBy(seed).line(text)) as typeof record;

test("a copy has ids of its own, and the same id is the same wherever it stands", () => {
  const [one, two] = [varied(1), varied(2)];
  expect(new Set([UUID, one.uuid, two.uuid]).size).toBe(3);
  expect(one.sessionId).toBe(one.uuid);
  expect(variedBy(1).ids(`${UUID}.jsonl`)).toBe(`${one.uuid}.jsonl`);
  expect(one.parentUuid).toBe("first-1");
  expect(one.message.id).not.toBe(two.message.id);
  expect(one.message.content[1]!.id).not.toBe(record.message.content[1]!.id);
});

test("its texts have other words, and nothing that a format or a price goes by is changed", () => {
  const one = varied(3);
  const [thought, call] = one.message.content;
  expect(thought!.thinking).not.toBe(record.message.content[0]!.thinking);
  expect(call!.input).not.toEqual(record.message.content[1]!.input);
  expect(thought!.thinking).not.toBe(varied(4).message.content[0]!.thinking);
  expect(thought!.signature).toBe(record.message.content[0]!.signature);
  expect([one.type, one.timestamp, one.message.model, one.message.usage]).toEqual([
    record.type,
    record.timestamp,
    record.message.model,
    record.message.usage,
  ]);
  // A tenth of the words, two letters each: the copy weighs what the original does.
  expect(thought!.thinking!.length / record.message.content[0]!.thinking!.length).toBeLessThan(1.1);
});

test("markers, tags, names inside JSON and broken lines stay as they are", () => {
  const text = `${words(8)} <persisted-output> /persisted-output tokens truncated {"${words(1)}":1}`;
  for (let seed = 1; seed < 30; seed++) {
    const said = (JSON.parse(variedBy(seed).line(JSON.stringify({ text }))) as { text: string }).text;
    for (const kept of ["<persisted-output>", "/persisted-output", "tokens truncated", 'hawser0":1'])
      expect(said).toContain(kept);
    expect(variedBy(seed).line('{"text":"half a li')).toBe('{"text":"half a li');
  }
});

test("rounds are written until there are bytes enough, each a folder of its own", () => {
  const dir = mkdtempSync(join(tmpdir(), "plimsoll-vary-"));
  try {
    const from = join(dir, "from");
    mkdirSync(join(from, UUID, "subagents"), { recursive: true });
    const text = `${`${line}\n`.repeat(4)}not json\n`;
    writeFileSync(join(from, `${UUID}.jsonl`), text);
    writeFileSync(join(from, UUID, "subagents", "agent-a1.jsonl"), text);
    writeFileSync(join(from, "short.jsonl"), "{}\n");
    const result = writeVaried([from], join(dir, "to"), 5 * text.length);
    expect(result.files).toBe(5);
    const made = (readdirSync(join(dir, "to"), { recursive: true }) as string[]).filter((name) =>
      name.endsWith(".jsonl"),
    );
    expect(made.filter((name) => name.startsWith("round-1/from/"))).toHaveLength(2);
    expect(new Set(made.map((name) => readFileSync(join(dir, "to", name), "utf8"))).size).toBe(3);
    expect(made.some((name) => name.includes(UUID))).toBe(false);
    expect(() => writeVaried([join(dir, "to", "round-1", "from", "none")], join(dir, "x"), 1)).toThrow();
  } finally {
    rmSync(dir, { recursive: true });
  }
});
