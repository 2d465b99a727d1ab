import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { isAppError } from "#lib/kernel/errors.ts";
import { createJsonIndexes } from "./json-index-job.ts";

const dir = mkdtempSync(join(tmpdir(), "plimsoll-index-"));
const indexes = createJsonIndexes();
afterAll(async () => {
  await indexes.close();
  rmSync(dir, { recursive: true, force: true });
});

function file(name: string, text: string, isLines = false) {
  const path = join(dir, name);
  writeFileSync(path, text);
  return { digest: name, path, isLines };
}

const casks = Array.from({ length: 120_000 }, (_, cask) => ({ cask, what: "salted beef", aft: cask % 2 === 0 }));
const hold = file("hold", JSON.stringify({ casks, master: "Höek" }));

test("the first rows are told while the rest is still being read, and the whole is told of when it is", async () => {
  const first = await indexes.ask({ ...hold, ask: { what: "rows", from: 0, count: 50 } });
  expect(first.state).toMatchObject({ isWhole: false });
  expect(first.rows[0]).toMatchObject({ key: "casks", kind: "array", end: null });
  const below = await indexes.ask({ ...hold, ask: { what: "rows", at: first.rows[0]!.at, from: 119_999, count: 50 } });
  expect(below).toMatchObject({ node: { count: 120_000 }, state: { isWhole: true } });
  expect(below.rows.map(({ ordinal, text }) => [ordinal, text])).toEqual([
    [119_999, '{"cask":119999,"what":"salted beef","aft":false}'],
  ]);
  const top = await indexes.ask({ ...hold, ask: { what: "rows", from: 0, count: 50 } });
  expect(top.rows.map(({ key }) => key)).toEqual(["casks", "master"]);
});

test("a value is found by its path, its byte and its text, and counted", async () => {
  const ask = { what: "location", path: ".casks[70000].what" } as const;
  const { location } = await indexes.ask({ ...hold, ask });
  expect(location).toMatchObject({ path: ".casks[70000].what", line: 2 + 70_000 * 5 + 2 });
  expect(location!.chain.map(({ key }) => key)).toEqual([null, "casks", null, "what"]);
  const at = location!.chain.at(-1)!.at;
  expect((await indexes.ask({ ...hold, ask: { what: "location", path: `@${at}` } })).location).toMatchObject({
    path: location!.path,
  });
  const find = { what: "find", q: "hÖEK", exact: false, from: 0 } as const;
  expect(await indexes.ask({ ...hold, ask: { ...find, way: "next" } })).toMatchObject({
    hit: { location: { path: ".master" }, nth: null },
  });
  expect(await indexes.ask({ ...hold, ask: { ...find, way: "count" } })).toMatchObject({ total: 1, isCapped: false });
  expect(await indexes.ask({ ...hold, ask: { ...find, way: "next" } })).toMatchObject({ hit: { nth: 1 }, total: 1 });
  const many = { what: "find", q: "beef", exact: true, from: 0, way: "count" } as const;
  expect(await indexes.ask({ ...hold, ask: many })).toMatchObject({ total: 10_000, isCapped: true });
});

test("a path that goes on where the document does not says so", async () => {
  const answer = await indexes.ask({ ...hold, ask: { what: "location", path: ".casks[3].nothing.more" } });
  expect(answer).toMatchObject({ isFound: false, location: { path: ".casks[3]" } });
});

test("what is unfolded at a time is bounded", async () => {
  const top = await indexes.ask({ ...hold, ask: { what: "rows", from: 0, count: 1 } });
  const below = await indexes.ask({ ...hold, ask: { what: "below", at: top.node.at } });
  expect(below.isWhole).toBe(false);
  expect(below.containers.length).toBe(2000);
});

test("a document that breaks off says where", async () => {
  const torn = file("torn", '{\n"a": 1,\n"é": x}');
  const { state, rows } = await indexes.ask({ ...torn, ask: { what: "rows", from: 0, count: 9 } });
  expect(state.broken).toEqual({ byte: 16, line: 3, column: 6 });
  expect(rows.map(({ key }) => key)).toEqual(["a"]);
});

test("what goes wrong is told in the six codes, and the next question is answered", async () => {
  const codeOf = (result: Promise<unknown>) =>
    result.then(
      () => "none",
      (error: unknown) => (isAppError(error) ? error.code : String(error)),
    );
  const gone = { digest: "gone", path: join(dir, "gone"), isLines: false };
  expect(await codeOf(indexes.ask({ ...gone, ask: { what: "rows", from: 0, count: 1 } }))).toBe("not_found");
  expect(await codeOf(indexes.ask({ ...hold, ask: { what: "rows", at: 7, from: 0, count: 1 } }))).toBe("not_found");
  expect(await codeOf(indexes.ask({ ...hold, ask: { what: "location", path: "casks[" } }))).toBe("invalid");
  const stop = new AbortController();
  const count = indexes.ask({
    ...hold,
    ask: { what: "find", q: "a", exact: true, from: 0, way: "count" },
    signal: stop.signal,
  });
  stop.abort(new Error("typed on"));
  await expect(count).rejects.toThrow("typed on");
  expect(await indexes.ask({ ...hold, ask: { what: "text", from: 0, count: 3 } })).toMatchObject({
    lines: [{ text: "{" }, { key: '"casks"' }, { text: "{" }],
  });
});

test("the same bytes are one document or a stream, as who asks says", async () => {
  const rows = { what: "rows", from: 0, count: 9 } as const;
  const lines = file("both", '{"at":1}\nthe watch slept\n[2]\n', true);
  expect((await indexes.ask({ ...lines, ask: rows })).rows).toHaveLength(3);
  const { state } = await indexes.ask({ ...lines, isLines: false, ask: rows });
  expect(state).toMatchObject({ isStream: false, values: 1, broken: { line: 2 } });
  expect((await indexes.ask({ ...lines, ask: rows })).state).toMatchObject({ isStream: true, values: 3 });
});

test("who waits when it is closed is told so", async () => {
  const closing = createJsonIndexes();
  const result = closing.ask({ ...hold, ask: { what: "find", q: "a", exact: true, from: 0, way: "count" } });
  await Promise.all([expect(result).rejects.toMatchObject({ code: "conflict" }), closing.close()]);
});

test("of a stream each line is a value", async () => {
  const watch = file("watch", '{"at":1}\nthe watch slept\n[2]\n', true);
  const { node, rows, state } = await indexes.ask({ ...watch, ask: { what: "rows", from: 0, count: 9 } });
  expect(node.kind).toBe("document");
  expect(rows.map(({ kind }) => kind)).toEqual(["object", "broken", "array"]);
  expect(state).toMatchObject({ isStream: true, values: 3, broken: { line: 2 }, counters: { brokenLines: 1 } });
});
