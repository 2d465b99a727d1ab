import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inFolder } from "#lib/archive/testing-archive.ts";
import { entryOf } from "../scripts/bundle.mjs";

const program = entryOf("bin/plimsoll.ts");

test("plimsoll migrate takes results out of a transcript once, and leaves a backup", () =>
  inFolder(async (dir) => {
    const file = join(dir, "session.jsonl");
    const before = [
      { type: "session", version: 2, id: "x", timestamp: "2026-01-01T00:00:00Z", cwd: "/" },
      {
        type: "message",
        message: {
          role: "toolResult",
          toolCallId: "c1",
          toolName: "read",
          content: [{ type: "text", text: "legacy" }],
        },
      },
    ]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join("");
    writeFileSync(file, before);
    const run = (): { files: Record<string, unknown>[] } => {
      const env = { PATH: process.env["PATH"], HOME: dir, NODE_ENV: "test" as const };
      return JSON.parse(
        execFileSync(process.execPath, [program, "migrate", file, "--json"], { env, encoding: "utf8" }),
      );
    };
    const [first] = run().files;
    expect(first).toMatchObject({ path: file, migrated: true, createdArtifacts: 1 });
    expect(readFileSync(first!["backupPath"] as string, "utf8")).toBe(before);
    expect(readFileSync(file, "utf8")).toContain("[Tool result omitted: stored as artifact]");
    const after = readFileSync(file, "utf8");
    expect(run().files[0]).toMatchObject({ migrated: false, reason: "already migrated" });
    expect(readFileSync(file, "utf8")).toBe(after);
  }));
