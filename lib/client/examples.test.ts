// The examples of docs/library.md run as a reader runs them, and print what they say they print.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Plimsoll } from "./index.ts";
import { withServer } from "./testing-server.ts";

const root = join(import.meta.dirname, "..", "..");
const examples = join(root, "docs", "examples");

let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "plimsoll-examples-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** What an example prints, and what the comment at its end says that it prints. */
async function runExample(name: string, args: readonly string[] = [], env: Record<string, string> = {}) {
  const path = join(examples, name);
  const { stdout } = await promisify(execFile)(process.execPath, [path, ...args], {
    cwd: root,
    env: { PATH: process.env["PATH"] ?? "", HOME: home, ...env } as unknown as NodeJS.ProcessEnv,
  });
  const [, promised = ""] = readFileSync(path, "utf8").split("\n// Prints:\n");
  return {
    printed: stdout.trimEnd().split("\n"),
    promised: promised
      .trimEnd()
      .split("\n")
      .map((line) => line.replace(/^\/\/ ?/, "")),
  };
}

test("artifacts in memory: the example prints what it says", async () => {
  const { printed, promised } = await runExample("in-memory.ts");
  expect(printed).toEqual(promised);
  expect(readdirSync(home)).toEqual([]);
});

test("artifacts in a folder: the example prints what it says, and writes in the person's data folder alone", async () => {
  const { printed, promised } = await runExample("folder.ts");
  expect(printed).toEqual(promised);
  expect(readdirSync(join(home, ".local", "share", "plimsoll"))).toEqual(["artifact-store"]);
});

test("an agent on the memory kernel: the example prints what it says, and writes nothing", async () => {
  const { printed, promised } = await runExample("memory.ts");
  expect(printed).toEqual(promised);
  expect(readdirSync(home)).toEqual([]);
});

test("an agent's own pipelines and stages: the example prints what it says", async () => {
  const { printed, promised } = await runExample("memory-pipelines.ts");
  expect(printed).toEqual(promised);
});

test("artifacts in a running Plimsoll: the example prints what it says", () =>
  withServer(async ({ url, tokens }) => {
    const env = { PLIMSOLL_URL: url, PLIMSOLL_TOKEN: tokens.write };
    const { printed, promised } = await runExample("running-plimsoll.ts", [], env);
    expect(printed).toEqual(promised);
  }));

test("an agent with a process for each turn: over its budget it is compacted, and the goal stays", () =>
  withServer(async ({ url, tokens }) => {
    const env = { PLIMSOLL_URL: url, PLIMSOLL_TOKEN: tokens.write };
    const printed: string[] = [];
    let promised: string[] = [];
    for (let turn = 1; turn <= 9; turn++) {
      const one = await runExample("process-per-turn.ts", [String(turn)], env);
      printed.push(...one.printed);
      promised = one.promised;
    }
    expect(printed).toEqual(promised);
    const session = new Plimsoll({ url, token: tokens.write }).session("plimsoll:harbour");
    const after = await session.nextRequest({ as: "anthropic" });
    const text = JSON.stringify(after.request);
    expect(text.length / 4).toBeLessThan(4000);
    expect([text.includes("Survey the nine piers"), text.includes("Never close pier 4")]).toEqual([true, true]);
  }));

test("an OpenClaw transcript: the example prints what it says", async () => {
  const file = join(home, "session.jsonl");
  const lines = [
    { type: "session", version: 2, id: "s1", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/home/ada" },
    { type: "message", message: { role: "user", content: [{ type: "text", text: "List the files." }] } },
    {
      type: "message",
      message: {
        role: "toolResult",
        toolCallId: "c1",
        toolName: "ls",
        content: [{ type: "text", text: "a.txt\nb.txt" }],
      },
    },
  ];
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const { printed, promised } = await runExample("migrate-openclaw.ts", [file]);
  expect(printed).toEqual(promised);
});

test("every example is run here, and told of in docs/library.md or docs/memory.md", () => {
  const page = ["library.md", "memory.md"].map((name) => readFileSync(join(root, "docs", name), "utf8")).join();
  const here = readFileSync(import.meta.filename, "utf8");
  // The receiver of webhooks is run by bin/webhook-receiver.test.ts.
  const names = readdirSync(examples).filter((name) => name.endsWith(".ts"));
  expect(names.length).toBeGreaterThan(3);
  for (const name of names)
    expect([page.includes(`examples/${name}`), here.includes(`runExample("${name}"`)]).toEqual([true, true]);
});
