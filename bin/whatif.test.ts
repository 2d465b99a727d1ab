// plimsoll whatif, as it is typed: a table for a person, the whole answer as JSON, wrong words by their option's name.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { agentPoliciesAnswer } from "#lib/wire/agent-policies-schema.ts";
import { whatIfAnswer } from "#lib/wire/what-if-schema.ts";
import { entryOf } from "../scripts/bundle.mjs";

const FIXTURES = join(import.meta.dirname, "../lib/formats/fixtures");
const dir = mkdtempSync(join(tmpdir(), "plimsoll-whatif-"));
const env = { ...process.env, HOME: dir, PLIMSOLL_ARCHIVE: join(dir, "archive"), PLIMSOLL_SOURCES: join(dir, "logs") };

function run(...words: string[]): { status: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [entryOf("bin/plimsoll.ts"), ...words], {
    env,
  });
  return { status, out: stdout.toString(), err: stderr.toString() };
}

let id = "";
beforeAll(() => {
  cpSync(FIXTURES, join(dir, "logs"), { recursive: true });
  expect(run("import", join(dir, "logs")).status).toBe(0);
  const { sessions } = JSON.parse(run("sessions", "--json").out) as {
    sessions: { id: string; modelCalls: { own: number } }[];
  };
  id = sessions.toSorted((a, b) => b.modelCalls.own - a.modelCalls.own)[0]!.id;
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

test("the options are the policy, and the answer is one JSON document", () => {
  const words = [
    "--offload",
    "300",
    "--reread",
    "0.5",
    "--mask",
    "3",
    "--dedupe",
    "--drop-tool",
    "a",
    "--drop-tool",
    "b",
  ];
  const { status, out, err } = run("whatif", id, ...words, "--json");
  expect([status, err]).toEqual([0, ""]);
  const result = whatIfAnswer.parse(JSON.parse(out));
  expect(result.policy).toMatchObject({ offload: 300, reread: 0.5, mask: 3, dedupe: true, dropTools: ["a", "b"] });
  expect(result.calls.length).toBeGreaterThan(0);
});

test("a person gets real, expected, none and all read back, and what to beware of", () => {
  const { status, out } = run("whatif", id, "--drop-tool", "nothing");
  expect(status).toBe(0);
  expect(out.split("\n")[0]).toMatch(/^\s+Real\s+None read\s+Expected\s+All read$/);
  // What was is as it was reported; what would have been is an estimate.
  for (const row of ["Peak", "Tokens", "Compactions"])
    expect(out.split("\n").find((line) => line.startsWith(row))).toMatch(/^\w+ +[\d,]+(?: +~[\d,]+){3}$/);
  expect(out).toMatch(/^Input cost +\S+/m);
  expect(out).toContain("same turns assumed");
  expect(out).toContain("Warning: The size of nothing's schema is not in this session's file");
});

test("what is no number, or out of its range, is named", () => {
  for (const [words, named] of [
    [["--offload", "many"], '--offload takes a number, not "many".'],
    [["--reread", "2"], "--reread takes at most 1."],
    [["--tail", "1.5"], "--tail takes a whole number."],
  ] as const) {
    const { status, out, err } = run("whatif", id, ...words);
    expect([status, out]).toEqual([2, ""]);
    expect(err).toContain(named);
  }
});

test("policies are texts to copy, and as JSON the same with each effect", () => {
  const { status, out, err } = run("policies", id, "--json");
  expect([status, err]).toEqual([0, ""]);
  const { session, label } = agentPoliciesAnswer.parse(JSON.parse(out));
  expect([session, label]).toEqual([id, "same turns assumed"]);
  expect(run("policies", id).status).toBe(0);
  expect(run("policies", "s_none").status).not.toBe(0);
});
