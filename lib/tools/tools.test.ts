import { hash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { flushReads } from "#lib/archive/artifacts/note-read.ts";
import { recordOutput } from "#lib/archive/artifacts/record-output.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { TOOLS } from "./index.ts";
import { describeTools } from "./run-tool.ts";
import { READINGS, withTools } from "./testing-archive-tools.ts";

const propertiesOf = (name: string): string[] => {
  const { inputSchema } = describeTools().find((tool) => tool.name === name)!;
  return Object.keys(inputSchema["properties"] as object);
};

describe("the schemas", () => {
  test("every tool is documented and takes nothing that it does not name", () => {
    for (const { name, description, inputSchema } of describeTools()) {
      expect([name, description.length > 20]).toEqual([name, true]);
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
    }
    expect(new Set(TOOLS.map((tool) => tool.name)).size).toBe(TOOLS.length);
  });

  test("parameters are those of the designs", () => {
    expect(Object.fromEntries(TOOLS.map(({ name }) => [name, propertiesOf(name)]))).toEqual({
      artifact_store: ["name", "value", "content_type", "description"],
      artifact_list: ["limit", "cursor", "name_contains", "tool_name"],
      artifact_read: ["artifact_id", "encoding", "start_line", "end_line", "start_char", "max_chars"],
      artifact_grep: ["artifact_id", "pattern", "grep_options"],
      artifact_jq: [
        ...["artifact_id", "expression", "raw_output", "slurp"],
        // Ours: the other options of jq.
        ...["null_input", "sort_keys", "compact", "args", "json_args"],
      ],
      // Over sessions: ours.
      search_sessions: ["query", "project", "limit", "offset"],
      read_session: ["session", "from_event", "to_event", "types", "max_chars"],
      why_full: ["session", "culprits"],
      context_at: ["session", "at_event", "heaviest", "limit", "offset"],
      compact_plan: ["session", "at_event", "tail_turns", "summary_chars"],
      recall: ["session", "query", "limit"],
      storeArtifact: ["name", "value", "contentType"],
      getArtifact: ["pointerOrName"],
      listArtifacts: [],
      read_file: ["path"],
    });
  });

  test("the schema of artifact_read is whole", () => {
    const { inputSchema } = describeTools().find((tool) => tool.name === "artifact_read")!;
    expect(inputSchema["required"]).toEqual(["artifact_id"]);
    expect(inputSchema["properties"]).toMatchObject({
      encoding: { type: "string", enum: ["raw", "base64"] },
      start_line: { type: "integer", minimum: 1 },
      end_line: { type: "integer", minimum: 1 },
      start_char: { type: "integer", minimum: 0 },
      max_chars: { type: "integer", minimum: 1, maximum: 65_536 },
    });
  });

  test("an argument that a host pins vanishes from the schema and overrides what the model says", () =>
    withTools(async ({ put, call }) => {
      await put("public", { name: "public" });
      await put("secret", { name: "secret" });
      const pinned = { artifact_read: { artifact_id: "public" } };
      const { inputSchema } = describeTools(pinned).find((tool) => tool.name === "artifact_read")!;
      expect(inputSchema["properties"]).not.toHaveProperty("artifact_id");
      expect(inputSchema["required"]).toEqual([]);
      for (const input of [{}, { artifact_id: "secret" }])
        expect(await call("artifact_read", input, "mine", pinned)).toMatchObject({ text: "public", isError: false });
    }));

  test.each([
    ["__proto__", '{"artifact_id":"a","__proto__":{"isPublic":true}}'],
    ["constructor", '{"artifact_id":"a","constructor":{"prototype":{"isPublic":true}}}'],
    ["a dotted path", '{"artifact_id":"a","a.__proto__.b":1}'],
    ["prototype in a list", '{"artifact_id":"a","grep_options":[{"__proto__":{"isPublic":true}}],"pattern":"x"}'],
    ["no object", '["artifact_id"]'],
    ["null", "null"],
  ])("input with %s is refused and pollutes nothing", (_, json) =>
    withTools(async ({ call }) => {
      for (const { name } of TOOLS) expect((await call(name, JSON.parse(json))).isError).toBe(true);
      expect(Object.keys(Object.prototype)).toEqual([]);
      expect(({} as Record<string, unknown>)["isPublic"]).toBeUndefined();
    }),
  );
});

describe("storing and listing", () => {
  test("what is stored by name is read back raw, an unknown one is said, and a list has each", () =>
    withTools(async ({ call, text }) => {
      const result = JSON.parse(await text("storeArtifact", { name: "logs", value: "abc xyz" })) as object;
      expect(result).toEqual({
        pointer: expect.stringMatching(/^art:[0-9a-f-]{36}$/) as string,
        preview: "abc xyz",
        sizeBytes: 7,
        name: "logs",
      });
      expect(await text("getArtifact", { pointerOrName: "logs" })).toBe("abc xyz");
      expect(await call("getArtifact", { pointerOrName: "nothing" })).toMatchObject({
        text: "[no artifact found for 'nothing']",
        isError: true,
      });
      await text("storeArtifact", { name: "b", value: "second" });
      const list = JSON.parse(await text("listArtifacts", {})) as Record<string, unknown>[];
      expect(list.map((one) => one["name"])).toEqual(["b", "logs"]);
      expect(Object.keys(list[0]!)).toEqual(["pointer", "name", "sizeBytes", "preview", "contentType", "storedAt"]);
    }));

  test("the canonical names answer with the content id beside the pointer", () =>
    withTools(async ({ text }) => {
      const stored = JSON.parse(
        await text("artifact_store", { name: "n", value: "{}", contentType: "application/json", description: "none" }),
      ) as Record<string, unknown>;
      expect(Object.keys(stored)).toEqual(["pointer", "artifact_id", "preview", "sizeBytes", "name"]);
      const id = `art_${hash("sha256", "{}", "hex").slice(0, 16)}`;
      expect(stored["artifact_id"]).toBe(id);
      const [row] = JSON.parse(await text("artifact_list", {})) as Record<string, unknown>[];
      expect(row).toMatchObject({ artifact_id: id, name: "n", contentType: "application/json", sizeBytes: 2 });
    }));

  test("an artifact with several names is listed once", () =>
    withTools(async ({ archive, put, text }) => {
      const { pointer } = await put("x", { name: "a" });
      archive.sqlite
        .prepare(
          "INSERT INTO artifact_names (session_pk, name, pointer, bound_at) SELECT session_pk, 'b', pointer, 1 FROM artifacts",
        )
        .run();
      expect(await text("getArtifact", { pointerOrName: "b" })).toBe("x");
      expect((JSON.parse(await text("listArtifacts", {})) as { pointer: string }[]).map((one) => one.pointer)).toEqual([
        pointer,
      ]);
    }));

  test("a list goes on where it says", () =>
    withTools(async ({ put, text }) => {
      for (let i = 0; i < 7; i++)
        await put(`content ${i}`, { name: `file-${i}`, toolName: i % 2 === 0 ? "bash" : "read" });
      const names: string[] = [];
      let input: object = { limit: 3, name_contains: "file" };
      for (let page = 0; page < 3; page++) {
        const [json, note] = (await text("artifact_list", input)).split("\n");
        names.push(...(JSON.parse(json!) as { name: string }[]).map((one) => one.name));
        const cursor = /cursor=([0-9a-f-]+)\]$/.exec(note ?? "")?.[1];
        input = { ...input, ...(cursor !== undefined && { cursor }) };
      }
      expect(names).toEqual([6, 5, 4, 3, 2, 1, 0].map((i) => `file-${i}`));
      expect(JSON.parse(await text("artifact_list", { tool_name: "read" }))).toHaveLength(3);
      for (const cursor of ["3", "00000000-0000-4000-8000-000000000000"])
        expect(await text("artifact_list", { cursor })).toContain("is not from a list");
    }));

  test("a person is told that storing needs a session", () =>
    withTools(async ({ archive }) => {
      const { runTool } = await import("./run-tool.ts");
      const answer = await runTool(archive, "artifact_store", { name: "a", value: "b" }, { who: "person" });
      expect(answer).toMatchObject({ isError: true, text: expect.stringContaining("say which") as string });
    }));
});

