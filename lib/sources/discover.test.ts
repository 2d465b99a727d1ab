import { execFileSync } from "node:child_process";
import { chmodSync, linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, test } from "vitest";
import { discover } from "./discover.ts";
import { openSource, readLinesWith, readSmall } from "./source-handle.ts";

let base = "";
let root = "";
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "plimsoll-discover-")));
  root = join(base, "root");
  mkdirSync(root);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const wants = (path: string): boolean => path.endsWith(".jsonl");

async function found(from = root): Promise<string[]> {
  const paths: string[] = [];
  for await (const { path, skipped } of discover(from, wants))
    paths.push(path.slice(base.length + 1) + (skipped === undefined ? "" : ` (${skipped})`));
  return paths;
}

function write(path: string, text = "{}\n"): string {
  mkdirSync(join(root, path, ".."), { recursive: true });
  writeFileSync(join(root, path), text);
  return join(root, path);
}

test("files are found by name, sorted, in folders of any name", async () => {
  for (const path of ["b/2.jsonl", "b/10.jsonl", "a.jsonl", "x.jsonl/s.jsonl", "b/notes.txt", "é.jsonl"]) write(path);
  expect(await found()).toEqual([
    "root/a.jsonl",
    "root/b/10.jsonl",
    "root/b/2.jsonl",
    "root/x.jsonl/s.jsonl",
    "root/é.jsonl",
  ]);
});

test("a root may be a file, a link to a file or to a folder, or absent", async () => {
  write("a.txt");
  symlinkSync(join(root, "a.txt"), join(base, "to-file"));
  symlinkSync(root, join(base, "to-root"));
  write("b.jsonl");
  expect(await found(join(root, "a.txt"))).toEqual(["root/a.txt"]);
  expect(await found(join(base, "to-file"))).toEqual(["root/a.txt"]);
  expect(await found(join(base, "to-root"))).toEqual(["to-root/b.jsonl"]);
  expect(await found(join(base, "none"))).toEqual([]);
});

test("links out of the root, devices, pipes and sockets are listed with a reason, and never block", async () => {
  writeFileSync(join(base, "secret.jsonl"), "secret\n");
  mkdirSync(join(base, "outside"));
  writeFileSync(join(base, "outside", "o.jsonl"), "{}\n");
  symlinkSync(join(base, "secret.jsonl"), join(root, "a.jsonl"));
  symlinkSync(join(base, "outside"), join(root, "b"));
  symlinkSync("/dev/zero", join(root, "c.jsonl"));
  symlinkSync(join(root, "d.jsonl"), join(root, "d.jsonl"));
  symlinkSync(join(base, "nothing"), join(root, "nothing.txt"));
  execFileSync("mkfifo", [join(root, "e.jsonl")]);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(join(root, "f.jsonl"), resolve));
  write("g.jsonl");
  linkSync(join(root, "g.jsonl"), join(root, "h.jsonl"));
  const paths = await found();
  expect(paths).toEqual([
    `root/a.jsonl (It is a symbolic link, to ${base}/secret.jsonl.)`,
    `root/b (It is a symbolic link to a folder outside the source, ${base}/outside.)`,
    "root/c.jsonl (It is a symbolic link, to /dev/zero.)",
    "root/d.jsonl (It is a symbolic link whose target is missing.)",
    "root/e.jsonl (It is a named pipe; only regular files are read.)",
    "root/f.jsonl (It is a socket; only regular files are read.)",
    "root/g.jsonl",
    "root/h.jsonl",
  ]);
  for (const name of ["a", "c", "d", "e", "f"])
    await expect(openSource(join(root, `${name}.jsonl`), [root])).rejects.toMatchObject({ code: "invalid" });
  await expect(openSource(join(root, "b", "o.jsonl"), [root])).rejects.toMatchObject({ code: "invalid" });
  await expect(openSource("/dev/zero", ["/"])).rejects.toMatchObject({ code: "invalid" });
  await new Promise((resolve) => server.close(resolve));
});

test("a folder that a link inside the root leads to is walked once, and a loop ends", async () => {
  write("z/s.jsonl");
  symlinkSync(join(root, "z"), join(root, "a"));
  symlinkSync(root, join(root, "z", "up"));
  symlinkSync(join(root, "z", "loop"), join(root, "z", "loop"));
  expect(await found()).toEqual(["root/z/s.jsonl"]);
});

test("a file is opened only inside the roots, and a deleted one is not found", async () => {
  const path = write("p/s.jsonl", "abc\n");
  writeFileSync(join(base, "rootless.jsonl"), "no");
  symlinkSync(root, join(base, "link"));
  for (const [given, roots] of [
    [path, [root]],
    [path, [join(base, "none"), path]],
    [join(base, "link", "p", "s.jsonl"), [join(base, "link")]],
  ] as const) {
    const handle = await openSource(given, roots);
    expect(Buffer.from(await handle.read(1, 100)).toString()).toBe("bc\n");
    expect([handle.size, handle.path]).toEqual([4, given]);
    await handle.close();
    await handle.close();
  }
  await expect(openSource(path, [])).rejects.toMatchObject({ code: "invalid" });
  // A root's name as the beginning of another name does not make it inside.
  await expect(openSource(join(base, "rootless.jsonl"), [root])).rejects.toMatchObject({ code: "invalid" });
  await expect(openSource(join(root, "..", "rootless.jsonl"), [root])).rejects.toMatchObject({ code: "invalid" });
  await expect(openSource(join(root, "none.jsonl"), [root])).rejects.toMatchObject({ code: "not_found" });
  await expect(openSource(root, [root])).rejects.toMatchObject({ code: "invalid" });
  await expect(openSource(join(root, "x".repeat(300)), [root])).rejects.toMatchObject({ code: "invalid" });
});

