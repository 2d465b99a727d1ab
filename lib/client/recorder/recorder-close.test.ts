// The end of a recorder: closed twice, asked after its end, and given a record in the moment in which it closes.
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Recorder } from "./event-recorder.ts";

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "plimsoll-recorder-close-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const say = (recorder: Recorder, text: string): void =>
  recorder.record({ record: "event", body: { type: "user", text } });

/** A Plimsoll that is away. */
const away = (): Recorder =>
  new Recorder({
    url: "http://127.0.0.1:9",
    token: "t",
    spool: join(dir, "spool"),
    fetch: () => Promise.reject(new TypeError("fetch failed")),
  });

const spooled = (): string =>
  readdirSync(join(dir, "spool"), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => readFileSync(join(dir, "spool", name), "utf8"))
    .join("");

test("closed twice, at once and later, it answers the same, and closes no file of another", async () => {
  const recorder = away();
  say(recorder, "message 0");
  expect(await Promise.all([recorder.close(50), recorder.close(50)])).toEqual([false, false]);
  const fds = Array.from({ length: 4 }, (_, i) => openSync(join(dir, `other-${i}`), "w"));
  expect(await recorder.close(50)).toBe(false);
  for (const fd of fds) expect(writeSync(fd, "still open")).toBe(10);
  for (const fd of fds) closeSync(fd);
});

test("a flush after the end says at once what is missing", async () => {
  const recorder = away();
  say(recorder, "message 0");
  await recorder.close(50);
  const from = performance.now();
  expect(await recorder.flush(2000)).toBe(false);
  expect(performance.now() - from).toBeLessThan(500);
});

test("a record that comes while it closes is in the file", async () => {
  const recorder = away();
  say(recorder, "message 0");
  const closing = recorder.close(0);
  say(recorder, "message 1");
  expect(await closing).toBe(false);
  expect(spooled()).toMatch(/message 0[^]*message 1/);
});
