import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { SourceWatch, WatchedFile } from "./watch.ts";
import { watchSources } from "./watch.ts";

let dir = "";
let stop = new AbortController();
let changed: string[][] = [];
let discovered: string[] = [];
let settled: string[][] = [];
let known = new Map<string, WatchedFile>();

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "plimsoll-watch-"));
  stop = new AbortController();
  changed = [];
  discovered = [];
  settled = [];
  known = new Map();
});
afterEach(() => {
  stop.abort();
  rmSync(dir, { recursive: true, force: true });
});

/** As the archive does: the file was read, and this is how it was. */
function know(path: string, running = false): string {
  const { size, mtimeMs } = statSync(path);
  known.set(path, { path, size, mtimeMs, running });
  return path;
}

function write(name: string, text = "{}\n"): string {
  const path = join(dir, name);
  writeFileSync(path, text);
  return path;
}

const FAR = 600_000;

function start(times: { runningMs?: number; idleMs?: number; settleMs?: number } = {}): SourceWatch {
  return watchSources({
    roots: () => [dir],
    files: () => known.values(),
    onChanged: (paths) => changed.push(paths),
    onDiscover: (roots) => discovered.push(...roots),
    onSettled: (paths) => settled.push(paths),
    runningMs: FAR,
    idleMs: FAR,
    ...times,
    signal: stop.signal,
  });
}