test("swapped between a file and a link while it is opened, the link's target never comes out", async () => {
  const path = write("s.jsonl", "good\n");
  writeFileSync(join(base, "secret.jsonl"), "secret\n");
  const isOver = new Int32Array(new SharedArrayBuffer(4));
  const swapping = new Worker(
    `const { workerData } = require("node:worker_threads");
     const { renameSync, symlinkSync, writeFileSync } = require("node:fs");
     const { path, secret, spare, isOver } = workerData;
     while (Atomics.load(isOver, 0) === 0) {
       symlinkSync(secret, spare);
       renameSync(spare, path);
       writeFileSync(spare, "good\\n");
       renameSync(spare, path);
     }`,
    { eval: true, workerData: { path, secret: join(base, "secret.jsonl"), spare: join(base, "spare"), isOver } },
  );
  const counts = { read: 0, refused: 0 };
  for (let i = 0; i < 10_000; i++) {
    try {
      const handle = await openSource(path, [root]);
      expect(Buffer.from(await handle.read(0, 100)).toString()).toBe("good\n");
      await handle.close();
      counts.read++;
    } catch (error) {
      expect(error).toMatchObject({ code: expect.stringMatching(/^(invalid|conflict|not_found)$/) });
      counts.refused++;
    }
  }
  Atomics.store(isOver, 0, 1);
  await new Promise((resolve) => swapping.once("exit", resolve));
  console.log("swapped while opened:", JSON.stringify(counts));
  expect(counts.read).toBeGreaterThan(0);
  expect(counts.refused).toBeGreaterThan(0);
});

test("a swapped folder does not lead outside either", async () => {
  write("p/s.jsonl", "good\n");
  mkdirSync(join(base, "outside"));
  writeFileSync(join(base, "outside", "s.jsonl"), "secret\n");
  rmSync(join(root, "p"), { recursive: true });
  symlinkSync(join(base, "outside"), join(root, "p"));
  await expect(openSource(join(root, "p", "s.jsonl"), [root])).rejects.toMatchObject({ code: "invalid" });
});

test("a small file is read whole, and null says that there is none to read", async () => {
  const path = write("s.meta.json", '{"a":1}');
  expect(Buffer.from((await readSmall(path, [root], 7))!.bytes).toString()).toBe('{"a":1}');
  expect(await readSmall(path, [root], 6)).toBeNull();
  expect(await readSmall(join(root, "none"), [root], 100)).toBeNull();
  expect(await readSmall(root, [root], 100)).toBeNull();
  expect(await readSmall(path, [join(base, "other")], 100)).toBeNull();
});

test("of a large file the lines with a text are read, over its pieces and to its end", async () => {
  const noise = `{"text":"${"x".repeat(300_000)}"}\n`;
  const lines = [1, 2, 3].map((n) => `${noise.repeat(3)}{"usage":${n}}\n`);
  const path = write("updates.jsonl", `${lines.join("")}{"usage":4}`);
  const found = Buffer.from((await readLinesWith(path, [root], '"usage"', 100))!).toString();
  expect(found).toBe('{"usage":1}\n{"usage":2}\n{"usage":3}\n{"usage":4}');
  expect(await readLinesWith(path, [root], '"usage"', 20)).toBeNull();
  expect((await readLinesWith(path, [root], '"none"', 20))!).toHaveLength(0);
  expect(await readLinesWith(path, [join(base, "other")], '"usage"', 100)).toBeNull();
});

test("names that are not UTF-8 and folders that may not be read are listed", async () => {
  writeFileSync(Buffer.concat([Buffer.from(`${root}/a`), Buffer.from([0xff]), Buffer.from(".jsonl")]), "{}\n");
  write("b/s.jsonl");
  chmodSync(join(root, "b"), 0);
  const paths = await found();
  expect(paths[0]).toContain("not valid UTF-8");
  if (process.getuid?.() === 0) console.log("As root every folder can be read: that half is not shown here.");
  else expect(paths[1]).toContain("cannot be read (EACCES)");
  chmodSync(join(root, "b"), 0o700);
});

test("a hundred levels down is found, and a walk can be cancelled", async () => {
  const deep = `${Array(100).fill("d").join("/")}/s.jsonl`;
  write(deep);
  expect(await found()).toEqual([`root/${deep}`]);
  await expect(discover(root, wants, AbortSignal.abort()).next()).rejects.toThrow(/abort/i);
});
