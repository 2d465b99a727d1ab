// Outputs that hooks put aside wait through what passes: a full disk, or other nodes that do not answer for a moment.
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { policyOf } from "#lib/kernel/artifacts/offload-presets.ts";
import { AppError } from "#lib/kernel/errors.ts";
import type { Archive } from "../base/archive-type.ts";
import { inArchive, put } from "../testing-archive.ts";
import { spoolFolder, takeSpooled } from "./output-spool.ts";
import { readText } from "./whole-text.ts";

const TEXT = "a line of a long log\n".repeat(10_000);

/** As the program of a hook leaves it; the pointer that the model was given. */
function spool({ dir }: Archive, isReplaced = true): string {
  const pointer = `art:${randomUUID()}`;
  const head = {
    ...{ version: 1, agent: "Claude Code", session: "3e0a7c1e", tool: "Bash", call: "toolu_1", input: {} },
    ...{ isError: false, isReplaced, policy: policyOf(), pointer },
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

test("what a killed hook left half written goes after an hour", () =>
  inArchive(async (archive) => {
    const hour = 60 * 60_000;
    const young = `${archive.host.now() - hour + 1000}-000000000001.draft`;
    const old = `${archive.host.now() - hour - 1000}-000000000002.draft`;
    for (const name of [young, old]) put(spoolFolder(archive.dir), name, TEXT);
    expect(await takeSpooled(archive)).toBe(0);
    expect(readdirSync(spoolFolder(archive.dir))).toEqual([young]);
  }));

test("an output of a tool that failed is stored once, though its file could not be deleted after the first time", () =>
  inArchive(async (archive) => {
    const pointer = spool(archive, false);
    const [name] = readdirSync(spoolFolder(archive.dir));
    const path = join(spoolFolder(archive.dir), name!);
    const file = readFileSync(path);
    expect(await takeSpooled(archive)).toBe(1);
    // As after a crash between the two.
    writeFileSync(path, file);
    expect(await takeSpooled(archive)).toBe(1);
    expect(archive.sqlite.prepare("SELECT count(*) AS n FROM artifacts").get()).toEqual({ n: 1 });
    expect(await readText(archive, pointer)).toBe(TEXT);
  }));
