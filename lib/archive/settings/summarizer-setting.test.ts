// The setting of the model that summarises, and its key: off until it is set, the key in its own file and in no answer.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Host } from "#lib/kernel/host.ts";
import type { ModelEndpoint } from "#lib/kernel/model-endpoint.ts";
import type { SummarizerRequest } from "#lib/wire/summarizer-schema.ts";
import { openArchive } from "../archive.ts";
import type { Archive } from "../base/archive-type.ts";
import { putSetting } from "../base/setting-rows.ts";
import { readSummarizer, saveSummarizer, summarizerOf, trySummarizer } from "./summarizer-setting.ts";
import { inFolder, testHost, withArchive } from "../testing-archive.ts";

const KEY = "sk-test-4711-abcdefghijklmnop-wxyz";
const OPENAI: SummarizerRequest = { kind: "openai", baseUrl: "https://models.example/v1", model: "small-1" };
const OFF = { kind: "off", baseUrl: "", model: "", key: { isSet: false, last4: null }, sentTo: null };

/** A host whose clients are not real: it keeps what they were made of. */
function recordingHost(): { host: Host; made: ModelEndpoint[] } {
  const made: ModelEndpoint[] = [];
  const summarizers: Host["summarizers"] = {
    of(endpoint) {
      made.push(endpoint);
      return {
        id: `${endpoint.kind}:${endpoint.model}`,
        summarize: () => ({ summary: "s", facts: [] }),
        tryOut: async () => ({ said: "ready", model: "small-1-0725", ms: 7 }),
      };
    },
  };
  return { host: { ...testHost(), summarizers }, made };
}

type Ground = { archive: Archive; made: ModelEndpoint[]; keyFile: string; dir: string };

const grounds = (run: (ground: Ground) => Promise<void>): Promise<void> =>
  inFolder((dir) => {
    const { host, made } = recordingHost();
    return withArchive(dir, (archive) => run({ archive, made, dir, keyFile: join(dir, "summarizer.key") }), host);
  });

/** Every byte of an archive but those of the key's own file. */
const bytesOf = (dir: string): string =>
  readdirSync(dir, { recursive: true, encoding: "utf8" })
    .filter((name) => name !== "summarizer.key" && statSync(join(dir, name)).isFile())
    .map((name) => readFileSync(join(dir, name), "latin1"))
    .join("\n");

