// Inside the namespace: carries the session of a folder on by our command, as a person would, and starts its agent on the new file.
// node carry-on-inside.ts ARCHIVE FOLDER OUT [flags of carry-on] -- [arguments of the agent, with {id} and {path}]
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { carryOnAnswer, carryOnPlan } from "#lib/wire/carry-on-schema.ts";

const [archive, folder, out, ...rest] = process.argv.slice(2) as [string, string, string, ...string[]];
const end = rest.indexOf("--");
const flags = rest.slice(0, end);
const PLIMSOLL = join(import.meta.dirname, "../../bin/plimsoll.mjs");
/** The server reads a file some hundred milliseconds after it was written; on a busy machine later. */
const WAITS = 60;
const WAIT_MS = 250;

const { AGENT_PROGRAM: agent = "", ...env } = process.env;

function plimsoll(...words: string[]): unknown {
  const done = spawnSync(process.execPath, [PLIMSOLL, ...words, "--archive", archive, "--json"], { encoding: "utf8" });
  if (done.stdout.trim() === "") throw new Error(`plimsoll ${words.join(" ")}: ${done.stderr}`);
  return JSON.parse(done.stdout);
}

async function sessionRead(): Promise<string> {
  for (let i = 0; i < WAITS; i++, await sleep(WAIT_MS)) {
    const { sessions } = plimsoll("sessions") as { sessions: { id: string; cwd: string | null }[] };
    // Gemini CLI begins another file when it resumes, and goes on in the old one: for a moment there is a session without a turn.
    for (const { id } of sessions.filter(({ cwd }) => cwd === folder)) {
      const plan = carryOnPlan.parse(plimsoll("carry-on", id, ...flags, "--dry-run"));
      if (plan.status === "planned" && !plan.warnings.some((words) => words.includes("not read yet"))) return id;
    }
  }
  throw new Error(`The session of ${folder} was not read in time.`);
}

/** On a busy machine a thread may start too late: then it is asked again. */
async function carryOn() {
  for (let tries = 3; ; tries--, await sleep(WAIT_MS)) {
    const said = plimsoll("carry-on", session, ...flags);
    const answer = carryOnAnswer.safeParse(said);
    if (answer.success) return answer.data;
    if (tries === 1) throw new Error(`plimsoll carry-on: ${JSON.stringify(said)}`);
  }
}

const session = await sessionRead();
const plan = carryOnPlan.parse(plimsoll("carry-on", session, ...flags, "--dry-run"));
const { written } = await carryOn();
if (written === null) throw new Error(plan.reason ?? "Nothing was written.");
writeFileSync(out, JSON.stringify({ plan, written }));
const id = written.session.nativeId.slice(written.session.nativeId.indexOf(":") + 1);
const args = rest.slice(end + 1).map((word) => word.replace("{id}", id).replace("{path}", written.path));
// OpenCode takes a session in by a command that stands before the one that goes on.
const [, handOver] = /(?:^|&& )\S+ (import) /.exec(written.command) ?? [];
if (handOver !== undefined) {
  const taken = spawnSync(agent, [handOver, written.path], { env: env as NodeJS.ProcessEnv, stdio: "inherit" });
  if (taken.status !== 0) throw new Error(`${written.command}: ${handOver} ended with ${taken.status}`);
}
const { status } = spawnSync(agent, args, { env: env as NodeJS.ProcessEnv, stdio: "inherit" });
process.exit(status ?? 1);