describe("reading", () => {
  test("a small value comes raw and whole, whatever its type", () =>
    withTools(async ({ put, text }) => {
      for (const value of ["text", '{"a":1}', "", "\uFEFFa\r\nb\rc", " \n"]) {
        const { pointer, artifactId, digest } = await put(value);
        for (const ref of [pointer, artifactId, `art:${artifactId}`, `sha256:${digest}`])
          expect(await text("getArtifact", { pointerOrName: ref })).toBe(value);
      }
    }));

  test("a large value comes as its first lines and where to go on", () =>
    withTools(async ({ put, text }) => {
      const { pointer } = await put(`${"x".repeat(99)}\n`.repeat(3000));
      const read = await text("getArtifact", { pointerOrName: pointer });
      expect(read.split("\n")).toHaveLength(201);
      expect(read.endsWith("\n[lines 1–200 of 3000; continue with start_line=201]")).toBe(true);
    }));

  test("one long line comes in characters that say where to go on", () =>
    withTools(async ({ put, text }) => {
      const { pointer } = await put("é".repeat(200_000));
      const first = await text("artifact_read", { artifact_id: pointer });
      expect(first).toBe(
        `${"é".repeat(65_536)}\n[chars 0–65536 of 200000 in line 1; continue with start_line=1, start_char=65536]`,
      );
      const last = await text("artifact_read", { artifact_id: pointer, start_line: 1, start_char: 199_990 });
      expect(last).toBe("é".repeat(10));
    }));

  test("lines past the end are said", () =>
    withTools(async ({ put, text }) => {
      const { pointer } = await put("a\nb\n");
      expect(await text("artifact_read", { artifact_id: pointer, start_line: 3 })).toBe("[artifact has only 2 lines]");
      expect(await text("artifact_read", { artifact_id: pointer, start_line: 1, start_char: 9 })).toBe(
        "[line 1 has only 1 characters]",
      );
      expect(await text("artifact_read", { artifact_id: pointer, start_line: 2, end_line: 1 })).toContain("end_line");
    }));

  test("bytes come in base64, and raw suggests it", () =>
    withTools(async ({ put, call, text }) => {
      const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, i) => (i * 7) % 256));
      const { pointer, artifactId } = await put(bytes);
      const raw = await call("artifact_read", { artifact_id: pointer });
      expect([raw.isError, raw.text.includes('encoding "base64"')]).toEqual([true, true]);
      const result = JSON.parse(await text("artifact_read", { artifact_id: pointer, encoding: "base64" })) as {
        data: string;
      };
      expect(result).toEqual({ artifact_id: artifactId, size_bytes: 200_000, data: result.data, truncated: false });
      expect(Buffer.from(result.data, "base64").equals(bytes)).toBe(true);
      const part = JSON.parse(
        await text("artifact_read", { artifact_id: pointer, encoding: "base64", start_char: 5, max_chars: 3 }),
      ) as { data: string; next_start_char: number };
      expect([...Buffer.from(part.data, "base64"), part.next_start_char]).toEqual([35, 42, 49, 8]);
    }));

  test("read_file reads ids and paths of artifacts, and nothing else", () =>
    withTools(async ({ archive, put, text }) => {
      const { artifactId, digest, pointer } = await put("stored");
      const inside = archive.blobs.path!(digest);
      for (const path of [artifactId, pointer, inside, `blobs/aa/bb/${digest}`, `${archive.dir}/x/${artifactId}.txt`])
        expect(await text("read_file", { path })).toBe("stored");
      for (const path of [
        "/etc/passwd",
        "../../etc/passwd",
        `${archive.dir}/../${digest}`,
        `${archive.dir}/archive.db`,
        `/tmp/${artifactId}.txt`,
        "notes.txt",
        `blobs/aa/bb/${digest}\0`,
      ])
        expect(await text("read_file", { path })).toBe("read_file: only artifact paths are readable");
      expect(await text("read_file", { path: "art_0123456789abcdef" })).toBe(
        "[no artifact found for 'art_0123456789abcdef']",
      );
    }));

  test("an expired artifact says what it was, and so does a deleted one", () =>
    withTools(async ({ archive, put, call }) => {
      const { pointer, artifactId } = await put("gone soon", { toolName: "bash", ttlSeconds: 60 });
      archive.sqlite.exec("UPDATE artifacts SET expires_at = 1000");
      for (const [tool, input] of READINGS)
        for (const ref of [pointer, artifactId])
          expect(await call(tool, input(ref))).toMatchObject({
            text: `[artifact expired: '${ref}' (bash, 9 bytes, expired 1970-01-01T00:00:01.000Z)]`,
            isError: true,
          });
      archive.sqlite.exec("UPDATE artifacts SET deleted_at = 2000, deleted_why = 'deleted'");
      expect(await call("getArtifact", { pointerOrName: pointer })).toMatchObject({
        text: `[artifact deleted: '${pointer}' (bash, 9 bytes, deleted 1970-01-01T00:00:02.000Z)]`,
        isError: true,
      });
      expect(await call("artifact_list", {})).toMatchObject({ text: "[]" });
    }));

  test("a damaged blob is refused by every tool", () =>
    withTools(async ({ archive, put, call }) => {
      const { writeFileSync } = await import("node:fs");
      for (const [tool, input] of READINGS) {
        const { pointer, digest } = await put(`{"of":"${tool}"}`);
        writeFileSync(archive.blobs.path!(digest), '{"of":"something else"}');
        const answer = await call(tool, input(pointer));
        expect([tool, answer.isError, answer.text.includes("something else")]).toEqual([tool, true, false]);
        expect(answer.text).toContain("damaged");
      }
    }));
});

