import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  approxByteSize,
  getArtifact,
  isPointer,
  listArtifacts,
  nameHistory,
  storeArtifact,
} from "./in-memory-artifacts.ts";
import { ARTIFACTS_KEY } from "./in-memory-state.ts";
import { applyArtifactPolicy, withArtifacts } from "./in-memory-policy.ts";
import { artifactTools } from "./in-memory-tools.ts";

const context = () => ({ sessionState: {} as Record<string, unknown> });
const use = (ctx: ReturnType<typeof context>, name: string, input: unknown): string =>
  artifactTools(ctx)
    .find((tool) => tool.name === name)!
    .execute(input);

describe("storing", () => {
  test("a stored text gets a pointer with a uuid and a preview", () => {
    const stored = storeArtifact(context(), "hello world");
    expect(stored.pointer).toMatch(/^art:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(stored).toEqual({ pointer: stored.pointer, preview: "hello world", sizeBytes: 11 });
  });

  test("the size is counted in bytes of UTF-8", () => {
    expect(storeArtifact(context(), "abc").sizeBytes).toBe(3);
    expect(storeArtifact(context(), "€").sizeBytes).toBe(3);
    expect(storeArtifact(context(), { a: 1 }).sizeBytes).toBe(7);
  });

  test("a long text is previewed to the characters that were asked for", () => {
    const { preview } = storeArtifact(context(), "x".repeat(500), { previewChars: 100 });
    expect(preview).toBe(`${"x".repeat(100)}...(truncated, 400 more chars)`);
  });

  test("options are told back: the name beside the pointer, the content type with the artifact", () => {
    const ctx = context();
    const stored = storeArtifact(ctx, "a,b", { name: "table", contentType: "text/csv" });
    expect(stored.name).toBe("table");
    expect(getArtifact(ctx, "table")).toMatchObject({ name: "table", contentType: "text/csv", preview: "a,b" });
  });
});

describe("reading back", () => {
  test("by pointer and by name", () => {
    const ctx = context();
    const { pointer } = storeArtifact(ctx, "log content", { name: "logs" });
    expect(getArtifact(ctx, "logs")!.value).toBe("log content");
    const found = getArtifact(ctx, pointer)!;
    expect({ ...found, storedAt: 0 }).toEqual({
      id: pointer.slice(4),
      name: "logs",
      value: "log content",
      preview: "log content",
      sizeBytes: 11,
      storedAt: 0,
    });
    expect(Math.abs(found.storedAt - Date.now())).toBeLessThan(60_000);
  });

  test("an object comes back as an object, and later changes of it do not reach the artifact", () => {
    const ctx = context();
    const value = { rows: [{ id: 1 }], next: null };
    const { pointer } = storeArtifact(ctx, value);
    value.rows.push({ id: 2 });
    expect(getArtifact(ctx, pointer)!.value).toEqual({ rows: [{ id: 1 }], next: null });
  });

  test("what JSON can say comes back equal, and a string exactly", () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.string({ unit: "binary" })), (value) => {
        const ctx = context();
        const { pointer } = storeArtifact(ctx, value);
        const back = getArtifact(ctx, pointer)!.value;
        expect(back).toEqual(typeof value === "string" ? value : JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test("what is not there is null, and an empty session lists nothing", () => {
    const ctx = context();
    expect(getArtifact(ctx, "art:does-not-exist")).toBeNull();
    expect(getArtifact(ctx, "missing-name")).toBeNull();
    expect(listArtifacts(ctx)).toEqual([]);
  });

  test("a name that begins like a pointer is looked up as a pointer", () => {
    const ctx = context();
    storeArtifact(ctx, "hidden", { name: "art:mine" });
    expect(getArtifact(ctx, "art:mine")).toBeNull();
  });

  test("content is found by its id and its digest, and a name that looks like an id is still a name", () => {
    const ctx = context();
    storeArtifact(ctx, "abc", { name: "art_note" });
    expect(getArtifact(ctx, "art_ba7816bf8f01cfea")!.value).toBe("abc");
    expect(getArtifact(ctx, "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")!.value).toBe(
      "abc",
    );
    expect(getArtifact(ctx, "art_note")!.value).toBe("abc");
  });

  test("the newest of a name counts; the older stays reachable by its pointer, and in the name's history", () => {
    const ctx = context();
    const first = storeArtifact(ctx, "one", { name: "report" });
    const second = storeArtifact(ctx, "two", { name: "report" });
    expect(getArtifact(ctx, "report")!.value).toBe("two");
    expect(getArtifact(ctx, first.pointer)!.value).toBe("one");
    expect(nameHistory(ctx, "report").map(({ id }) => `art:${id}`)).toEqual([first.pointer, second.pointer]);
  });

  test("a list has each artifact once, whatever its names", () => {
    const ctx = context();
    storeArtifact(ctx, "same", { name: "a" });
    storeArtifact(ctx, "same", { name: "b" });
    storeArtifact(ctx, "no name");
    expect(listArtifacts(ctx).map(({ name }) => name)).toEqual(["a", "b", undefined]);
  });

  test.each(["__proto__", "constructor", "toString", "", "\u202e", "../../etc/passwd"])(
    "%j is a name like any other",
    (name) => {
      const ctx = context();
      expect(getArtifact(ctx, name)).toBeNull();
      storeArtifact(ctx, { [name]: 1 }, { name });
      expect(getArtifact(ctx, name)!.name).toBe(name);
      expect(Object.keys(Object.prototype)).toEqual([]);
    },
  );
});

describe("values that have no JSON", () => {
  test("storing never throws: they are kept as String() says them", () => {
    const ctx = context();
    const circular: Record<string, unknown> = { name: "loop" };
    circular["self"] = circular;
    const refuse = (): never => {
      throw new Error("no text");
    };
    const hostile = { toString: refuse, toJSON: refuse };
    const deep = Array.from({ length: 10_000 }).reduce<unknown>((inner) => [inner], 1);
    for (const value of [
      circular,
      undefined,
      () => 1,
      Symbol("s"),
      10n,
      Object.create(null),
      hostile,
      deep,
      null,
      Number.NaN,
    ])
      expect(isPointer(storeArtifact(ctx, value).pointer)).toBe(true);
    expect(
      listArtifacts(ctx)
        .slice(0, 2)
        .map(({ value }) => value),
    ).toEqual(["[object Object]", "undefined"]);
    expect([approxByteSize(circular), approxByteSize(undefined)]).toEqual([0, 0]);
    expect(() => JSON.stringify(ctx.sessionState)).not.toThrow();
  });
});

describe("the state", () => {
  test("is plain data: after JSON and back everything is found, and more can be stored", () => {
    const ctx = context();
    const first = storeArtifact(ctx, { a: [1] }, { name: "n" });
    const again = { sessionState: JSON.parse(JSON.stringify(ctx.sessionState)) as Record<string, unknown> };
    expect(getArtifact(again, first.pointer)!.value).toEqual({ a: [1] });
    const second = storeArtifact(again, "two", { name: "n" });
    expect(getArtifact(again, "n")!.id).toBe(second.pointer.slice(4));
    expect(nameHistory(again, "n")).toHaveLength(2);
    // The first context is as it was.
    expect(listArtifacts(ctx)).toHaveLength(1);
  });

  test("keeps the same content once, however often it is stored", () => {
    const ctx = context();
    for (let i = 0; i < 10; i++) storeArtifact(ctx, "x".repeat(10_000), { name: `n${i}` });
    expect(listArtifacts(ctx)).toHaveLength(10);
    expect(JSON.stringify(ctx.sessionState).length).toBeLessThan(20_000);
  });

  test("of somebody else under the same key is not overwritten", () => {
    const ctx = { sessionState: { [ARTIFACTS_KEY]: new Map() as unknown } };
    expect(() => storeArtifact(ctx, "x")).toThrow("holds other data");
    const output = "y".repeat(60_000);
    const seen = applyArtifactPolicy(ctx, { enabled: true }, { toolName: "t", toolCallId: "c", output });
    expect(seen).toMatch(/was not stored/);
    expect(seen).not.toMatch(/art:/);
  });
});

describe("the three tools", () => {
  test("are exactly these, with schemas that take nothing else", () => {
    const tools = artifactTools(context());
    expect(tools.map(({ name }) => name)).toEqual(["storeArtifact", "getArtifact", "listArtifacts"]);
    expect(tools.map(({ parameters }) => parameters["additionalProperties"])).toEqual([false, false, false]);
    expect(tools.map(({ parameters }) => parameters["required"])).toEqual([
      ["name", "value"],
      ["pointerOrName"],
      undefined,
    ]);
    expect(() => tools[1]!.execute({ pointerOrName: "x", path: "/etc/passwd" })).toThrow("getArtifact");
  });

  test("the three of them store, read back, say what they did not find, and list every name", () => {
    const ctx = context();
    expect(artifactTools(ctx)).toHaveLength(3);
    const stored = JSON.parse(use(ctx, "storeArtifact", { name: "a", value: "big log content" })) as {
      pointer: string;
    };
    expect(stored.pointer).toMatch(/^art:/);
    use(ctx, "storeArtifact", { name: "b", value: "abc xyz" });
    expect(use(ctx, "getArtifact", { pointerOrName: "b" })).toBe("abc xyz");
    expect(use(ctx, "getArtifact", { pointerOrName: "nope" })).toContain("no artifact found");
    const listed = JSON.parse(use(ctx, "listArtifacts", {})) as { name: string }[];
    expect(listed.map(({ name }) => name)).toEqual(["a", "b"]);
  });

  test("storeArtifact answers pointer, preview, size and name", () => {
    const ctx = context();
    const answer = JSON.parse(use(ctx, "storeArtifact", { name: "logs", value: "big log content" })) as object;
    expect(answer).toEqual({
      pointer: expect.stringMatching(/^art:/),
      preview: "big log content",
      sizeBytes: 15,
      name: "logs",
    });
    expect(getArtifact(ctx, "logs")!.value).toBe("big log content");
  });

  test("getArtifact answers a string as it is, other values as JSON, and says what it did not find", () => {
    const ctx = context();
    const { pointer } = storeArtifact(ctx, "abc xyz");
    storeArtifact(ctx, { a: 1 }, { name: "object" });
    expect(use(ctx, "getArtifact", { pointerOrName: pointer })).toBe("abc xyz");
    expect(use(ctx, "getArtifact", { pointerOrName: "object" })).toBe('{"a":1}');
    expect(use(ctx, "getArtifact", { pointerOrName: "nope" })).toBe("[no artifact found for 'nope']");
  });

  test("listArtifacts answers the fields of the original for each", () => {
    const ctx = context();
    storeArtifact(ctx, "one", { name: "a", contentType: "text/plain" });
    storeArtifact(ctx, "two", { name: "b" });
    const listed = JSON.parse(use(ctx, "listArtifacts", {})) as Record<string, unknown>[];
    expect(listed.map((item) => item["name"])).toEqual(["a", "b"]);
    expect(Object.keys(listed[0]!)).toEqual(["pointer", "name", "sizeBytes", "preview", "contentType", "storedAt"]);
  });

  test("no answer is over its bound, whatever is stored", () => {
    const ctx = context();
    for (let i = 0; i < 300; i++) storeArtifact(ctx, "😀".repeat(2000), { name: `n${i}`, previewChars: 2000 });
    const listed = use(ctx, "listArtifacts", {});
    expect(Buffer.byteLength(listed)).toBeLessThanOrEqual(256 * 1024);
    expect((JSON.parse(listed) as { name: string }[]).at(-1)!.name).toBe("n299");
    expect(use(ctx, "getArtifact", { pointerOrName: "x".repeat(1_000_000) }).length).toBeLessThan(300);
  });

  test("a large artifact comes in pages, and the pages together are the whole", () => {
    const ctx = context();
    const text = Array.from({ length: 5000 }, (_, i) => `line ${i} ${"é".repeat(50)}\n`).join("");
    storeArtifact(ctx, text, { name: "log" });
    let whole = "";
    let start: { start_line?: number } = {};
    for (let i = 0; i < 100; i++) {
      const page = use(ctx, "getArtifact", { pointerOrName: "log", ...start });
      const next = /\[lines \d+–\d+ of 5000; continue with start_line=(\d+)\]$/.exec(page);
      whole += next === null ? page : page.slice(0, next.index);
      if (next === null) break;
      start = { start_line: Number(next[1]) };
    }
    expect(whole).toBe(text);
  });
});

describe("the policy on tool outputs", () => {
  const large = "x".repeat(100_000);
  const apply = (config: object, output: unknown, toolName = "fetch") => {
    const ctx = context();
    return { ctx, seen: applyArtifactPolicy(ctx, config, { toolName, toolCallId: "call_1", output }) };
  };

  test("a large output becomes an envelope whose artifact is named for its tool and call", () => {
    const { ctx, seen } = apply({ enabled: true, maxToolOutputBytes: 1024, previewChars: 50 }, large);
    const envelope = JSON.parse(seen as string) as Record<string, unknown>;
    expect(Object.keys(envelope)).toEqual(["pointer", "preview", "sizeBytes", "note"]);
    expect(envelope).toMatchObject({ sizeBytes: 100_000, note: expect.stringContaining("getArtifact(pointer)") });
    expect(getArtifact(ctx, envelope["pointer"] as string)!.value).toBe(large);
    expect(getArtifact(ctx, "fetch_call_1")!.value).toBe(large);
  });

  test("only what is large, enabled and not an artifact tool's is converted", () => {
    const config = { enabled: true, maxToolOutputBytes: 1024, previewChars: 50 };
    const converted = JSON.parse(apply(config, large).seen as string) as { pointer: string; sizeBytes: number };
    expect(converted.pointer).toMatch(/^art:/);
    expect(converted.sizeBytes).toBeGreaterThan(1024);
    expect(Object.keys(converted)).toContain("note");
    expect(apply(config, "hi").seen).toBe("hi");
    expect(apply({}, large).seen).toBe(large);
    expect(apply({ enabled: true, maxToolOutputBytes: 10 }, "a longer text", "storeArtifact").seen).toBe(
      "a longer text",
    );
    expect(apply({ enabled: true, maxToolOutputBytes: 10 }, "a longer text").seen).toContain("art:");
  });

  test("a small output, an output of exactly the limit, and any output without configuration are untouched", () => {
    expect(apply({ enabled: true, maxToolOutputBytes: 1024 }, "hi").seen).toBe("hi");
    expect(apply({ enabled: true }, "x".repeat(51_200)).seen).toBe("x".repeat(51_200));
    expect(apply({ enabled: true }, "x".repeat(51_201)).seen).not.toBe("x".repeat(51_201));
    expect(apply({}, large).seen).toBe(large);
  });

  test("the output of an artifact tool is not converted, whatever the limit", () => {
    const { ctx, seen } = apply({ enabled: true, maxToolOutputBytes: 10 }, large, "storeArtifact");
    expect(seen).toBe(large);
    expect(listArtifacts(ctx)).toEqual([]);
  });

  test("the content type is found out from the content", () => {
    const rows = JSON.stringify({ rows: Array.from({ length: 9000 }, (_, i) => ({ i })) });
    const { ctx } = apply({ enabled: true }, rows);
    expect(getArtifact(ctx, "fetch_call_1")!.contentType).toBe("application/json");
  });

  test("wrapped tools return envelopes, and bring the three tools only when enabled", async () => {
    const ctx = context();
    const tools = [{ name: "fetch", execute: () => ({ content: large, details: 1 }), isCacheable: true }];
    expect(withArtifacts(ctx, tools, {})).toBe(tools);
    const wrapped = withArtifacts(ctx, tools, { enabled: true });
    expect(wrapped.map(({ name }) => name)).toEqual(["fetch", "storeArtifact", "getArtifact", "listArtifacts"]);
    const call = { call_id: "c9", signal: new AbortController().signal, deadlineAt: 0 };
    expect(await wrapped[0]!.execute({}, call)).toEqual({
      content: expect.stringMatching(/^{"pointer":"art:/),
      details: 1,
    });
    expect(getArtifact(ctx, "fetch_c9")!.value).toBe(large);
    expect(wrapped[0]!.isCacheable).toBe(false);
    expect(() => withArtifacts(ctx, artifactTools(ctx), { enabled: true })).toThrow("storeArtifact");
  });

  test("a call without an id or a context is offloaded under a name of its own, and nothing is thrown after the tool ran", async () => {
    const ctx = context();
    const fetchTool = withArtifacts(ctx, [{ name: "fetch", execute: () => large }], { enabled: true })[0]!;
    const bare = fetchTool.execute as (input: unknown, context?: { call_id?: string }) => Promise<string>;
    for (const given of [undefined, {}, { call_id: "" }]) expect(await bare({}, given)).toMatch(/^{"pointer":"art:/);
    const names = listArtifacts(ctx).map(({ name }) => name);
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name).toMatch(/^fetch_call_[0-9a-f]{8}$/);
  });
});
