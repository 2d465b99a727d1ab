// An agent that writes to its new file in the very moment in which it is taken back: its words stay. Session files here are made by
// hand (synthetic).
import { appendFileSync, readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { answer, jsonl, prompt, SESSION, text } from "#lib/formats/claude-code/testing-claude.ts";
import { carryOnRequest } from "#lib/wire/carry-on-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { importPaths } from "../import/import-paths.ts";
import { inArchive, put } from "../testing-archive.ts";
import { carryOn, takeBack } from "./carry-on.ts";
import { listCarryOns } from "./handover-rows.ts";

const disk = vi.hoisted(() => ({ whenRead: (_path: string): void => {} }));
vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof import("node:fs/promises")>();
  const open: typeof real.open = async (path, ...rest) => {
    const handle = await real.open(path, ...rest);
    const createReadStream = handle.createReadStream.bind(handle);
    handle.createReadStream = (options) => createReadStream(options).once("end", () => disk.whenRead(String(path)));
    return handle;
  };
  return { ...real, open };
});

const FILE = `home/.claude/projects/-home-ada-harbour/${SESSION}.jsonl`;
const request = carryOnRequest.parse({ mode: "fork" });

const ground = (run: (archive: Archive) => Promise<void>) =>
  inArchive(async (archive, dir) => {
    const records = jsonl(prompt("p1", 0, "Read the tide tables"), answer("a1", 1, "m1", text("They rise.")));
    await importPaths(archive, [put(dir, FILE, records)]);
    await run(archive);
  });

test("a file that its agent writes to while it is compared is not removed", () =>
  ground(async (archive) => {
    const { written } = await carryOn(archive, SESSION, request);
    const { path } = written!;
    disk.whenRead = (read) => {
      if (read !== path) return;
      disk.whenRead = () => {};
      appendFileSync(path, '{"type":"user"}\n');
    };
    await expect(takeBack(archive, written!.id)).rejects.toThrow("The agent has written to");
    expect(readFileSync(path, "utf8")).toMatch(/\{"type":"user"\}\n$/);
    expect(listCarryOns(archive).rows).toMatchObject([{ takenBackAt: null }]);
  }));

test("a file that its agent wrote to before its row was refused is not removed either", () =>
  ground(async (archive) => {
    let path = "";
    archive.writer = {
      async run(_what, input) {
        ({ path } = input as { path: string });
        appendFileSync(path, '{"type":"user"}\n');
        throw new Error("the disk is full");
      },
    };
    await expect(carryOn(archive, SESSION, request)).rejects.toThrow("the disk is full");
    expect(readFileSync(path, "utf8")).toMatch(/\{"type":"user"\}\n$/);
  }));
