import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { resultOf, type Message } from "./message.ts";
import { ContextPruner, PRUNE_DEFAULTS, pruneContext, type PruneConfig } from "./prune.ts";

const user = (content = "go on"): Message => ({ role: "user", content, toolPayload: null });
const assistant = (id: string, name = "exec"): Message => ({
  role: "assistant",
  content: null,
  toolPayload: { toolCalls: [{ id, name, arguments: {} }] },
});
const result = (id: string, toolResult: unknown, toolName = "exec", more: Partial<Message> = {}): Message => ({
  role: "tool",
  content: null,
  toolPayload: { toolCallId: id, toolName, toolResult, toolError: null },
  ...more,
});
const round = (id: string, text: unknown, name = "exec"): Message[] => [assistant(id, name), result(id, text, name)];
const textsOf = (messages: readonly Message[]): unknown[] =>
  messages.flatMap((message) => resultOf(message)?.toolResult ?? []);

const AT_ONCE: Partial<PruneConfig> = {
  softTrimRatio: 0,
  hardClearRatio: 0,
  minPrunableToolChars: 0,
  hardClear: { enabled: true, placeholder: "[cleared]" },
};
const LONG = "x".repeat(20_000);
const four = (name = "exec"): Message[] => [user(), ...["t1", "t2", "t3", "t4"].flatMap((id) => round(id, LONG, name))];

test("pruning is off, and its numbers are those of the design, until somebody says otherwise", () => {
  expect(PRUNE_DEFAULTS).toEqual({
    mode: "off",
    ttlMs: 300_000,
    keepLastAssistants: 3,
    softTrimRatio: 0.3,
    hardClearRatio: 0.5,
    minPrunableToolChars: 50_000,
    softTrim: { maxChars: 4000, headChars: 1500, tailChars: 1500 },
    hardClear: { enabled: true, placeholder: "[Old tool result content cleared]" },
    tools: { allow: [], deny: [] },
  });
});

test("results before the last three answers are cleared, the others stay", () => {
  const pruned = pruneContext(four(), { config: AT_ONCE });
  expect(textsOf(pruned.messages)).toEqual(["[cleared]", LONG, LONG, LONG]);
  expect(pruned).toMatchObject({ cleared: [2], enveloped: [], trimmed: [] });
  expect(pruned.charsBefore - pruned.charsAfter).toBe(LONG.length - "[cleared]".length);
});

test("nothing before the first user message is pruned, nor in a conversation of few answers", () => {
  const messages = [...round("t0", LONG), ...four()];
  expect(textsOf(pruneContext(messages, { config: AT_ONCE }).messages)).toEqual([LONG, "[cleared]", LONG, LONG, LONG]);
  const few = four().slice(0, 5);
  expect(pruneContext(few, { config: AT_ONCE }).messages).toBe(few);
  const nobody = four().slice(1);
  expect(pruneContext(nobody, { config: { ...AT_ONCE, keepLastAssistants: 0 } }).messages).toBe(nobody);
});

test("with no answers to keep everything after the first user message may go", () => {
  const { messages } = pruneContext(four(), { config: { ...AT_ONCE, keepLastAssistants: 0 } });
  expect(new Set(textsOf(messages))).toEqual(new Set(["[cleared]"]));
});

describe("tools", () => {
  const cleared = (name: string, allow: string[], deny: string[]): boolean =>
    pruneContext(four(name), { config: { ...AT_ONCE, tools: { allow, deny } } }).cleared.length > 0;

  test("a denied tool stays though it is allowed, whatever the case of its name", () => {
    expect(cleared("Exec", ["ex*"], ["exec"])).toBe(false);
    expect(cleared("EXECUTE", ["ex*"], ["exec"])).toBe(true);
  });

  test("a list of allowed tools lets in nobody else", () => {
    expect(cleared("Browser", ["ex*"], [])).toBe(false);
    expect(cleared("Browser", [], [])).toBe(true);
    expect(cleared("a.b", ["a*b"], [])).toBe(true);
    expect(cleared("aXb", ["a.b"], [])).toBe(false);
  });
});

