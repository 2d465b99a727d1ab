import { execFileSync, spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { copyOf, whyNot } from "./copy-run.ts";
import type { RunRequest } from "./runner.ts";

const NONE = { raw: false, slurp: false, nullInput: false, compact: false, sortKeys: false, args: {}, jsonArgs: {} };
const HOSTILE = `'; rm -rf ~; echo $(id) \`id\` "x" \\ !! \n # | .a`;
const requestOf = (program: string, change: Partial<RunRequest> = {}): RunRequest => ({
  program,
  options: NONE,
  inputs: [{ artifact: "art:1" }],
  ...change,
});

/** The words that each command of a line was given, told by a shell. */
function argumentsOf(line: string): string[][] {
  const script = ["jq", "plimsoll", "curl"]
    .map((name) => `${name}() { cat > /dev/null 2>&1; { printf '%s\\0' ${name} "$@"; printf '\\n\\0'; } >&3; }`)
    .join("\n");
  const out = execFileSync("bash", ["-c", `exec 3>&1; ${script}\n${line}`], { stdio: ["ignore", "pipe", "pipe"] });
  return out
    .toString()
    .split("\n\0")
    .map((words) => words.split("\0").slice(0, -1))
    .filter((words) => words.length > 0);
}

test("a program that is a shell command stays a program", () => {
  const values = { options: { ...NONE, raw: true, slurp: true, args: { who: HOSTILE }, jsonArgs: { n: "[1]" } } };
  const one = requestOf(HOSTILE, values);
  const options = ["-rs", "--arg", "who", HOSTILE, "--argjson", "n", "[1]"];
  const sorted = argumentsOf(copyOf("jq", one, "http://127.0.0.1:1")).toSorted((a, b) => a[0]!.localeCompare(b[0]!));
  expect(sorted).toEqual([
    ["jq", ...options, HOSTILE],
    ["plimsoll", "cat", "art:1"],
  ]);
  expect(argumentsOf(copyOf("plimsoll", one, ""))).toEqual([
    ["plimsoll", "jq", ...options, "--pretty", "art:1", HOSTILE],
  ]);
});

test("what curl sends is the question, whatever stands in it", () => {
  const one = requestOf(HOSTILE, { inputs: [{ artifact: "art:1" }, { text: `PLIMSOLL\n'"$HOME"'\n` }] });
  const line = copyOf("curl", one, "http://127.0.0.1:1");
  const sent = execFileSync("bash", ["-c", `curl() { cat >&3; }; jq() { cat > /dev/null; }; exec 3>&1\n${line}`]);
  // All of the output, as the other ways give it: without a word the door sends the page's first megabyte.
  expect(JSON.parse(sent.toString())).toEqual({ ...one, deadlineMs: 60_000, outputBytes: 256_000_000 });
});

test("what curl brings is the output, and why there is no more of it", (context) => {
  const hasJq = spawnSync("jq", ["--version"]).status === 0;
  if (!hasJq) context.skip("There is no jq on this machine.");
  const line = copyOf("curl", requestOf("."), "http://127.0.0.1:1");
  const brought = (...pieces: object[]): string[] => {
    const answer = pieces.map((piece) => JSON.stringify(piece)).join("\n");
    const { stdout, stderr } = spawnSync("bash", ["-c", `curl() { printf '%s' "$ANSWER"; }\n${line}`], {
      env: { ...process.env, ANSWER: answer },
    });
    return [stdout.toString(), stderr.toString()];
  };
  const end = { type: "end", failure: null, isCut: false, outputBytes: 4 };
  const output = [
    { type: "output", text: "1\n" },
    { type: "output", text: '"a"\n' },
  ];
  expect(brought(...output, end)).toEqual(['1\n"a"\n', ""]);
  const [cut, whyCut] = brought(...output, { ...end, isCut: true, outputBytes: 9 });
  expect(cut).toBe('1\n"a"\n');
  expect(whyCut).toContain("9 bytes");
  expect(brought({ ...end, failure: { kind: "compile", message: "no such function" } })[1]).toContain("no such");
  expect(brought({ error: { code: "forbidden", message: "a token is needed" } })[1]).toContain("a token is needed");
});

test("several inputs are read one after the other, a pasted text as it is", () => {
  const text = `{"it's": "%s\\n"}`;
  const line = copyOf("jq", requestOf("-.a", { inputs: [{ text }, { text: "2" }] }), "");
  const out = execFileSync("bash", ["-c", `jq() { cat; printf '[%s]' "$@"; }\n${line}`]).toString();
  expect(out).toBe(`${text}\n\n2\n[ -.a]`);
});

test("a tool call is a request of MCP, and what it cannot ask is said", () => {
  const options = { ...NONE, slurp: true, compact: true, args: { who: "mate" } };
  const call = JSON.parse(copyOf("mcp", requestOf(".a", { options }), "")) as object;
  expect(call).toMatchObject({
    method: "tools/call",
    params: {
      name: "artifact_jq",
      arguments: { artifact_id: "art:1", expression: ".a", slurp: true, args: { who: "mate" } },
    },
  });
  expect(whyNot("mcp", requestOf(".a"))).toBeNull();
  const two = { inputs: [{ artifact: "art:1" }, { artifact: "art:2" }] };
  expect(whyNot("mcp", requestOf(".a", two))).toContain("one artifact");
  expect(whyNot("plimsoll", requestOf(".a", two))).toContain("one artifact");
  expect(whyNot("mcp", requestOf("x".repeat(5000)))).toContain("4,096");
  expect(whyNot("plimsoll", requestOf(".a", { inputs: [{ text: "1" }] }))).toContain("pasted");
  expect(whyNot("curl", requestOf(".a", { inputs: [] }))).toBeNull();
});
