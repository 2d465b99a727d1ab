// A thousand damages of every kind: no reader is ever given a wrong byte, or some bytes and then an end too early.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { isAppError } from "#lib/kernel/errors.ts";
import type { BlobRange } from "./blob-store.ts";
import { fileBlobs } from "./file.ts";

const MUTATIONS = 1000;
const PIECE = 1024 * 1024;

type Damage = { readonly kind: string; readonly at: number; readonly length: number };

function damage(path: string, { kind, at, length }: Damage): void {
  const bytes = readFileSync(path);
  const position = Math.floor(at * bytes.length);
  const elsewhere = `${path}.elsewhere`;
  switch (kind) {
    case "flip":
      bytes[position] = (bytes[position] ?? 0) ^ (1 << (length % 8));
      return writeFileSync(path, bytes);
    case "zero":
      bytes.fill(0, position, Math.min(bytes.length, position + length));
      return writeFileSync(path, bytes);
    case "cut":
      return truncateSync(path, position);
    case "grow":
      return appendFileSync(path, Buffer.alloc(1 + length, "more"));
    case "swap":
      bytes.reverse();
      return writeFileSync(path, bytes);
    case "hole":
      truncateSync(path, position);
      return truncateSync(path, bytes.length);
    case "link":
      writeFileSync(elsewhere, bytes.subarray(1));
      rmSync(path);
      return symlinkSync(elsewhere, path);
    case "link to nothing":
      rmSync(path);
      return symlinkSync(join(path, "..", "nothing"), path);
    case "hard link":
      writeFileSync(elsewhere, bytes.subarray(0, -1));
      rmSync(path);
      return linkSync(elsewhere, path);
    case "folder":
      rmSync(path);
      return void mkdirSync(path);
    case "pipe":
      rmSync(path);
      return void execFileSync("mkfifo", [path]);
    case "mode 000":
      return chmodSync(path, 0);
    case "old date": {
      // As a bit that turns by itself: nothing in the file's times tells of it.
      bytes[position] = (bytes[position] ?? 0) ^ 1;
      const old = new Date("2020-01-01");
      writeFileSync(path, bytes);
      return utimesSync(path, old, old);
    }
  }
  throw new Error(`No damage is called ${kind}.`);
}

const KINDS = [
  ...["flip", "zero", "cut", "grow", "swap", "hole", "link", "link to nothing", "hard link", "folder"],
  ...["mode 000", "old date", "pipe"],
] as const;

const damages = fc.record({
  kind: fc.oneof(
    { weight: 60, arbitrary: fc.constantFrom(...KINDS.slice(0, -1)) },
    { weight: 1, arbitrary: fc.constant("pipe") },
  ),
  at: fc.double({ min: 0, max: 0.999, noNaN: true }),
  length: fc.integer({ min: 1, max: 600 }),
});
const sizes = fc.oneof(
  { weight: 30, arbitrary: fc.integer({ min: 1, max: 9000 }) },
  { weight: 1, arbitrary: fc.integer({ min: PIECE - 2, max: 2 * PIECE + 100 }) },
);
const ranges = fc.option(
  fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })),
  {
    nil: null,
  },
);

test("a thousand damages: never a wrong byte, and the same content put again heals", async () => {
  const dir = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "plimsoll-corrupt-"));
  const counts = { refused: 0, unharmed: 0 };
  try {
    const blobs = fileBlobs(dir);
    const read = async (digest: string, range?: BlobRange): Promise<{ bytes: Buffer; error: unknown }> => {
      const pieces: Uint8Array[] = [];
      try {
        for await (const piece of blobs.read(digest, range)) pieces.push(Buffer.from(piece));
        return { bytes: Buffer.concat(pieces), error: null };
      } catch (error) {
        return { bytes: Buffer.concat(pieces), error };
      }
    };
    let serial = 0;
    await fc.assert(
      fc.asyncProperty(damages, sizes, ranges, fc.boolean(), async (what, size, share, readBefore) => {
        const bytes = Buffer.alloc(size, `blob ${serial++} of many\n`);
        const digest = blobs.stage(bytes);
        await blobs.flush();
        if (readBefore) expect((await read(digest)).error).toBe(null);
        const path = blobs.path!(digest);
        damage(path, what);
        const [a, b] = (share ?? [0, 1]).map((part) => Math.floor(part * size)).toSorted((x, y) => x - y) as [
          number,
          number,
        ];
        const range = share === null ? undefined : { start: a, end: b };
        const given = await read(digest, range);
        if (given.error === null) {
          // Zeros over zeros, or a mode that does not bind this user: it is whole, and then it is the right one.
          expect(given.bytes.equals(range === undefined ? bytes : bytes.subarray(a, b))).toBe(true);
          counts.unharmed++;
        } else {
          expect(
            isAppError(given.error) && ["conflict", "not_found"].includes(given.error.code),
            String(given.error),
          ).toBe(true);
          expect(given.bytes.length).toBe(0);
          // What was refused stands aside, for a person to look at.
          if (given.error instanceof Error && given.error.message.includes("quarantine"))
            expect(readdirSync(join(dir, "quarantine")).some((name) => name.startsWith(digest))).toBe(true);
          counts.refused++;
        }
        expect(blobs.stage(bytes)).toBe(digest);
        await blobs.flush();
        const healed = await read(digest);
        expect(healed.error).toBe(null);
        expect(healed.bytes.equals(bytes)).toBe(true);
        expect(createHash("sha256").update(readFileSync(path)).digest("hex")).toBe(digest);
      }),
      { numRuns: MUTATIONS, seed: 17 },
    );
    console.log(`${MUTATIONS} damages: ${counts.refused} refused, ${counts.unharmed} without effect`);
    expect(counts.refused).toBeGreaterThan(MUTATIONS * 0.8);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});

test("a blob that is stored again while its damage is found stays where it is", async () => {
  const dir = mkdtempSync(join(tmpdir(), "plimsoll-healed-"));
  try {
    const blobs = fileBlobs(dir);
    for (const size of [1000, 3 * PIECE]) {
      const bytes = Buffer.alloc(size, "whole");
      const digest = blobs.stage(bytes);
      await blobs.flush();
      damage(blobs.path!(digest), { kind: "flip", at: 0.5, length: 1 });
      const file = await open(blobs.path!(digest));
      await file.close();
      const handle = Object.getPrototypeOf(file) as { read: (...given: unknown[]) => Promise<unknown> };
      const original = handle.read;
      const reading = vi.spyOn(handle, "read").mockImplementationOnce(async function (this: FileHandle, ...given) {
        const answer = await original.apply(this, given);
        blobs.putAnew(digest, bytes);
        return answer;
      });
      const read = async (): Promise<Buffer> => Buffer.concat(await Array.fromAsync(blobs.read(digest)));
      await expect(read()).rejects.toThrow("damaged");
      reading.mockRestore();
      expect((await read()).equals(bytes)).toBe(true);
      expect((await blobs.damaged()).count).toBe(0);
    }
    blobs.close();
  } finally {
    rmSync(dir, { recursive: true });
  }
});
