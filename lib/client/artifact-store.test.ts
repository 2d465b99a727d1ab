import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { crashAt } from "#lib/agent-dirs/testing-crash.ts";
import { ArtifactStore } from "./artifact-store.ts";
import { getArtifactStore } from "./global-store.ts";
import { readFileTool } from "./read-file-tool.ts";
import { defaultStoreDir, sessionFolderName } from "./store-folder.ts";
import { CLOCK_FILE } from "./sweep-clock.ts";

/** Every so manieth step is tried; 1 tries all of them, which takes a minute. */
const STRIDE = Number(process.env["PLIMSOLL_CRASH_STRIDE"] ?? 9);

let dir = "";
let time = Date.UTC(2026, 0, 1);
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "plimsoll-store-"));
  time = Date.UTC(2026, 0, 1);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const open = (): ArtifactStore => new ArtifactStore({ base: join(dir, "base"), now: () => time });
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe("storing", () => {
  test("an id is art_ and 16 hex digits, and the file of that name has exactly the content", async () => {
    const store = open();
    const ref = await store.store("session-1", "a\r\nb\0é\ufeff", "grep");
    expect(ref.artifact_id).toMatch(/^art_[0-9a-f]{16}$/);
    expect(ref.file_path).toBe(join(dir, "base", "session-1", `${ref.artifact_id}.txt`));
    expect(readFileSync(ref.file_path, "utf8")).toBe("a\r\nb\0é\ufeff");
  });

  test("a reference has the fields of the original, and a message for the model that names the path", async () => {
    const ref = await open().store("s", "line one\nline two", "local_search");
    expect({ ...ref }).toEqual({
      artifact_id: expect.any(String),
      session_id: "s",
      file_path: ref.file_path,
      created_at: time / 1000,
      ttl_s: 3600,
      size_bytes: 17,
      tool_name: "local_search",
      summary: "line one line two",
      pointer: expect.stringMatching(/^art:[0-9a-f-]{36}$/),
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(ref.is_expired).toBe(false);
    expect(ref.to_model_hint()).toEqual({
      artifact_reference: ref.artifact_id,
      summary: "line one line two",
      hint: "Use the read_file tool to retrieve the full content.",
      size_bytes: 17,
      path: ref.file_path,
    });
  });

  test("folders are 0700 and files 0600, whatever the umask", async () => {
    const before = process.umask(0);
    try {
      const store = open();
      const { file_path } = await store.store("s", "x", "t");
      const folder = join(dir, "base", "s");
      expect([join(dir, "base"), folder, file_path, join(folder, "registry.jsonl")].map(modeOf)).toEqual([
        "700",
        "700",
        "600",
        "600",
      ]);
    } finally {
      process.umask(before);
    }
  });

  test("the same content of a session is one file with a reference for each storing", async () => {
    const store = open();
    const refs = await Promise.all(Array.from({ length: 20 }, () => store.store("s", "same", "t")));
    expect(new Set(refs.map((ref) => ref.file_path)).size).toBe(1);
    expect(new Set(refs.map((ref) => ref.pointer)).size).toBe(20);
    expect(store.stats()).toEqual({ artifact_count: 20, total_bytes: 4, logical_bytes: 80 });
    expect(readdirSync(join(dir, "base", "s"))).toHaveLength(2);
  });

  test("any text comes back exactly, also bytes that are no text", async () => {
    const store = open();
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme" }), async (text) => {
        const ref = await store.store("s", text, "t");
        expect(await store.retrieve(ref.artifact_id)).toBe(text);
      }),
      { numRuns: 50 },
    );
    const bytes = Uint8Array.from({ length: 600_000 }, (_, i) => (i * 7) % 256);
    const { ref } = await store.storeOutcome("s", bytes, "t");
    expect(readFileSync(ref.file_path).equals(bytes)).toBe(true);
  });

  test("a failure to write does not throw: the outcome says why, and the reference leads to nothing", async () => {
    const store = open();
    mkdirSync(join(dir, "base", "s"), { mode: 0o700 });
    symlinkSync("/dev/null", join(dir, "base", "s", "registry.jsonl"));
    const outcome = await store.storeOutcome("s", "content", "t");
    expect(outcome).toMatchObject({ status: "failed", reason: expect.stringContaining("ELOOP") });
    const ref = await store.store("s", "content", "t");
    expect(ref.summary).toBe("content");
    rmSync(join(dir, "base", "s", "registry.jsonl"));
    expect(await store.retrieve(ref.artifact_id)).toBeNull();
    expect(existsSync(ref.file_path)).toBe(false);
    expect(readdirSync(join(dir, "base", "s"))).toEqual([]);
  });

  test("what may not be committed any more leaves nothing behind", async () => {
    const store = open();
    let isOpen = true;
    const storing = store.storeOutcome("s", "late", "t", 3600, () => isOpen);
    isOpen = false;
    expect(await storing).toMatchObject({ status: "failed", reason: "the turn was closed" });
    expect(readdirSync(join(dir, "base", "s"))).toEqual([]);
    expect(store.stats().artifact_count).toBe(0);
  });
});

