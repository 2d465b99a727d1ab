import { expect, test } from "vitest";
import type { ArtifactRow } from "#lib/wire/artifacts-schema.ts";
import { pickerGroups } from "./picker-groups.ts";

const row = (pointer: string, sessionId: string, contentType: string, minute: number): ArtifactRow =>
  ({
    pointer,
    sessionId,
    sessionTitle: `Session ${sessionId}`,
    contentType,
    createdAt: new Date(60_000 * minute).toISOString(),
  }) as ArtifactRow;

const ROWS = [
  row("a", "1", "text/plain", 9),
  row("b", "2", "application/json", 1),
  row("c", "1", "application/x-ndjson; charset=utf-8", 2),
  row("d", "1", "application/json", 3),
  row("b", "2", "application/json", 1),
];

const shown = (first: string | null) =>
  pickerGroups(ROWS, first).map(({ title, rows }) => `${title}: ${rows.map(({ pointer }) => pointer).join("")}`);

test("artifacts stand by session, JSON first, each once", () => {
  expect(shown(null)).toEqual(["Session 1: dca", "Session 2: b"]);
  expect(shown("2")).toEqual(["Session 2: b", "Session 1: dca"]);
});