describe("the summarizer", () => {
  test("is off until a person sets one up, and then nobody's client is made", () =>
    grounds(async ({ archive, made }) => {
      expect(await readSummarizer(archive)).toEqual(OFF);
      expect(summarizerOf(archive)).toBeNull();
      await expect(trySummarizer(archive)).rejects.toMatchObject({ code: "conflict" });
      expect(made).toEqual([]);
    }));

  test("that is set is made of what was saved, and says where it is asked", () =>
    grounds(async ({ archive, made }) => {
      const saved = await saveSummarizer(archive, { ...OPENAI, baseUrl: "https://Models.example/v1/", apiKey: KEY });
      expect(saved).toEqual({
        ...OPENAI,
        key: { isSet: true, last4: "wxyz" },
        sentTo: "https://models.example/v1/chat/completions",
      });
      expect(await readSummarizer(archive)).toEqual(saved);
      expect(summarizerOf(archive)?.id).toBe("openai:small-1");
      expect(made).toEqual([{ ...OPENAI, apiKey: KEY }]);
      expect(await trySummarizer(archive)).toMatchObject({ said: "ready", ms: 7, sentTo: saved.sentTo });
    }));

  test("that is switched off keeps its fields, and asks nobody", () =>
    grounds(async ({ archive, made }) => {
      await saveSummarizer(archive, { ...OPENAI, apiKey: KEY });
      expect(await saveSummarizer(archive, { ...OPENAI, kind: "off" })).toMatchObject({
        kind: "off",
        baseUrl: OPENAI.baseUrl,
        key: { isSet: true },
        sentTo: null,
      });
      expect(summarizerOf(archive)).toBeNull();
      await expect(trySummarizer(archive)).rejects.toMatchObject({ code: "conflict" });
      expect(made).toEqual([]);
      await saveSummarizer(archive, OPENAI);
      expect(summarizerOf(archive)).not.toBeNull();
      expect(made[0]?.apiKey).toBe(KEY);
    }));

  test("stays as it was set when the archive is opened again", () =>
    inFolder(async (dir) => {
      const { host, made } = recordingHost();
      await withArchive(dir, (archive) => saveSummarizer(archive, { ...OPENAI, apiKey: KEY }), host);
      await withArchive(dir, async (archive) => void summarizerOf(archive), host);
      expect(made).toEqual([{ ...OPENAI, apiKey: KEY }]);
    }));

  test.each([
    ["a kind that is none", { kind: "gemini" }],
    ["no base URL", { baseUrl: "" }],
    ["a base URL without encryption", { baseUrl: "http://models.example/v1" }],
    ["the metadata of a cloud machine", { baseUrl: "http://169.254.169.254/latest" }],
    ["a file", { baseUrl: "file:///etc/passwd" }],
    ["a name in the base URL", { baseUrl: "https://me:secret@models.example" }],
    ["no model", { model: "  " }],
    ["a model of two lines", { model: "a\nb" }],
    ["a key of two lines", { apiKey: "one\r\nx-admin: 1" }],
    ["a key that no header can carry", { apiKey: "schlüssel" }],
    ["an empty key", { apiKey: "" }],
    ["a key without end", { apiKey: "k".repeat(5000) }],
    ["a field that nobody knows", { headers: { a: "b" } }],
  ])("with %s is refused, and everything stays", (_, wrong) =>
    grounds(async ({ archive, keyFile }) => {
      const before = await saveSummarizer(archive, { ...OPENAI, apiKey: KEY });
      const file = readFileSync(keyFile);
      const request = { ...OPENAI, ...wrong } as SummarizerRequest;
      await expect(saveSummarizer(archive, request)).rejects.toThrow();
      expect(await readSummarizer(archive)).toEqual(before);
      expect(readFileSync(keyFile)).toEqual(file);
    }),
  );

  test("in a row that is not understood is off", () =>
    grounds(async ({ archive }) => {
      for (const row of ["openai", { kind: "other" }, { kind: "openai" }, 7]) {
        putSetting(archive, "summarizer", row);
        expect(await readSummarizer(archive)).toEqual(OFF);
        expect(summarizerOf(archive)).toBeNull();
      }
    }));

  test("is not changed by a program that reads beside the server", () =>
    inFolder(async (dir) => {
      const { host } = recordingHost();
      await withArchive(dir, (archive) => saveSummarizer(archive, { ...OPENAI, apiKey: KEY }), host);
      const reader = await openArchive({ dir, host, mode: "read" });
      await expect(saveSummarizer(reader, { ...OPENAI, baseUrl: "https://other.example" })).rejects.toMatchObject({
        code: "conflict",
      });
      expect((await readSummarizer(reader)).key.isSet).toBe(true);
      reader.sqlite.close();
    }));
});

