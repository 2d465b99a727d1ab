// Searches in a thread of their own answer as they do here, refuse as they do here, and are left out when nobody waits.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { fillIndex } from "#lib/archive/search/fill-index.ts";
import { searchArchive } from "#lib/archive/search/search-archive.ts";
import { inArchive, put } from "#lib/archive/testing-archive.ts";
import { searchQuery } from "#lib/wire/search-schema.ts";
import { createSearcher } from "./search-thread.ts";

const FIXTURE = join(import.meta.dirname, "../lib/formats/fixtures/claude-code-synthetic-session.jsonl");

const search = (archive: Archive, q: string, signal?: AbortSignal) =>
  searchArchive(archive, { ...searchQuery.parse({ q }), ...(signal !== undefined && { signal }) });

test("the thread answers and refuses as a search here does, and goes on after one that was cancelled", () =>
  inArchive(async (archive, logs) => {
    await importPaths(archive, [put(logs, "a.jsonl", readFileSync(FIXTURE))]);
    await fillIndex(archive);
    const here = await search(archive, "type:user");
    const searcher = createSearcher(archive);
    archive.searcher = searcher;
    try {
      const there = await search(archive, "type:user");
      expect({ ...there, ms: 0 }).toEqual({ ...here, ms: 0 });
      expect(there.total).toBeGreaterThan(0);
      await expect(search(archive, "tokens:many")).rejects.toMatchObject({
        code: "invalid",
        message: expect.stringContaining("Write tokens:>5k"),
      });
      const stop = new AbortController();
      const cancelled = search(archive, "type:user", stop.signal);
      stop.abort();
      await expect(cancelled).rejects.toMatchObject({ name: "AbortError" });
      expect((await search(archive, "type:user")).total).toBe(here.total);
    } finally {
      archive.searcher = null;
      await searcher.close();
    }
  }));