test("an output that was offloaded is an ordinary artifact, and is read back by what its envelope says", () =>
  withTools(async ({ archive, text }) => {
    const rows = JSON.stringify({
      rows: Array.from({ length: 500 }, (_, id) => ({ id, a: 1, b: 2, c: 3, d: 4, e: 5 })),
    });
    const answer = await recordOutput(
      archive,
      { session: "mine", toolName: "search", toolCallId: "c1", isError: false },
      Buffer.from(rows),
    );
    const envelope = JSON.parse(answer.text) as Record<string, unknown>;
    const artifact_id = envelope["artifact_id"] as string;
    expect(envelope["how_to_access"]).toMatch(/artifact_read.*artifact_grep.*artifact_jq/s);
    expect(await text("artifact_read", { artifact_id })).toBe(rows);
    expect(await text("artifact_jq", { artifact_id, expression: ".rows | length" })).toBe("500");
    expect(await text("artifact_grep", { artifact_id, pattern: '"id":499,', grep_options: ["-c"] })).toBe("1");
    const [listed] = JSON.parse(await text("artifact_list", { tool_name: "search" })) as Record<string, unknown>[];
    expect(listed).toMatchObject({ artifact_id, sizeBytes: rows.length, name: "search_c1" });
  }));

describe("jq and grep", () => {
  const scored = JSON.stringify({ rows: [{ score: 0.2 }, { score: 0.7 }], next_cursor: "x" });

  test("sample expressions run, and what is no JSON is said with its type", () =>
    withTools(async ({ put, call, text }) => {
      const { pointer: artifact_id } = await put(scored);
      const jq = (expression: string, more: object = {}) => text("artifact_jq", { artifact_id, expression, ...more });
      expect(await jq(".rows[0]")).toBe('{"score":0.2}');
      expect(await jq(".rows[] | select(.score > 0.5)")).toBe('{"score":0.7}');
      expect(await jq(".next_cursor", { raw_output: true })).toBe("x");
      expect(await jq("empty")).toBe("[no results]");
      expect(
        await jq("[inputs | length], $a, $n", { null_input: true, args: { a: "x" }, json_args: { n: "[1]" } }),
      ).toBe('[2]\n"x"\n[1]');
      expect(await jq("{b: 1, a: 2}", { sort_keys: true })).toBe('{"a":2,"b":1}');
      expect(await jq("[1]", { compact: false })).toBe("[\n  1\n]");
      expect(await jq("$ENV.HOME")).toBe("null");
      expect(await jq("env | length")).toBe("0");
      expect(await jq(".rows | .[")).toMatch(/^jq: /);
      expect(await call("artifact_jq", { artifact_id, expression: "x".repeat(4097) })).toMatchObject({ isError: true });
      const log = await put("not json\nat all\n");
      expect(await call("artifact_jq", { artifact_id: log.pointer, expression: "." })).toMatchObject({
        text: "artifact_jq: artifact is not JSON (content type text/plain)",
        isError: true,
      });
    }));

  test("many values one a line are taken one by one, or slurped", () =>
    withTools(async ({ put, text }) => {
      const { pointer: artifact_id } = await put('{"a":1}\n{"a":2}\n');
      expect(await text("artifact_jq", { artifact_id, expression: ".a" })).toBe("1\n2");
      expect(await text("artifact_jq", { artifact_id, expression: "map(.a) | add", slurp: true })).toBe("3");
    }));

  test("a value that fails comes after those that did not, and the answer is an error", () =>
    withTools(async ({ put, call }) => {
      const { pointer: artifact_id } = await put('{"a":1}\n{"a":"x"}\n');
      const answer = await call("artifact_jq", { artifact_id, expression: ".a + 1" });
      expect(answer.isError).toBe(true);
      expect(answer.text).toMatch(/^2\njq: .*cannot be added/s);
    }));

  test("lines come as grep prints them", () =>
    withTools(async ({ put, text }) => {
      const { pointer: artifact_id } = await put(
        `one\ntwo error\nthree\nfour\nfive\nsix exception\n${"w".repeat(5000)}end\n`,
      );
      const grep = (pattern: string, ...grep_options: string[]) =>
        text("artifact_grep", { artifact_id, pattern, ...(grep_options.length > 0 && { grep_options }) });
      expect(await grep("error|exception")).toBe("two error\nsix exception");
      expect(await grep("error|exception", "-in")).toBe("2:two error\n6:six exception");
      expect(await grep("ERROR|EXCEPTION", "-i", "-n", "-A", "1")).toMatch(
        /^2:two error\n3-three\n--\n6:six exception\n7-w+/,
      );
      expect(await grep("e", "-c")).toBe("6");
      expect(await grep("error", "-o")).toBe("error");
      expect(await grep("t.*", "-m1", "-n")).toBe("2:two error");
      expect(await grep("zzz")).toBe("[no matches]");
      expect(await grep("end$")).toMatch(/end \[chars \d+–5003 of this line\]$/);
    }));
});