describe("the key", () => {
  test("is in a file that its owner alone reads, whatever the umask and the file before", () =>
    grounds(async ({ archive, keyFile }) => {
      const umask = process.umask(0);
      try {
        await saveSummarizer(archive, { ...OPENAI, apiKey: KEY });
        expect(statSync(keyFile).mode & 0o777).toBe(0o600);
        chmodSync(keyFile, 0o666);
        await saveSummarizer(archive, { ...OPENAI, apiKey: `${KEY}2` });
        expect(statSync(keyFile).mode & 0o777).toBe(0o600);
        expect(readFileSync(keyFile, "utf8")).toContain(`${KEY}2`);
      } finally {
        process.umask(umask);
      }
    }));

  test("is in no other file of the archive, and in no answer", () =>
    grounds(async ({ archive, dir }) => {
      const said = [
        await saveSummarizer(archive, { ...OPENAI, apiKey: KEY }),
        await saveSummarizer(archive, { ...OPENAI, model: "small-2" }),
        await readSummarizer(archive),
        await trySummarizer(archive),
      ];
      expect(JSON.stringify(said)).not.toContain(KEY.slice(0, -4));
      archive.sqlite.pragma("wal_checkpoint(PASSIVE)");
      expect(bytesOf(dir)).toContain("small-2");
      expect(bytesOf(dir)).not.toContain(KEY);
      expect(readdirSync(dir).filter((name) => name.endsWith(".tmp"))).toEqual([]);
    }));

  test("of few characters is said to be set, without any of them", () =>
    grounds(async ({ archive }) => {
      expect((await saveSummarizer(archive, { ...OPENAI, apiKey: "ollama" })).key).toEqual({
        isSet: true,
        last4: null,
      });
    }));

  test.each([
    ["host", "https://other.example/v1"],
    ["port", "https://models.example:8443/v1"],
    ["path", "https://models.example/v2"],
    ["scheme, on this machine", "http://127.0.0.1:11434"],
  ])("is gone when the base URL changes its %s, and does not come back with it", (_, baseUrl) =>
    grounds(async ({ archive, made, keyFile }) => {
      await saveSummarizer(archive, { ...OPENAI, apiKey: KEY });
      expect((await saveSummarizer(archive, { ...OPENAI, baseUrl })).key).toEqual({ isSet: false, last4: null });
      expect(existsSync(keyFile)).toBe(false);
      summarizerOf(archive);
      expect(made.at(-1)).toMatchObject({ baseUrl, apiKey: null });
      expect((await saveSummarizer(archive, OPENAI)).key.isSet).toBe(false);
    }),
  );

  test("is kept while the base URL is the same in other letters, and the kind or the model changes", () =>
    grounds(async ({ archive }) => {
      await saveSummarizer(archive, { ...OPENAI, apiKey: KEY });
      for (const more of [
        { baseUrl: "HTTPS://MODELS.example:443/v1/" },
        { model: "big-1" },
        { kind: "anthropic" as const },
      ])
        expect((await saveSummarizer(archive, { ...OPENAI, ...more })).key.isSet).toBe(true);
    }));

  test("that comes with another base URL is the new one", () =>
    grounds(async ({ archive, made }) => {
      await saveSummarizer(archive, { ...OPENAI, apiKey: KEY });
      await saveSummarizer(archive, {
        ...OPENAI,
        baseUrl: "https://other.example",
        apiKey: "another-key-of-some-length",
      });
      summarizerOf(archive);
      expect(made.at(-1)).toMatchObject({ baseUrl: "https://other.example", apiKey: "another-key-of-some-length" });
    }));

  test("is removed when that is asked for", () =>
    grounds(async ({ archive, keyFile }) => {
      await saveSummarizer(archive, { ...OPENAI, apiKey: KEY });
      expect((await saveSummarizer(archive, { ...OPENAI, apiKey: null })).key.isSet).toBe(false);
      expect(existsSync(keyFile)).toBe(false);
    }));

  test("of another base URL than the one that is set is none, as after a database from a copy", () =>
    grounds(async ({ archive, made }) => {
      await saveSummarizer(archive, { ...OPENAI, apiKey: KEY });
      putSetting(archive, "summarizer", { ...OPENAI, baseUrl: "https://evil.example/v1" });
      summarizerOf(archive);
      expect(made.at(-1)).toMatchObject({ baseUrl: "https://evil.example/v1", apiKey: null });
    }));

  test.each([
    ["rubbish", (file: string) => writeFileSync(file, "\u0000 no json")],
    ["nothing", (file: string) => writeFileSync(file, "")],
    ["of another shape", (file: string) => writeFileSync(file, JSON.stringify({ baseUrl: OPENAI.baseUrl, key: 7 }))],
    [
      "far too long",
      (file: string) => writeFileSync(file, JSON.stringify({ baseUrl: OPENAI.baseUrl, key: "k".repeat(1e6) })),
    ],
  ])("in a file that is %s is no key", (_, spoil) =>
    grounds(async ({ archive, keyFile }) => {
      await saveSummarizer(archive, { ...OPENAI, apiKey: KEY });
      spoil(keyFile);
      expect((await readSummarizer(archive)).key.isSet).toBe(false);
    }),
  );

  test.each([
    ["link", "invalid", (file: string, dir: string) => symlinkSync(join(dir, "elsewhere"), file)],
    ["folder", false, (file: string) => mkdirSync(file)],
  ])("behind a %s is not read: %s", (_, said, put) =>
    grounds(async ({ archive, keyFile, dir }) => {
      await saveSummarizer(archive, OPENAI);
      writeFileSync(join(dir, "elsewhere"), JSON.stringify({ baseUrl: OPENAI.baseUrl, key: KEY }));
      rmSync(keyFile, { force: true });
      put(keyFile, dir);
      const key = await readSummarizer(archive).then(
        (answer) => answer.key.isSet,
        (error: { code: string }) => error.code,
      );
      expect(key).toBe(said);
    }),
  );

  test("stays with its base URL whatever is saved at once", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ host: fc.nat(2), key: fc.option(fc.boolean()) }), { minLength: 2, maxLength: 6 }),
        (wishes) =>
          grounds(async ({ archive, made }) => {
            await Promise.all(
              wishes.map(({ host, key }) =>
                saveSummarizer(archive, {
                  ...OPENAI,
                  baseUrl: `https://host${host}.example`,
                  ...(key === null ? {} : { apiKey: key ? `key-of-host-${host}` : null }),
                }),
              ),
            );
            summarizerOf(archive);
            const { baseUrl, apiKey } = made.at(-1)!;
            expect(baseUrl).toBe(`https://host${wishes.at(-1)!.host}.example`);
            expect([null, `key-of-host-${wishes.at(-1)!.host}`]).toContain(apiKey);
          }),
      ),
      { numRuns: 30 },
    ));
});