describe("reading", () => {
  test("by id, by pointer and by digest; nothing for what is unknown", async () => {
    const store = open();
    const ref = await store.store("s", "content", "t");
    for (const request of [ref.artifact_id, ref.pointer, `sha256:${ref.digest}`])
      expect(await store.retrieve(request)).toBe("content");
    expect(await store.retrieve("art_0000000000000000")).toBeNull();
    expect(store.get_ref("art_0000000000000000")).toBeNull();
  });

  test("a reference is read without its file, and says when it is expired", async () => {
    const store = open();
    const { artifact_id, file_path } = await store.store("s", "content", "t", 10);
    rmSync(file_path);
    expect(store.get_ref(artifact_id)).toMatchObject({ artifact_id, is_expired: false });
    time += 10_000;
    expect(store.get_ref(artifact_id)).toMatchObject({ artifact_id, is_expired: true });
  });

  test("a file that was deleted behind the store is null, and no exception", async () => {
    const store = open();
    const { artifact_id, file_path } = await store.store("s", "content", "t");
    rmSync(file_path);
    expect(await store.retrieve(artifact_id)).toBeNull();
  });

  const damages: [string, (path: string) => void][] = [
    ["a flipped bit", (path) => writeFileSync(path, "Content")],
    ["a cut", (path) => truncateSync(path, 3)],
    ["growth", (path) => appendFileSync(path, "!")],
    ["a link to another file", (path) => (rmSync(path), symlinkSync("/etc/hostname", path))],
    ["a folder", (path) => (rmSync(path), mkdirSync(path))],
  ];
  test.each(damages)("after %s nothing is read, and storing the same again heals it", async (name, damage) => {
    const store = open();
    const ref = await store.store("s", "content", "t");
    damage(ref.file_path);
    expect(await store.retrieve(ref.artifact_id)).toBeNull();
    if (name === "a folder") rmSync(ref.file_path, { recursive: true });
    await store.store("s", "content", "t");
    expect(await store.retrieve(ref.artifact_id)).toBe("content");
  });

  test("one hour is the default life, and the moment at which it ends is past it", async () => {
    const store = open();
    const hour = await store.store("s", "one", "t");
    const short = await store.store("s", "two", "t", 2);
    const forever = await store.store("s", "three", "t", null);
    time += 1999;
    expect([short.is_expired, await store.retrieve(short.artifact_id)]).toEqual([false, "two"]);
    time += 1;
    expect([short.is_expired, await store.retrieve(short.artifact_id)]).toEqual([true, null]);
    time += 3_598_000;
    expect([hour.is_expired, await store.retrieve(hour.artifact_id)]).toEqual([true, null]);
    time += 1e12;
    expect([forever.is_expired, await store.retrieve(forever.artifact_id)]).toEqual([false, "three"]);
  });

  test("a new process finds what an earlier one stored", async () => {
    const ref = await open().store("any/session", "kept", "t");
    const again = open();
    expect(await again.retrieve(ref.artifact_id)).toBe("kept");
    expect(again.get_ref(ref.artifact_id)).toEqual(ref);
    expect(again.stats().artifact_count).toBe(1);
  });

  test("with a session named, another session's artifact is as unknown as one that never was", async () => {
    const store = open();
    const { artifact_id } = await store.store("mine", "secret", "t");
    expect(await store.retrieve(artifact_id, "other")).toBeNull();
    expect(store.get_ref(artifact_id, "other")).toBeNull();
  });
});

