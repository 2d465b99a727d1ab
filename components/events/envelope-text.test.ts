import { expect, test } from "vitest";
import { envelopeOf } from "#lib/kernel/artifacts/envelope.ts";
import { ENVELOPE_STYLES } from "#lib/kernel/artifacts/offload-presets.ts";
import { envelopeLines, shapeIn } from "./envelope-parts.ts";

const facts = {
  artifactId: "art_0123456789abcdef",
  pointer: "art:00000000-0000-4000-8000-000000000000",
  toolName: "query",
  name: "rows.json",
  contentType: "application/json",
  sizeBytes: 90_000,
  lineCount: 1,
  shape: { rows: "array(900) of object(5 keys)", next: "string" },
  preview: '{"rows":[',
  summary: '{"rows":[',
  tail: "]}",
  isError: false,
  availableTools: ["artifact_read", "artifact_jq"],
  path: null,
  createdAt: "2026-01-15T10:00:00.000Z",
  expiresAt: null,
};

test("an envelope of each JSON style is laid out by its keys", () => {
  const texts = ENVELOPE_STYLES.map((style) => envelopeOf(facts, style)).filter((text) => text.startsWith("{"));
  expect(texts.length).toBeGreaterThanOrEqual(4);
  for (const text of texts) {
    const lines = envelopeLines(text, true);
    expect(envelopeLines(text, false)?.length).toBe(Object.keys(JSON.parse(text)).length);
    expect(lines?.filter(({ indent }) => indent === 0).map(({ key }) => key)).toEqual(Object.keys(JSON.parse(text)));
  }
});

test("its shape is told in one line", () => {
  expect(shapeIn(envelopeOf(facts, "lean"))).toBe("{rows: array(900) of object(5 keys), next: string}");
  expect(shapeIn("no json")).toBeNull();
});

test("other JSON and other text is no envelope", () => {
  expect(envelopeLines('{"artifact_id":"../../etc/passwd"}', true)).toBeNull();
  expect(envelopeLines('{"rows":[]}', true)).toBeNull();
  expect(envelopeLines("null", true)).toBeNull();
  expect(envelopeLines("{", true)).toBeNull();
});