async function until(what: () => boolean, timeoutMs = 5000): Promise<number> {
  const from = performance.now();
  while (!what()) {
    if (performance.now() - from > timeoutMs) throw new Error(`not within ${timeoutMs} ms`);
    await pause(5);
  }
  return performance.now() - from;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test("an event tells of a change at once, and once", async () => {
  const path = know(write("s.jsonl"));
  expect(start().mode()).toBe("events");
  await pause(100);
  appendFileSync(path, "{}\n");
  expect(await until(() => changed.length > 0)).toBeLessThan(1000);
  await pause(400);
  expect(changed).toEqual([[path]]);
  appendFileSync(path, "{}\n");
  await until(() => changed.length > 1);
  expect(changed).toEqual([[path], [path]]);
});

test("a large database, which is copied whole, is told with pauses", async () => {
  const path = know(write("state.vscdb", ""), true);
  start({ runningMs: 20 });
  truncateSync(path, 70e6);
  await until(() => changed.length === 1);
  know(path, true);
  const from = performance.now();
  truncateSync(path, 70e6 + 1);
  await until(() => changed.length === 2);
  expect(performance.now() - from).toBeGreaterThan(400);
});

test("a file beside a session is told as the session, with pauses, and its end is no news", async () => {
  const path = know(write("s.jsonl"));
  const meta = join(dir, "meta.json");
  known.set(meta, { path: meta, size: -1, mtimeMs: 0, running: false, of: { path, size: 2e6 } });
  start();
  await pause(100);
  write("meta.json", "{}");
  await until(() => changed.length === 1);
  const from = performance.now();
  write("meta.json", "{ }");
  await until(() => changed.length === 2);
  expect(performance.now() - from).toBeGreaterThan(700);
  rmSync(meta);
  await pause(400);
  expect(changed).toEqual([[path], [path]]);
  expect(discovered).toEqual([]);
});

test("a burst of writes is told a few times, not for each", async () => {
  const path = know(write("s.jsonl"));
  start();
  await pause(100);
  for (let i = 0; i < 1000; i++) appendFileSync(path, "{}\n");
  await until(() => changed.length > 0);
  await pause(300);
  expect(changed.length).toBeLessThan(10);
});

test("a new file, and a file in a new folder, has its root searched", async () => {
  start();
  await pause(100);
  write("new.jsonl");
  await until(() => discovered.length === 1);
  mkdirSync(join(dir, "a", "b"), { recursive: true });
  await until(() => discovered.length >= 2);
  const before = discovered.length;
  await pause(1200);
  writeFileSync(join(dir, "a", "b", "s.jsonl"), "{}\n");
  await until(() => discovered.length > before);
  expect(new Set(discovered)).toEqual(new Set([dir]));
});

test("a log that nobody wants does not have the root searched without end", async () => {
  start();
  const path = write("debug.log");
  for (let i = 0; i < 30; i++) {
    appendFileSync(path, "x\n");
    await pause(50);
  }
  expect(discovered.length).toBeLessThanOrEqual(3);
});

test("a log that waits to be searched for holds up no line of another file", async () => {
  const session = know(write("s.jsonl"));
  start();
  await pause(100);
  const log = write("debug.log");
  await until(() => discovered.length === 1);
  // Searched for a moment ago: it waits for the rest of a second.
  appendFileSync(log, "x\n");
  await pause(150);
  appendFileSync(session, "{}\n");
  expect(await until(() => changed.length === 1)).toBeLessThan(750);
  expect(changed).toEqual([[session]]);
});

test("a file that was found a moment ago is told of as soon as it grows", async () => {
  start();
  await pause(100);
  // The list is made, and is young when the file is in it.
  write("first.jsonl");
  await until(() => discovered.length === 1);
  const session = write("s.jsonl");
  await until(() => discovered.length === 2);
  know(session);
  appendFileSync(session, "{}\n");
  expect(await until(() => changed.length === 1)).toBeLessThan(700);
  expect(changed).toEqual([[session]]);
});

test("a running file is seen without events, an idle one at the long interval", async () => {
  const running = know(write("r.jsonl"), true);
  const idle = know(write("i.jsonl"));
  // A root that does not exist: nothing is watched, as on a file system without events.
  const away = join(dir, "none");
  watchSources({
    roots: () => [away],
    files: () => known.values(),
    onChanged: (paths) => changed.push(paths),
    onDiscover: (roots) => discovered.push(...roots),
    runningMs: 50,
    idleMs: 700,
    signal: stop.signal,
  });
  appendFileSync(running, "{}\n");
  appendFileSync(idle, "{}\n");
  expect(await until(() => changed.length === 1)).toBeLessThan(500);
  expect(changed).toEqual([[running]]);
  know(running, true);
  await until(() => changed.length > 1);
  expect(changed).toEqual([[running], [idle]]);
  await until(() => discovered.length > 0);
  expect(discovered[0]).toBe(away);
});

test("a file that is deleted, or whose folder is moved away, is told as changed", async () => {
  mkdirSync(join(dir, "p"));
  const gone = know(write("gone.jsonl"));
  const moved = know(write("p/moved.jsonl"));
  start();
  await pause(100);
  rmSync(gone);
  await until(() => changed.flat().includes(gone));
  renameSync(join(dir, "p"), join(tmpdir(), `plimsoll-moved-${process.pid}`));
  await until(() => changed.flat().includes(moved));
  rmSync(join(tmpdir(), `plimsoll-moved-${process.pid}`), { recursive: true });
});

test("a replaced file is seen, which a watch on the file itself would miss", async () => {
  const path = know(write("s.jsonl"));
  start();
  await pause(100);
  renameSync(write("s.new", "{}\n{}\n"), path);
  await until(() => changed.length > 0);
  changed = [];
  know(path);
  await pause(300);
  appendFileSync(path, "{}\n");
  await until(() => changed.length > 0);
  expect(changed[0]).toEqual([path]);
});

test("a running file that is quiet for a while is told as settled, once", async () => {
  const path = write("s.jsonl", '{"last":1}');
  const written = Date.now() / 1000 - 10;
  utimesSync(path, written, written);
  know(path, true);
  start({ runningMs: 30, settleMs: 9000 });
  await until(() => settled.length > 0);
  await pause(150);
  expect(settled).toEqual([[path]]);
  expect(changed).toEqual([]);
});

test("after abort nothing is told any more", async () => {
  const path = know(write("s.jsonl"), true);
  start({ runningMs: 20, idleMs: 50 });
  await pause(100);
  stop.abort();
  const before = discovered.length;
  appendFileSync(path, "{}\n");
  write("t.jsonl");
  await pause(300);
  expect([changed, discovered.length]).toEqual([[], before]);
});

const watchModule = pathToFileURL(join(import.meta.dirname, "watch.ts")).href;
const script = `
  import { appendFileSync, mkdirSync, writeFileSync, statSync } from "node:fs";
  const { watchSources } = await import(${JSON.stringify(watchModule)});
  const dir = process.argv[1];
  for (let i = 0; i < 20; i++) mkdirSync(dir + "/f" + i, { recursive: true });
  const path = dir + "/f19/s.jsonl";
  writeFileSync(path, "{}\\n");
  const { size, mtimeMs } = statSync(path);
  const stop = new AbortController();
  const changed = [];
  const watch = watchSources({ roots: () => [dir], files: () => [{ path, size, mtimeMs, running: false }],
    onChanged: (paths) => changed.push(...paths), onDiscover: () => {}, runningMs: 50, idleMs: 300, signal: stop.signal });
  if (process.argv[2] === "leave") { /* nothing else keeps the process alive */ }
  else {
    await new Promise((resolve) => setTimeout(resolve, 150));
    const mode = watch.mode();
    appendFileSync(path, "{}\\n");
    await new Promise((resolve) => setTimeout(resolve, 600));
    console.log(JSON.stringify({ mode, hasChanged: changed.length > 0 }));
    stop.abort();
  }
`;

test("it does not keep the process alive", () => {
  execFileSync(process.execPath, ["--input-type=module", "-e", script, dir, "leave"], { timeout: 5000 });
});

test("where the system has no watches left it polls, says so, and misses nothing", () => {
  const inNamespace = (setting: string): string | null => {
    const shell = `echo ${setting.split("=")[1]} > /proc/sys/user/${setting.split("=")[0]} && exec "$@"`;
    const args = ["-Ur", "sh", "-c", shell, "sh", process.execPath, "--input-type=module", "-e", script, dir, "poll"];
    try {
      return execFileSync("unshare", args, { encoding: "utf8", timeout: 10_000, stdio: ["ignore", "pipe", "pipe"] });
    } catch (error) {
      const { stderr } = error as { stderr?: string };
      if (/unshare|Permission denied|not permitted|nonexistent|cannot create/.test(stderr ?? "ENOENT")) return null;
      throw error;
    }
  };
  for (const setting of ["max_inotify_watches=5", "max_inotify_instances=0"]) {
    const answer = inNamespace(setting);
    if (answer === null) console.log(`SKIPPED: this system does not let a test set ${setting} in a namespace.`);
    else expect(JSON.parse(answer)).toEqual({ mode: "polling", hasChanged: true });
  }
});

// A watch stays with the folder that it was opened for: of the one in its position nothing was heard again.
test.skipIf(process.platform !== "linux")("a folder that was made anew under its name is heard again", async () => {
  mkdirSync(join(dir, "one"));
  start();
  await pause(300);
  rmSync(join(dir, "one"), { recursive: true });
  mkdirSync(join(dir, "one"));
  await until(() => discovered.length > 0);
  await pause(1500);
  discovered = [];
  write("one/session.jsonl");
  await until(() => discovered.length > 0);
});

test("a search of all roots is one: agents may have hundreds of them", async () => {
  const searches: (readonly string[])[] = [];
  const roots = ["a", "b", "c"].map((name) => join(dir, name));
  for (const root of roots) mkdirSync(root);
  watchSources({
    roots: () => roots,
    files: () => known.values(),
    onChanged: (paths) => changed.push(paths),
    onDiscover: (found) => searches.push(found),
    runningMs: FAR,
    idleMs: 300,
    signal: stop.signal,
  });
  await until(() => searches.length > 0);
  expect(searches[0]).toEqual(roots);
});

test("an error of the archive ends nothing, is said once, and what changed is found when it is over", async () => {
  const said = vi.spyOn(console, "error").mockReturnValue(undefined);
  const path = know(write("a.jsonl"), true);
  let isDamaged = false;
  const requireSound = (): void => {
    if (isDamaged) throw new Error("database disk image is malformed");
  };
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    watchSources({
      roots: () => (requireSound(), [dir]),
      files: () => (requireSound(), known.values()),
      onChanged: (paths) => changed.push(paths),
      onDiscover: (roots) => discovered.push(...roots),
      signal: stop.signal,
    });
    isDamaged = true;
    appendFileSync(path, "{}\n");
    // What an interval throws ends the process; a rejection that is not handled does too, and fails this run.
    expect(() => vi.advanceTimersByTime(60_000)).not.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(said).toHaveBeenCalledOnce();
    isDamaged = false;
    vi.advanceTimersByTime(1000);
    await until(() => changed.length > 0);
    expect(changed[0]).toEqual([path]);
  } finally {
    vi.useRealTimers();
    said.mockRestore();
  }
});
