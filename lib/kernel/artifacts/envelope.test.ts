// Envelopes to the letter: what a model sees is a promise, and a prompt cache misses when one letter of it changes.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { envelopeOf, isEnvelope } from "./envelope.ts";
import type { EnvelopeFacts } from "./envelope.ts";
import { ENVELOPE_STYLES } from "./offload-presets.ts";

const TOOLS = ["search", "artifact_read", "artifact_grep", "artifact_jq", "getArtifact"];

const facts: EnvelopeFacts = {
  artifactId: "art_3f9b2a1c8e4d7f6a",
  pointer: "art:550e8400-e29b-41d4-a716-446655440000",
  toolName: "fetchLogs",
  name: "logs",
  contentType: "application/json",
  sizeBytes: 2_457_600,
  lineCount: 14_020,
  shape: { rows: "array(500) of object(6 keys)", next_cursor: "string" },
  preview: '{"rows":[{"id":1...(truncated, 98000 more chars)',
  summary: '{"rows":[{"id":1',
  tail: "exit status 1",
  isError: false,
  availableTools: TOOLS,
  path: null,
  createdAt: "2026-05-04T10:20:30.000Z",
  expiresAt: null,
};
const keysOf = (text: string): string[] => Object.keys(JSON.parse(text) as object);

describe("lean", () => {
  test("says what it is, how it begins and how to reach it", () => {
    expect(envelopeOf(facts, "lean")).toBe(
      '{"artifact_id":"art_3f9b2a1c8e4d7f6a","tool_name":"fetchLogs","content_type":"application/json","size_bytes":2457600,' +
        '"line_count":14020,"shape":{"rows":"array(500) of object(6 keys)","next_cursor":"string"},' +
        '"preview":"{\\"rows\\":[{\\"id\\":1...(truncated, 98000 more chars)",' +
        '"how_to_access":"Stored whole; use artifact_read (start_line/end_line), artifact_grep or artifact_jq with its artifact_id."}',
    );
  });

  test("an error says so, and shows its end", () => {
    const text = envelopeOf({ ...facts, isError: true }, "lean");
    expect(text.endsWith('with its artifact_id.","is_error":true,"tail":"exit status 1"}')).toBe(true);
    expect(keysOf(text)).toEqual([...keysOf(envelopeOf(facts, "lean")), "is_error", "tail"]);
  });

  test.each([
    [
      ["artifact_read", "artifact_grep", "artifact_jq"],
      "text/plain",
      "Stored whole; use artifact_read (start_line/end_line) or artifact_grep with its artifact_id.",
    ],
    [["artifact_jq"], "application/x-ndjson", "Stored whole; use artifact_jq with its artifact_id."],
    [["artifact_jq"], "text/csv", "Stored whole outside the context; none of your tools reads it."],
    [
      ["getArtifact", "artifact_grep"],
      "application/json",
      "Stored whole; use artifact_grep or getArtifact with its artifact_id.",
    ],
    [["search"], "application/json", "Stored whole outside the context; none of your tools reads it."],
  ])("an agent with %j reads %s: %s", (availableTools, contentType, sentence) => {
    const { how_to_access } = JSON.parse(envelopeOf({ ...facts, availableTools, contentType }, "lean")) as {
      how_to_access: string;
    };
    expect(how_to_access).toBe(sentence);
  });
});

describe("unified", () => {
  test("has everything in one order", () => {
    expect(envelopeOf(facts, "unified")).toBe(
      '{"artifact_id":"art_3f9b2a1c8e4d7f6a","pointer":"art:550e8400-e29b-41d4-a716-446655440000","tool_name":"fetchLogs",' +
        '"content_type":"application/json","size_bytes":2457600,"line_count":14020,' +
        '"shape":{"rows":"array(500) of object(6 keys)","next_cursor":"string"},' +
        '"preview":"{\\"rows\\":[{\\"id\\":1...(truncated, 98000 more chars)","summary":"{\\"rows\\":[{\\"id\\":1",' +
        '"how_to_access":{"artifact_read":"Read full content or a line range (start_line/end_line)",' +
        '"artifact_grep":"Search for patterns with grep",' +
        "\"artifact_jq\":\"Query with jq expressions, e.g. '.results[0]', '.[] | select(.score > 0.5)'\"}," +
        '"note":"Output too large; full value stored as artifact. Call getArtifact(pointer) to read it.","expires_at":null}',
    );
  });

  test("access is told for the tools of the agent alone", () => {
    const text = envelopeOf(
      { ...facts, availableTools: ["artifact_grep"], isError: true, expiresAt: "2026-06-04T10:20:30.000Z" },
      "unified",
    );
    expect(JSON.parse(text)).toMatchObject({
      how_to_access: { artifact_grep: "Search for patterns with grep" },
      note: "Output too large; full value stored as artifact.",
      expires_at: "2026-06-04T10:20:30.000Z",
      is_error: true,
      tail: "exit status 1",
    });
    expect(text).not.toContain("getArtifact");
    expect(text).not.toContain("artifact_jq");
    expect(keysOf(text).slice(-2)).toEqual(["is_error", "tail"]);
  });
});

