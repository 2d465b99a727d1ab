import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { readLabel } from "./read-label.ts";
import { curlOf, toolCallOf } from "./copy-as.ts";

test("a name that is a shell command stays a file name", () => {
  const name = `'; rm -rf ~; echo $(id) \`id\` /etc/passwd \u202e\n`;
  const words = execFileSync("sh", ["-c", `curl() { printf '%s\\0' "$@"; }; ${curlOf("http://127.0.0.1:1/raw", name)}`])
    .toString()
    .split("\0");
  expect(words[2]).toBe("-o");
  expect(words[3]).toBe("'; rm -rf ~; echo $(id) `id` _etc_passwd __");
  expect(words[4]).toBe("http://127.0.0.1:1/raw");
});

test("a tool call reads what there is", () => {
  const one = { pointer: "art:1", id: "art_0123456789abcdef", name: null, toolName: null };
  expect(JSON.parse(toolCallOf({ ...one, lineCount: 12 }))).toEqual({
    name: "artifact_read",
    arguments: { artifact_id: one.id, start_line: 1, end_line: 12 },
  });
  expect(JSON.parse(toolCallOf({ ...one, lineCount: null }))).toMatchObject({ arguments: { encoding: "base64" } });
});

test("what a read asked is said in few words", () => {
  expect(readLabel('{"artifact_id":"art_1","start_line":3,"end_line":9}')).toBe("lines 3–9");
  expect(readLabel('{"artifact_id":"art_1","pattern":"leak|rot","grep_options":["-i"]}')).toBe("/leak|rot/, -i");
  expect(readLabel('{"artifact_id":"art_1","filter":".rows | length"}')).toBe(".rows | length");
  expect(readLabel('{"pointer":"art:1"}')).toBe("all of it");
  expect(readLabel("not json")).toBe("not json");
});