test("a long result keeps its beginning and its end, with a note of what it was", () => {
  const text = `BEGIN${"m".repeat(9990)}END!!`;
  const messages = [user(), ...round("t1", text), ...four().slice(1)];
  const { messages: pruned, trimmed } = pruneContext(messages, {
    config: { softTrimRatio: 0, hardClear: { enabled: false, placeholder: "" } },
  });
  expect(trimmed).toEqual([2, 4]);
  const short = textsOf(pruned)[0] as string;
  expect(short.startsWith(`BEGIN${"m".repeat(1495)}\n`)).toBe(true);
  expect(short).toContain(`${"m".repeat(1495)}END!!\n`);
  expect(short.endsWith("[Tool result trimmed: kept first 1500 chars and last 1500 chars of 10000 chars.]")).toBe(true);
});

test("a result that is made of text blocks is cut as text, and one with other blocks is not", () => {
  const blocks = [
    { type: "text", text: `BEGIN${"m".repeat(9990)}` },
    { type: "text", text: `${"n".repeat(9990)}END!!` },
  ];
  const config = { softTrimRatio: 0, hardClear: { enabled: false, placeholder: "" } };
  for (const value of [blocks, { content: blocks }]) {
    const { messages: pruned } = pruneContext([user(), ...round("t1", value), ...four().slice(1)], { config });
    const short = textsOf(pruned)[0] as string;
    expect(short.startsWith("BEGINmmm")).toBe(true);
    expect(short).toContain("nnnEND!!\n");
    expect(short).not.toContain('"type"');
  }
  const mixed = [...blocks, { type: "resource", uri: "file:///pier" }];
  const { messages: other } = pruneContext([user(), ...round("t1", mixed), ...four().slice(1)], { config });
  expect(textsOf(other)[0]).toMatch(/^\[\{"type":"text"/);
});

test("nothing is pruned under the share of the window at which trimming begins, and nothing cleared under the next", () => {
  const messages = [user(), ...Array.from({ length: 10 }, (_, i) => round(`t${i}`, LONG)).flat()];
  // 200,000 characters of 800,000 of an unknown window: under 0.3.
  expect(pruneContext(messages).messages).toBe(messages);
  const soft = pruneContext(messages, { contextWindowTokens: 150_000 });
  expect(soft.trimmed).toHaveLength(7);
  expect(soft.cleared).toEqual([]);
  const hard = pruneContext(messages, { contextWindowTokens: 10_000, config: { minPrunableToolChars: 10_000 } });
  expect(hard.cleared.length).toBeGreaterThan(0);
});

test("clearing stops as soon as it is enough, and does not begin where little can be won", () => {
  const messages = [user(), ...Array.from({ length: 8 }, (_, i) => round(`t${i}`, "y".repeat(3000))).flat()];
  const input = (minPrunableToolChars: number) => ({
    contextWindowTokens: 11_000,
    config: { softTrimRatio: 0, minPrunableToolChars },
  });
  // 24,000 characters of 44,000: one result less brings it under half.
  expect(pruneContext(messages, input(1000)).cleared).toEqual([2]);
  expect(pruneContext(messages, input(50_000)).cleared).toEqual([]);
});

test("a result that is kept as an artifact becomes its envelope, and an envelope stays", () => {
  const envelope =
    '{"artifact_id":"art_0123456789abcdef","size_bytes":20000,"line_count":1,"shape":"text(1)","how_to_access":{}}';
  const messages = [user(), ...round("t0", envelope), ...four().slice(1)];
  const pruned = pruneContext(messages, {
    config: AT_ONCE,
    envelopeOf: (message) => (resultOf(message)!.toolCallId === "t1" ? envelope : null),
  });
  expect(textsOf(pruned.messages)).toEqual([envelope, envelope, LONG, LONG, LONG]);
  expect(pruned).toMatchObject({ enveloped: [4], cleared: [] });
  // Also where others would only be trimmed, and where it is shorter than what would be trimmed.
  const config = { ...AT_ONCE, hardClear: { enabled: false, placeholder: "" } };
  expect(pruneContext(messages, { config, envelopeOf: () => envelope }).enveloped).toEqual([4]);
  const small = [user(), ...round("t1", "z".repeat(2000)), ...four().slice(1)];
  expect(pruneContext(small, { config: AT_ONCE, envelopeOf: () => envelope }).enveloped).toEqual([4, 2]);
});

test("results with images stay, and count by their images", () => {
  const picture = result("t1", "a picture", "exec", { imageUrls: ["data:image/png;base64,AA"] });
  const parts = { content: [{ type: "image", data: "A".repeat(100_000) }] };
  const messages = [user(), assistant("t1"), picture, ...round("t2", parts), ...four().slice(1)];
  const pruned = pruneContext(messages, { config: AT_ONCE });
  expect(textsOf(pruned.messages)).toEqual(["a picture", parts, "[cleared]", LONG, LONG, LONG]);
  expect(pruned.charsBefore).toBeGreaterThan(16_000 + 4 * LONG.length);
  expect(pruned.charsBefore).toBeLessThan(17_000 + 4 * LONG.length);
});

test("an error stays one, and a text that is shorter than the placeholder stays", () => {
  const failed: Message = {
    role: "tool",
    content: null,
    toolPayload: { toolCallId: "t0", toolName: "exec", toolResult: null, toolError: LONG },
  };
  const messages = [user(), assistant("t0"), failed, ...round("t00", "ok"), ...four().slice(1)];
  const { messages: pruned } = pruneContext(messages, { config: AT_ONCE });
  expect(resultOf(pruned[2]!)).toMatchObject({ toolResult: null, toolError: "[cleared]" });
  expect(resultOf(pruned[4]!)!.toolResult).toBe("ok");
});

describe("a pruner", () => {
  const over = (config: Partial<PruneConfig>) => {
    let now = 0;
    const pruner = new ContextPruner({ now: () => now }, { config: { ...AT_ONCE, mode: "cache-ttl", ...config } });
    return { pruner, at: (time: number) => (now = time) };
  };

  test("prunes when the cache has gone cold, and not again before its time has passed once more", () => {
    const { pruner, at } = over({});
    expect(pruner.prune(four())).toBeNull();
    pruner.touch();
    at(299_999);
    expect(pruner.prune(four())).toBeNull();
    at(300_000);
    expect(pruner.prune(four())?.cleared).toEqual([2]);
    expect(pruner.prune(four())).toBeNull();
    at(600_000);
    expect(pruner.prune(four())).not.toBeNull();
  });

  test("that is off, or has nothing to prune, does nothing", () => {
    const { pruner, at } = over({ mode: "off" });
    pruner.touch();
    at(1e9);
    expect(pruner.prune(four())).toBeNull();
    const idle = over({});
    idle.pruner.touch();
    idle.at(1e9);
    expect(idle.pruner.prune([user()])).toBeNull();
  });
});

test("pruning changes results alone, never makes a context longer, and touches nothing that it must keep", () => {
  const text = fc.oneof(fc.string({ unit: "binary", maxLength: 80 }), fc.constant(LONG), fc.constant("é".repeat(5000)));
  const piece = fc.oneof(
    fc.constant([user()]),
    fc.tuple(fc.uuid(), text, fc.constantFrom("exec", "Read")).map(([id, words, name]) => round(id, words, name)),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.nat(4), fc.nat(20_000), (pieces, keep, window) => {
      const messages = pieces.flat();
      const before = structuredClone(messages);
      const config = { keepLastAssistants: keep, minPrunableToolChars: 100, tools: { allow: [], deny: ["Read"] } };
      const pruned = pruneContext(messages, { config, contextWindowTokens: window });
      expect(messages).toEqual(before);
      expect(pruned.charsAfter).toBeLessThanOrEqual(pruned.charsBefore);
      expect(pruned.messages).toHaveLength(messages.length);
      const first = messages.findIndex(({ role }) => role === "user");
      const assistants = messages.flatMap(({ role }, i) => (role === "assistant" ? [i] : []));
      const end = keep === 0 ? messages.length : (assistants.at(-keep) ?? 0);
      const touched = new Set([...pruned.trimmed, ...pruned.enveloped, ...pruned.cleared]);
      pruned.messages.forEach((message, i) => {
        if (!touched.has(i)) return expect(message).toBe(messages[i]);
        expect(i).toBeGreaterThan(first);
        expect(i).toBeLessThan(end);
        expect(resultOf(message)?.toolName).toBe("exec");
        expect(String(resultOf(message)!.toolResult).isWellFormed()).toBe(
          String(resultOf(messages[i]!)!.toolResult).isWellFormed(),
        );
      });
    }),
  );
});
