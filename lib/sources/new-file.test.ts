import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createHash } from "node:crypto";
import { createNewFile } from "./new-file.ts";

let base = "";
beforeEach(() => void (base = realpathSync(mkdtempSync(join(tmpdir(), "plimsoll-new-")))));
afterEach(() => rmSync(base, { recursive: true, force: true }));

const sha = (text: string): string => createHash("sha256").update(text).digest("hex");
const bytes = (...pieces: readonly string[]): Uint8Array[] => pieces.map((piece) => Buffer.from(piece));
const names = (dir: string): string[] => readdirSync(dir).toSorted();

test("a file is created whole, with its folders, mode and time, and nothing is beside it", async () => {
  const path = join(base, "a", "b", "session.jsonl");
  const created = await createNewFile({
    path,
    bytes: bytes("one\n", "two\n"),
    makeFolders: true,
    mode: 0o644,
    mtimeMs: 1_700_000_000_000,
    within: base,
    digest: sha("one\ntwo\n"),
  });
  expect(created).toEqual({ state: "created", path, sizeBytes: 8, digest: sha("one\ntwo\n") });
  expect(readFileSync(path, "utf8")).toBe("one\ntwo\n");
  const stat = statSync(path);
  expect([stat.mode & 0o777, stat.mtimeMs, stat.nlink]).toEqual([0o644, 1_700_000_000_000, 1]);
  expect(statSync(join(base, "a")).mode & 0o777).toBe(0o700);
  expect(names(join(base, "a", "b"))).toEqual(["session.jsonl"]);
});

test("equal bytes are already there; other bytes are refused with both digests, and stay", async () => {
  const path = join(base, "x");
  await createNewFile({ path, bytes: bytes("mine") });
  const before = statSync(path);
  expect((await createNewFile({ path, bytes: bytes("mi", "ne") })).state).toBe("already there");
  await expect(createNewFile({ path, bytes: bytes("other") })).rejects.toThrow(
    `${path} is there and differs: sha-256 ${sha("mine")} there, ${sha("other")} here. It was left as it is.`,
  );
  await expect(createNewFile({ path, bytes: bytes("mine"), ifThere: "refuse", advice: "Go away." })).rejects.toThrow(
    `Could not write ${path}: the file exists. Go away.`,
  );
  expect([readFileSync(path, "utf8"), statSync(path).ino]).toEqual(["mine", before.ino]);
  expect(names(base)).toEqual(["x"]);
});

test("a file that appears while the bytes are written is kept", async () => {
  const path = join(base, "x");
  const meanwhile = (text: string) =>
    async function* () {
      yield Buffer.from("ours ");
      writeFileSync(path, text);
      yield Buffer.from("whole");
    };
  await expect(createNewFile({ path, bytes: meanwhile("theirs")() })).rejects.toThrow("is there and differs");
  expect(readFileSync(path, "utf8")).toBe("theirs");
  rmSync(path);
  expect((await createNewFile({ path, bytes: meanwhile("ours whole")() })).state).toBe("already there");
  expect(names(base)).toEqual(["x"]);
});

test("bytes that fail, that are others than expected, or that are given up leave nothing: no file and no folder", async () => {
  const path = join(base, "new", "deep", "x");
  const failing = async function* () {
    yield Buffer.from("half");
    throw Object.assign(new Error("the source is gone"), { code: "ENOENT" });
  };
  // The caller's own failure, not one of the folder.
  await expect(createNewFile({ path, bytes: failing(), makeFolders: true })).rejects.toThrow("the source is gone");
  await expect(createNewFile({ path, bytes: bytes("x"), makeFolders: true, digest: sha("y") })).rejects.toThrow(
    "Nothing was written",
  );
  const stop = new AbortController();
  const stopped = async function* () {
    yield Buffer.from("half");
    stop.abort();
    yield Buffer.from("rest");
  };
  await expect(createNewFile({ path, bytes: stopped(), makeFolders: true, signal: stop.signal })).rejects.toThrow(
    /abort/i,
  );
  expect(names(base)).toEqual([]);
  await expect(createNewFile({ path, bytes: bytes("x") })).rejects.toThrow("its folder does not exist");
  writeFileSync(join(base, "file"), "");
  await expect(createNewFile({ path: join(base, "file", "x"), bytes: bytes("x"), makeFolders: true })).rejects.toThrow(
    "its folder is a file",
  );
  await expect(createNewFile({ path: `${base}/a\0b`, bytes: bytes("x") })).rejects.toThrow("a NUL byte");
  await expect(createNewFile({ path: join(base, "n".repeat(300)), bytes: bytes("x") })).rejects.toThrow("too long");
  expect(names(base)).toEqual(["file"]);
});

