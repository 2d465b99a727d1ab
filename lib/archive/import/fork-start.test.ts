// When a fork began: its file has its parent's records first, with the times that they had there.
import { expect, test } from "vitest";
import { columns, query } from "#db/statement.ts";
import { inArchive, put } from "../testing-archive.ts";
import { importPaths } from "./import-paths.ts";

const PARENT = "0199a001-0000-7000-8000-00000000000a";
const FORK = "0199a002-0000-7000-8000-00000000000b";
const meta = (id: string, timestamp: string, more: object = {}) => ({
  ...{ timestamp, type: "session_meta" },
  payload: { id, timestamp, cwd: "/reef", cli_version: "0.160.0", ...more },
});
const said = (timestamp: string, text: string) => ({
  ...{ timestamp, type: "response_item" },
  payload: { type: "message", role: "user", content: [{ type: "input_text", text }] },
});
const linesOf = (values: readonly object[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join("");

test.each(["parent first", "fork first"])("a fork of Codex began when its file says, %s", (order) =>
  inArchive(async (archive, logs) => {
    const whole = [meta(PARENT, "2026-10-01T08:00:00.000Z"), said("2026-10-01T08:00:01.000Z", "Count the corals.")];
    const fork = [
      meta(FORK, "2026-10-03T09:00:00.000Z", { forked_from_id: PARENT }),
      ...whole,
      said("2026-10-03T09:00:05.000Z", "And the fish."),
    ];
    const files = [
      put(logs, `rollout-2026-10-01T08-00-00-${PARENT}.jsonl`, linesOf(whole)),
      put(logs, `rollout-2026-10-03T09-00-00-${FORK}.jsonl`, linesOf(fork)),
    ];
    for (const path of order === "parent first" ? files : files.toReversed()) await importPaths(archive, [path]);
    const rows = query(
      archive.sqlite,
      { name: "sessions.native_id", ...columns("sessions", "relation"), startedAt: "sessions.started_at" },
      "FROM sessions ORDER BY started_at",
    ).all();
    expect(rows).toEqual([
      { name: `codex:${PARENT}`, relation: "root", startedAt: Date.parse("2026-10-01T08:00:00.000Z") },
      { name: `codex:${FORK}`, relation: "fork", startedAt: Date.parse("2026-10-03T09:00:00.000Z") },
    ]);
  }),
);
