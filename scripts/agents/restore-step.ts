// Between two commands of an agent: waits until Plimsoll has read the session's files, deletes them as the agent would, has
// Plimsoll restore them, and compares. `node restore-step.ts FOLDER PATTERN [STATE…]`, below the home. Files of the folder that
// do not match the pattern, and STATE beside it, are deleted, and stay so.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { restoreAnswer, type RestoreAnswer } from "#lib/wire/restore-schema.ts";

/** Plimsoll reads a line within 2 s of its being written; ten times as much on a busy machine. */
const READ_MS = 20_000;

const home = process.env["HOME"]!;
const [folder = "", pattern = "", ...state] = process.argv.slice(2);
const dir = join(home, folder);
const isKept = (path: string): boolean => new RegExp(pattern).test(relative(dir, path));
/** Scenarios have their homes below the archive's folder. */
const archive = join(home, "../../archive");

const filesNow = (): Map<string, Buffer> =>
  new Map(
    readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .filter(isKept)
      .toSorted()
      .map((path) => [path, readFileSync(path)]),
  );

function plimsoll(...args: string[]): { status: number | null; answer: RestoreAnswer | null; text: string } {
  const program = join(import.meta.dirname, "../../bin/plimsoll.mjs");
  const ran = spawnSync(process.execPath, [program, ...args, "--archive", archive, "--json"], { encoding: "utf8" });
  const parsed = ran.status === 0 ? restoreAnswer.safeParse(JSON.parse(ran.stdout)) : null;
  return { status: ran.status, answer: parsed?.data ?? null, text: ran.stderr };
}

const before = filesNow();
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;
/** Most agents name the file, or its folder, by the session; Gemini CLI says it in the first line. */
const own = [...before.keys()].find((path) => path.endsWith(".jsonl") && !path.includes("subagents"));
const session = own === undefined ? null : (UUID.exec(relative(dir, own)) ?? UUID.exec(readFileSync(own, "utf8")));
if (session === null) throw new Error(`No session below ${dir}.`);

const deadline = Date.now() + READ_MS;
for (;;) {
  const { answer, text } = plimsoll("restore", session[0], "--dry-run");
  const same = new Set(answer?.files.filter((file) => file.state === "same").map(({ path }) => path));
  const left = [...before.keys()].filter((path) => !same.has(path));
  if (answer !== null && left.length === 0) break;
  if (Date.now() > deadline)
    throw new Error(`Not stored: ${left.map((path) => relative(home, path)).join(", ")}. ${text}`);
  await sleep(200);
}

for (const name of readdirSync(dir)) rmSync(join(dir, name), { recursive: true });
for (const name of readdirSync(join(home, folder, "..")))
  if (state.some((start) => name.startsWith(start))) rmSync(join(home, folder, "..", name), { recursive: true });
const restored = plimsoll("restore", session[0]);
if (restored.status !== 0) throw new Error(`Not restored: ${restored.text}`);
const after = filesNow();
const wrong = [...before].filter(([path, bytes]) => after.get(path)?.equals(bytes) !== true).map(([path]) => path);
if (wrong.length > 0 || after.size !== before.size)
  throw new Error(`Not the same files: ${[...wrong, ...after.keys()].map((path) => relative(home, path)).join(", ")}`);
console.log(`${after.size} files are restored, byte for byte.`);