describe("links", () => {
  test("a link under the name is left as it is, whether it leads somewhere or not", async () => {
    const outside = join(base, "outside");
    mkdirSync(join(base, "in"));
    for (const [name, target] of [
      ["dangling", join(outside, "nothing")],
      ["file", join(base, "other")],
    ] as const) {
      writeFileSync(join(base, "other"), "x");
      symlinkSync(target, join(base, "in", name));
      await expect(createNewFile({ path: join(base, "in", name), bytes: bytes("x") })).rejects.toThrow(
        "is a symbolic link. It is left as it is.",
      );
    }
    expect([existsSync(outside), readFileSync(join(base, "other"), "utf8")]).toEqual([false, "x"]);
  });

  test("a folder that is a link out of the folder is refused before anything is made there", async () => {
    const root = join(base, "root");
    mkdirSync(root);
    mkdirSync(join(base, "outside"));
    symlinkSync(join(base, "outside"), join(root, "sub"));
    symlinkSync(join(base, "nowhere"), join(root, "gone"));
    const write = (path: string) => createNewFile({ path, bytes: bytes("x"), makeFolders: true, within: root });
    await expect(write(join(root, "sub", "deep", "x"))).rejects.toThrow(`outside ${root}`);
    await expect(write(join(root, "gone", "x"))).rejects.toThrow("a link to a folder that does not exist");
    await expect(write(join(root, "..", "x"))).rejects.toThrow(`outside ${root}`);
    expect([names(join(base, "outside")), existsSync(join(base, "nowhere"))]).toEqual([[], false]);
    // The folder itself may be a link of the person's own.
    symlinkSync(root, join(base, "alias"));
    const path = join(base, "alias", "a", "x");
    expect(
      (await createNewFile({ path, bytes: bytes("x"), makeFolders: true, within: join(base, "alias") })).state,
    ).toBe("created");
  });
});

test("a full disk leaves nothing", async () => {
  if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", base]).status !== 0)
    return console.log("SKIPPED: a small disk cannot be mounted here (that takes root).");
  try {
    writeFileSync(join(base, "original"), "as it was");
    const large = Array.from({ length: 20 }, () => Buffer.alloc(100_000, 1));
    await expect(createNewFile({ path: join(base, "sub", "x"), bytes: large, makeFolders: true })).rejects.toThrow(
      `Could not write ${join(base, "sub", "x")}: the disk is full. Choose another path.`,
    );
    expect(names(base)).toEqual(["original"]);
    expect(readFileSync(join(base, "original"), "utf8")).toBe("as it was");
  } finally {
    execFileSync("umount", ["-l", base]);
  }
});

test("no permission, or a disk that is read-only, leaves nothing", async () => {
  const closed = join(base, "closed");
  mkdirSync(closed);
  chmodSync(closed, 0o500);
  if (process.getuid?.() !== 0)
    await expect(createNewFile({ path: join(closed, "x"), bytes: bytes("x") })).rejects.toThrow(
      "its folder is not writable",
    );
  else if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m,ro", "tmpfs", closed]).status === 0) {
    try {
      await expect(createNewFile({ path: join(closed, "x"), bytes: bytes("x") })).rejects.toThrow(
        "the disk is read-only",
      );
    } finally {
      execFileSync("umount", ["-l", closed]);
    }
  } else console.log("SKIPPED: root may write everywhere, and nothing can be mounted here.");
  expect(names(closed)).toEqual([]);
});