describe("cleaning up", () => {
  test("a session's artifacts, index and unknown files go, and no other session's", async () => {
    const store = open();
    const mine = await store.store("a", "one", "t");
    await store.store("a", "two", "t");
    const other = await store.store("b", "one", "t");
    writeFileSync(join(dir, "base", "a", "stray.bin"), "?");
    expect(store.cleanup_session("a")).toBe(2);
    expect(existsSync(join(dir, "base", "a"))).toBe(false);
    expect(await store.retrieve(mine.artifact_id, "a")).toBeNull();
    expect(await store.retrieve(other.artifact_id)).toBe("one");
    expect(store.cleanup_session("a")).toBe(0);
  });

  test("a session that another process cleaned up and began anew is read from its beginning", async () => {
    const store = open();
    const before = await store.store("a", "before", "t");
    const other = new ArtifactStore({ base: join(dir, "other"), now: () => time });
    const refs = [await other.store("a", "one", "t"), await other.store("a", "two", "t")];
    // The new registry has the number of the one that was deleted, as ext4 gives it, and is longer.
    for (const name of readdirSync(join(dir, "other", "a")))
      writeFileSync(join(dir, "base", "a", name), readFileSync(join(dir, "other", "a", name)), { mode: 0o600 });
    for (const { artifact_id } of refs) expect(await store.retrieve(artifact_id, "a")).not.toBeNull();
    expect(store.get_ref(before.pointer, "a")).toBeNull();
    expect([store.stats().artifact_count, store.problems()]).toEqual([2, []]);
  });

  test("files that no reference knows are counted apart", async () => {
    const store = open();
    await store.store("a", "one", "t");
    writeFileSync(join(dir, "base", "a", "stray"), "?");
    expect(store.cleanupSession("a")).toEqual({ removed: 1, orphans: 1 });
  });

  test("what is past its time is deleted once, and stays known as a tombstone after a restart too", async () => {
    const store = open();
    const short = await store.store("s", "short", "t", 1);
    const long = await store.store("s", "long", "t", 100);
    time += 1000;
    expect(store.cleanup_expired()).toBe(1);
    expect(store.cleanup_expired()).toBe(0);
    expect([existsSync(short.file_path), existsSync(long.file_path)]).toEqual([false, true]);
    expect(open().cleanup_expired()).toBe(0);
    expect(open().get_ref(short.artifact_id)).toMatchObject({ is_expired: true, tool_name: "t", size_bytes: 5 });
    expect(store.stats()).toEqual({ artifact_count: 1, total_bytes: 4, logical_bytes: 4 });
  });

  test("a sweep never takes content that another reference still needs", async () => {
    const store = open();
    const short = await store.store("s", "same", "t", 1);
    const long = await store.store("s", "same", "t", 100);
    time += 5000;
    expect(store.cleanup_expired()).toBe(1);
    expect(await store.retrieve(long.pointer)).toBe("same");
    expect(await store.retrieve(short.pointer)).toBeNull();
    expect(await store.retrieve(short.artifact_id)).toBe("same");
  });

  test("whatever is stored, expires and is swept, what lives is readable and what is gone is null", async () => {
    const step = fc.oneof(
      fc.record({
        store: fc.constantFrom("a", "b", "c"),
        session: fc.constantFrom("x", "y"),
        ttl: fc.integer({ min: 1, max: 20 }),
      }),
      fc.record({ wait: fc.integer({ min: 1, max: 10 }) }),
      fc.constant("sweep" as const),
      fc.constant("restart" as const),
    );
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const base = join(dir, `run-${run++}`);
        let store = new ArtifactStore({ base, now: () => time });
        const refs: { pointer: string; text: string; until: number }[] = [];
        for (const one of steps) {
          if (one === "sweep") store.cleanup_expired();
          else if (one === "restart") store = new ArtifactStore({ base, now: () => time });
          else if ("wait" in one) time += one.wait * 1000;
          else {
            const { pointer } = await store.store(one.session, one.store, "t", one.ttl);
            refs.push({ pointer, text: one.store, until: time + one.ttl * 1000 });
          }
          for (const ref of refs) expect(await store.retrieve(ref.pointer)).toBe(time < ref.until ? ref.text : null);
        }
      }),
      { numRuns: 30 },
    );
  });

  test("the statistics are the count and the sum of the sizes", async () => {
    const store = open();
    for (const [session, text] of [
      ["a", "1"],
      ["a", "22"],
      ["b", "333"],
    ] as const)
      await store.store(session, text, "t");
    expect(store.stats()).toMatchObject({ artifact_count: 3, total_bytes: 6 });
  });
});

