// Outputs that hooks put aside wait through what passes: a full disk, or other nodes that do not answer for a moment.
import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { policyOf } from "#lib/kernel/artifacts/offload-presets.ts";
import { AppError } from "#lib/kernel/errors.ts";
import type { Archive } from "../base/archive-type.ts";
import { inArchive, put } from "../testing-archive.ts";
import { spoolFolder, takeSpooled } from "./output-spool.ts";
import { readText } from "./whole-text.ts";

const TEXT = "a line of a long log\n".repeat(10_000);

/** As the program of a hook leaves it; the pointer that the model was given. */
function spool({ dir }: Archive): string {
  const pointer = `art:${randomUUID()}`;
  const head = {
    ...{ version: 1, agent: "Claude Code", session: "3e0a7c1e", tool: "Bash", call: "toolu_1", input: {} },
    ...{ isError: false, isReplaced: true, policy: policyOf(), pointer },
  };
  put(spoolFolder(dir), "1795000000000-000000000000.output", `${JSON.stringify(head)}\n${TEXT}`);
  return pointer;
}

const events = (archive: Archive): unknown => archive.sqlite.prepare("SELECT count(*) AS n FROM events").get();

test("an output waits on a full disk, and is stored whole when there is room", () =>
  inArchive(async (archive) => {
    const pointer = spool(archive);
    const full = Object.assign(new Error("no space left"), { code: "ENOSPC" });
    const stage = vi.spyOn(archive.blobs, "stage").mockImplementation(() => {
      throw full;
    });
    await expect(takeSpooled(archive)).rejects.toThrow(full);
    expect(readdirSync(spoolFolder(archive.dir))).toEqual(["1795000000000-000000000000.output"]);
    expect(events(archive)).toEqual({ n: 0 });
    stage.mockRestore();
    expect(await takeSpooled(archive)).toBe(1);
    expect(await readText(archive, pointer)).toBe(TEXT);
  }));

test("an output waits while a node is ending or its database is away", () =>
  inArchive(async (archive) => {
    const pointer = spool(archive);
    const passing = [
      new AppError("conflict", "This node is ending. Send the request again.", { isPassing: true }),
      new AppError("timeout", "The database of the fleet does not answer."),
    ];
    for (const error of passing) {
      archive.ship = (entries) => Promise.resolve(entries.map(() => error));
      await expect(takeSpooled(archive)).rejects.toThrow(error);
      expect(readdirSync(spoolFolder(archive.dir))).toEqual(["1795000000000-000000000000.output"]);
    }
    archive.ship = null;
    expect(await takeSpooled(archive)).toBe(1);
    expect(await readText(archive, pointer)).toBe(TEXT);
  }));