describe("the styles of the designs that we follow", () => {
  test("agentium: pointer, preview, size and note", () => {
    expect(envelopeOf(facts, "agentium")).toBe(
      '{"pointer":"art:550e8400-e29b-41d4-a716-446655440000","preview":"{\\"rows\\":[{\\"id\\":1...(truncated, 98000 more chars)",' +
        '"sizeBytes":2457600,"note":"Output too large; full value stored as artifact. Call getArtifact(pointer) to read it."}',
    );
  });

  test("secondbrain: reference, summary, hint and size, and the path when there is one", () => {
    expect(envelopeOf(facts, "secondbrain")).toBe(
      '{"artifact_reference":"art_3f9b2a1c8e4d7f6a","summary":"{\\"rows\\":[{\\"id\\":1",' +
        '"hint":"Use the read_file tool to retrieve the full content.","size_bytes":2457600}',
    );
    expect(keysOf(envelopeOf({ ...facts, path: "s1/art_3f9b2a1c8e4d7f6a.txt" }, "secondbrain"))).toEqual([
      "artifact_reference",
      "summary",
      "hint",
      "size_bytes",
      "path",
    ]);
  });

  test("vectara: id, size, lines, shape and access", () => {
    expect(envelopeOf({ ...facts, availableTools: ["artifact_jq", "artifact_read"] }, "vectara")).toBe(
      '{"artifact_id":"art_3f9b2a1c8e4d7f6a","size_bytes":2457600,"line_count":14020,' +
        '"shape":{"rows":"array(500) of object(6 keys)","next_cursor":"string"},' +
        '"how_to_access":{"artifact_read":"Read full content or a line range (start_line/end_line)",' +
        "\"artifact_jq\":\"Query with jq expressions, e.g. '.results[0]', '.[] | select(.score > 0.5)'\"}}",
    );
  });

  test("openclaw: a placeholder of seven lines", () => {
    const placeholder = envelopeOf({ ...facts, path: "artifacts/art_3f9b2a1c8e4d7f6a.json" }, "openclaw");
    expect(placeholder).toBe(
      "[Tool result omitted: stored as artifact]\nid: art_3f9b2a1c8e4d7f6a\ntool: fetchLogs\nsize: 2400KB\n" +
        'created: 2026-05-04T10:20:30.000Z\nsummary: {"rows":[{"id":1…\npath: artifacts/art_3f9b2a1c8e4d7f6a.json',
    );
  });

  test("openclaw: what is whole has no mark, what is empty has a name, and nothing begins a line of its own", () => {
    const lines = envelopeOf({ ...facts, summary: "  ", sizeBytes: 2, toolName: "a\npath: /etc" }, "openclaw").split(
      "\n",
    );
    expect(lines.slice(2)).toEqual([
      "tool: a path: /etc",
      "size: 1KB",
      "created: 2026-05-04T10:20:30.000Z",
      "summary: tool result",
    ]);
    expect(envelopeOf({ ...facts, summary: "whole", sizeBytes: 5 }, "openclaw")).toContain("summary: whole\n".trim());
    expect(envelopeOf({ ...facts, summary: "whole", sizeBytes: 5 }, "openclaw")).not.toContain("…");
  });

  test("an error keeps its mark and its end in every style", () => {
    for (const style of ENVELOPE_STYLES) {
      const text = envelopeOf({ ...facts, isError: true }, style);
      expect(text).toContain("exit status 1");
      expect(text).toMatch(
        style === "openclaw" ? /^is_error: true$/m : style === "note" ? /is_error: true/ : /"is_error":true/,
      );
      expect(envelopeOf(facts, style)).not.toMatch(/is_error|exit status/);
    }
  });
});

test("an output that is kept out of the context is one line that says where it is", () => {
  const text = envelopeOf(facts, "note");
  expect(text).toMatch(/^\[Stored as art_3f9b2a1c8e4d7f6a: what \w+ returned is kept out of the context \(\d+ bytes/);
  expect(text.split("\n")).toHaveLength(1);
});

describe("an envelope is known as one", () => {
  test("in every style", () => {
    for (const style of ENVELOPE_STYLES)
      for (const isError of [false, true])
        for (const availableTools of [TOOLS, []]) {
          const text = envelopeOf({ ...facts, toolName: null, lineCount: null, isError, availableTools }, style);
          expect(isEnvelope(text)).toBe(true);
          if (style !== "openclaw" && style !== "note")
            expect(isEnvelope(JSON.stringify(JSON.parse(text), null, 2))).toBe(true);
        }
  });

  test.each([
    "",
    "plain",
    "{}",
    "null",
    "[1]",
    '{"pointer":"art:1"}',
    '{"pointer":"x","preview":"","sizeBytes":1,"note":""}',
    '{"pointer":"art:1","preview":"","sizeBytes":"1","note":""}',
    '{"artifact_id":"art_1","size_bytes":1}',
    '{"artifact_id":"art_1","size_bytes":1,"line_count":1,"shape":"",',
    "[Tool result omitted: stored as artifact]",
    "text\n[Tool result omitted: stored as artifact]\nid: art_1",
  ])("%j is none", (text) => expect(isEnvelope(text)).toBe(false));

  test("a text that only quotes one is none, and none is longer than 16 KB", () => {
    const text = envelopeOf(facts, "lean");
    expect(isEnvelope(`Found: ${text}`)).toBe(false);
    expect(isEnvelope(`${text}\nmore`)).toBe(false);
    expect(isEnvelope(text + " ".repeat(20_000))).toBe(false);
  });

  test("no text breaks the question", () => {
    fc.assert(fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.json()), (text) => isEnvelope(text) === false));
  });
});

test("the same facts make the same letters, and nothing in them tells when they were asked", () => {
  for (const style of ENVELOPE_STYLES) {
    const text = envelopeOf(facts, style);
    expect(envelopeOf({ ...facts }, style)).toBe(text);
    expect(text).not.toMatch(/\bago\b|seconds|minutes|today/);
  }
});