describe("the registry", () => {
  test.each([
    ["in the middle", 1],
    ["at the end", 2],
  ])("a bad line %s loses exactly that artifact, and is reported with file and line", async (_, at) => {
    const refs = [];
    for (const text of ["one", "two", "three"]) refs.push(await open().store("s", text, "t"));
    const path = join(dir, "base", "s", "registry.jsonl");
    const lines = readFileSync(path, "utf8").split("\n");
    lines[at] = lines[at]!.slice(0, 40);
    writeFileSync(path, lines.join("\n"));
    const store = open();
    const read = await Promise.all(refs.map((ref) => store.retrieve(ref.artifact_id)));
    expect(read).toEqual(["one", "two", "three"].map((text, i) => (i === at ? null : text)));
    expect(store.problems()).toEqual([{ file: path, line: at + 1, reason: "it is not JSON" }]);
  });

  test("a torn last line does not spoil the next one", async () => {
    const store = open();
    const one = await store.store("s", "one", "t");
    appendFileSync(join(dir, "base", "s", "registry.jsonl"), '{"v":1,"hash":"12');
    const two = await store.store("s", "two", "t");
    expect([await open().retrieve(one.artifact_id), await open().retrieve(two.artifact_id)]).toEqual(["one", "two"]);
    expect(open().problems()).toMatchObject([{ line: 2 }]);
  });

  test("a line with an id that is a path is refused", async () => {
    const store = open();
    await store.store("s", "one", "t");
    const path = join(dir, "base", "s", "registry.jsonl");
    writeFileSync(path, readFileSync(path, "utf8").replace(/"id":"[^"]*"/, '"id":"../../../etc/passwd"'));
    expect(open().problems()).toMatchObject([{ line: 1, reason: "it is not a line of this registry" }]);
    expect(open().stats().artifact_count).toBe(0);
  });

  test("several processes may store into one session at once: every line is whole", async () => {
    const script = `
      const { ArtifactStore } = await import(${JSON.stringify(pathToFileURL(join(import.meta.dirname, "artifact-store.ts")).href)});
      const store = new ArtifactStore({ base: process.argv[1] });
      await Promise.all(Array.from({ length: 25 }, (_, i) => store.store("s", process.argv[2] + " " + (i % 5), "t")));`;
    const children = ["a", "b", "c", "d"].map((name) =>
      spawn(process.execPath, ["--input-type=module", "-e", script, join(dir, "base"), name], { stdio: "inherit" }),
    );
    const watching = new ArtifactStore({ base: join(dir, "base") });
    for (const [status] of await Promise.all(children.map((child) => once(child, "close")))) expect(status).toBe(0);
    expect(watching.problems()).toEqual([]);
    expect(watching.stats().artifact_count).toBe(100);
    expect(readdirSync(join(dir, "base", "s"))).toHaveLength(21);
  });
});

describe("where it lies", () => {
  test("the default is in the person's data folder, and never a shared one", () => {
    expect(defaultStoreDir({ HOME: "/home/ada" })).toBe("/home/ada/.local/share/plimsoll/artifact-store");
    expect(defaultStoreDir({ HOME: "/home/ada", XDG_DATA_HOME: "/data" })).toBe("/data/plimsoll/artifact-store");
    expect(defaultStoreDir({ PLIMSOLL_ARTIFACT_STORE: "/mine" })).toBe("/mine");
  });

  test("a folder that somebody else could have put there is refused, in a sentence", () => {
    const base = join(dir, "base");
    const opened = (): ArtifactStore => new ArtifactStore({ base });
    mkdirSync(join(dir, "victim"));
    symlinkSync(join(dir, "victim"), base);
    expect(opened).toThrow("it is a symbolic link");
    rmSync(base);
    writeFileSync(base, "");
    expect(opened).toThrow("it is not a folder");
    rmSync(base);
    mkdirSync(base);
    chmodSync(base, 0o777);
    expect(opened).toThrow("other users can write to it. Name a folder of your own.");
    chmodSync(base, 0o700);
    chmodSync(dir, 0o777);
    expect(opened).toThrow("other users can replace files in");
    expect(readdirSync(join(dir, "victim"))).toEqual([]);
  });

  test("a folder of another user is refused", () => {
    const euid = vi.spyOn(process as { geteuid(): number }, "geteuid").mockReturnValue(4242);
    mkdirSync(join(dir, "base"), { mode: 0o700 });
    expect(open).toThrow("it belongs to another user");
    euid.mockRestore();
  });

  const odd = [
    "../../etc",
    "/etc/passwd",
    "..",
    ".",
    "",
    "a/b",
    "A",
    "a",
    "con",
    "x".repeat(300),
    "a\0b",
    "C:\\x",
    "~",
    "\u202e",
    "file:///x",
  ];
  test("a session id is data: whatever it is, its folder lies inside, and no two share one", async () => {
    const store = open();
    for (const id of odd) await store.store(id, `of ${id}`, "t");
    expect(new Set(odd.map((id) => sessionFolderName(id).toLowerCase())).size).toBe(odd.length);
    const folders = readdirSync(join(dir, "base")).filter((name) => name !== CLOCK_FILE);
    expect(folders.toSorted()).toEqual(odd.map(sessionFolderName).toSorted());
    expect(readdirSync(dir)).toEqual(["base"]);
    for (const id of odd) expect(store.cleanup_session(id)).toBe(1);
    expect(readdirSync(join(dir, "base"))).toEqual([CLOCK_FILE]);
  });
});

describe("read_file", () => {
  const use = (store: ArtifactStore, path: string, more: object = {}) =>
    readFileTool(store, "s").execute({ path, ...more });

  test("reads by path and by id what the session stored", async () => {
    const store = open();
    const ref = await store.store("s", "the content", "t");
    for (const request of [
      ref.file_path,
      ref.artifact_id,
      ref.pointer,
      join(dir, "x", "..", "base", "s", basename(ref.file_path)),
    ])
      expect(await use(store, request)).toBe("the content");
  });

  test("no other path is readable, however it is written", async () => {
    const store = open();
    const ref = await store.store("s", "the content", "t");
    const other = await store.store("other", "a secret", "t");
    const inside = join(dir, "base", "s", "stray.txt");
    writeFileSync(inside, "not an artifact");
    symlinkSync("/etc/hostname", join(dir, "base", "s", "art_0123456789abcdef.txt"));
    for (const path of [
      "/etc/passwd",
      "../../etc/passwd",
      `${ref.file_path}/../../../../../etc/passwd`,
      "file:///etc/passwd",
      inside,
      other.file_path,
      join(dir, "base", "s", "registry.jsonl"),
      join(dir, "base", "s", "art_0123456789abcdef.txt"),
      `${ref.file_path}\0.png`,
      "__proto__",
    ])
      expect(await use(store, path)).toBe("read_file: only artifact paths are readable");
    expect(await use(store, other.artifact_id)).toBe(`[no artifact found for '${other.artifact_id}']`);
  });

  test("of an expired artifact it says what it was, before and after the sweep", async () => {
    const store = open();
    const { artifact_id } = await store.store("s", "12345", "fetch", 60);
    time += 60_000;
    const said = `[artifact expired: '${artifact_id}' (fetch, 5 bytes, expired 2026-01-01T00:01:00.000Z)]`;
    expect(await use(store, artifact_id)).toBe(said);
    store.cleanup_expired();
    expect(await use(store, artifact_id)).toBe(said);
  });

  test("a long artifact comes in pages", async () => {
    const store = open();
    const ref = await store.store("s", "0123456789\n".repeat(30_000), "t");
    expect(await use(store, ref.file_path)).toMatch(/\[lines 1–200 of 30000; continue with start_line=201\]$/);
    expect(await use(store, ref.file_path, { start_line: 30_000 })).toBe("0123456789\n");
  });
});

describe("the process's store", () => {
  test("whoever asks first, everybody is given the same one, also from another copy of the module", async () => {
    const base = join(dir, "base");
    const [first, second] = await Promise.all([
      Promise.resolve().then(() => getArtifactStore({ base })),
      Promise.resolve().then(() => getArtifactStore({ base: join(dir, "elsewhere") })),
    ]);
    vi.resetModules();
    const copy = (await import("./global-store.ts")) as { getArtifactStore: typeof getArtifactStore };
    expect(copy.getArtifactStore).not.toBe(getArtifactStore);
    expect([first === second, copy.getArtifactStore() === first]).toEqual([true, true]);
    expect(existsSync(join(dir, "elsewhere"))).toBe(false);
  });
});

describe("after a crash at any step", () => {
  const script = `
    const { ArtifactStore } = await import(MODULE);
    const [base] = process.argv.slice(1);
    const now = () => Date.UTC(2026, 0, 1) + passed;
    let passed = 0;
    const store = new ArtifactStore({ base, now });
    const keep = async (session, text, ttl) => {
      const { status, ref } = await store.storeOutcome(session, text, "t", ttl);
      if (status === "stored") say(JSON.stringify([ref.pointer, text, ttl]));
    };
    await keep("a", "one", 3600);
    await keep("a", "one", 3600);
    await keep("b", "short", 1);
    await Promise.all([keep("b", "x".repeat(300000), 3600), keep("b", "two", 3600)]);
    passed = 2000;
    store.cleanup_expired();
    await keep("b", "short", 3600);
    store.cleanup_session("c");`;

  test("every acknowledged artifact is whole, nothing wrong is read, and the store goes on", async () => {
    let points = 0;
    let step = 1;
    for (; ; step += STRIDE) {
      const base = join(dir, `crash-${step}`);
      const crash = await crashAt(step, join(import.meta.dirname, "artifact-store.ts"), script, [base]);
      if (crash.isThrough) break;
      points++;
      const store = new ArtifactStore({ base, now: () => Date.UTC(2026, 0, 1) + 2000 });
      for (const [pointer, text, ttl] of crash.said.map((line) => JSON.parse(line) as [string, string, number]))
        expect(await store.retrieve(pointer)).toBe(ttl === 1 ? null : text);
      expect(store.problems()).toEqual([]);
      const again = await store.store("a", "after", "t");
      expect(await store.retrieve(again.pointer)).toBe("after");
    }
    console.log(`ArtifactStore: killed at ${points} of about ${step} steps`);
    expect(step).toBeGreaterThan(100);
  }, 900_000);
});