test("each reading is noted: who, with what, what it asked and how much it got", () =>
  withTools(async ({ archive, put, call }) => {
    const { pointer } = await put("a\nb\nc\n");
    await call("artifact_read", { artifact_id: pointer, start_line: 2, end_line: 2 });
    await call("artifact_grep", { artifact_id: pointer, pattern: "x".repeat(1024), grep_options: ["-n"] });
    await call("artifact_grep", { artifact_id: "art:none", pattern: "a" });
    await flushReads(archive);
    const rows = archive.sqlite.prepare("SELECT * FROM artifact_reads ORDER BY pk").all() as Record<string, unknown>[];
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatchObject({ pointer, who: "agent", tool: "artifact_read", bytes: 1, is_error: 0 });
    expect(JSON.parse(rows[0]!["request"] as string)).toEqual({ artifact_id: pointer, start_line: 2, end_line: 2 });
    expect(Buffer.byteLength(rows[1]!["request"] as string)).toBeLessThanOrEqual(1024);
  }));

test("limits of the answers are those of the table", () => {
  expect(Object.fromEntries(TOOLS.map((tool) => [tool.name, tool.maxBytes]))).toMatchObject({
    artifact_grep: LIMITS.grepBytes,
    artifact_jq: LIMITS.jqShownBytes,
    getArtifact: LIMITS.readWholeBytes,
  });
});
