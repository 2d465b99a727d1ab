// A command that the running server carries out: however long it takes, and what becomes of it when who asked leaves.
import { expect, test } from "vitest";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import type { WorkOptions } from "#lib/archive/base/work-options.ts";
import { AppError } from "#lib/kernel/errors.ts";
import { inArchive } from "#lib/archive/testing-archive.ts";
import { askCommand, writeAddress } from "./running-server.ts";
import { NONCE, withDoors, type DoorServer } from "./testing-http.ts";

type Work = (name: string, request: unknown, options: WorkOptions) => Promise<unknown>;

const CHECKED = {
  ok: true,
  blobs: { checked: 0, corrupt: 0, missing: 0, orphan: 0 },
  rows: { checked: 0, bad: 0 },
  registry: { lines: 0, bad: 0 },
  rebuilt: null,
  problems: [],
};

/** A server whose long works are this function. */
const withWork = (work: Work, run: (server: DoorServer, archive: Archive) => Promise<void>): Promise<void> =>
  inArchive(async (archive) => {
    archive.writer = { run: () => Promise.reject(new Error("no writes here")), work };
    await withDoors(archive, (server) => run(server, archive)).finally(() => {
      archive.writer = null;
    });
  });

test("an answer is waited for longer than fetch waits for one", () =>
  withWork(
    () => new Promise((resolve) => setTimeout(() => resolve(CHECKED), 2500)),
    async (server, archive) => {
      await fetch("data:,");
      const key = Symbol.for("undici.globalDispatcher.1");
      const global = globalThis as unknown as Record<symbol, { constructor: new (options: object) => never }>;
      const usual = global[key]!;
      // Instead of 5 minutes.
      global[key] = new usual.constructor({ headersTimeout: 200 });
      try {
        await writeAddress(archive.dir, {
          pid: process.pid,
          port: server.port,
          nonce: NONCE,
          token: server.credentials.bearer,
        });
        expect(await askCommand(archive.dir, "check", { rebuild: true })).toEqual({ answer: CHECKED });
      } finally {
        global[key] = usual as never;
      }
    },
  ));

test.each([
  ["check", { rebuild: true }],
  ["calibrate", { do: "fit" }],
  ["gc", { dryRun: true, walk: true }],
])("%s ends when who asked for it leaves", (name, json) => {
  const begun = Promise.withResolvers<WorkOptions>();
  return withWork(
    async (_name, _input, options) => {
      begun.resolve(options);
      // Never where it cannot be stopped.
      await new Promise((resolve) => options.signal?.addEventListener("abort", resolve));
      throw new AppError("timeout", `${name} was cancelled before it ended.`);
    },
    async (server) => {
      const left = new AbortController();
      const asked = server.ask("POST", `/api/commands/${name}`, { json, signal: left.signal });
      const { signal } = await begun.promise;
      left.abort();
      await expect(asked).rejects.toThrow();
      await expect.poll(() => signal?.aborted).toBe(true);
    },
  );
});
