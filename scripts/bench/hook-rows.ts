// Rows about hooks: what an agent waits for, from the start of the hook's process to its end, as the agent's shell starts it.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { entryOf } from "../bundle.mjs";
import { startServer } from "./bench-server.ts";
import { median, ms, startTarget, type Row } from "./table.ts";

const RUNS = 60;
const TARGET_MS = 40;
/** Calls of Bash: their JSON, small and with 350 kB. */
const CALLS = { small: callOf("done\n"), "350 kB": callOf("line of a long output\n".repeat(16_000)) };

type Took = Record<"idle" | keyof typeof CALLS, number[]>;

export async function hookRows(work: string): Promise<Row[]> {
  const home = join(work, "home");
  const archive = join(work, "archive");
  mkdirSync(join(home, ".claude"), { recursive: true });
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, NODE_ENV: "production" as const };
  const install = ["hook", "install", "claude", "--yes", "--archive", archive];
  spawnSync(process.execPath, [entryOf("bin/plimsoll.ts"), ...install], { env });
  const settings = JSON.parse(readFileSync(join(home, ".claude", "settings.json"), "utf8")) as {
    hooks: { PostToolUse: { hooks: { command: string }[] }[] };
  };
  const { command } = settings.hooks.PostToolUse[0]!.hooks[0]!;
  const alone = await measure(command);
  const server = await startServer(work, archive, { args: ["--no-pages"] });
  try {
    return [...rowsOf(alone, "without a server"), ...rowsOf(await measure(command), "beside a running server")];
  } finally {
    await server.stop();
  }
}

/** In turns, and beside each an empty program of the same Node. The first run leaves its compiled code. */
async function measure(command: string): Promise<Took> {
  const took: Took = { idle: [], small: [], "350 kB": [] };
  const [node] = command.split(" ");
  for (let run = -1; run < RUNS; run++) {
    const all = [
      ["idle", `${node} -e 0`, ""],
      ["small", command, CALLS.small],
      ["350 kB", command, CALLS["350 kB"]],
    ] as const;
    for (const [name, line, input] of all) {
      const from = performance.now();
      const { stdout } = spawnSync("sh", ["-c", line], { input, encoding: "utf8" });
      if (run >= 0) took[name].push(performance.now() - from);
      if ((name === "350 kB") !== stdout.includes("artifact_id")) throw new Error(`The hook answered: ${stdout}`);
    }
    // A tool takes a time too: what the server does with the last output is not measured with the next.
    await sleep(300);
  }
  return took;
}

function rowsOf(took: Took, where: string): Row[] {
  const idle = median(took.idle);
  return (Object.keys(CALLS) as (keyof typeof CALLS)[]).map((name) => {
    const middle = median(took[name]);
    return {
      what: `a hook's call, ${name}, ${where}: median, p95 of ${RUNS}`,
      measured: `${ms(middle)}, ${ms(p95(took[name]))}`,
      against: `an empty program of Node ${ms(idle)}, ${ms(p95(took.idle))}`,
      ...startTarget(middle, idle, TARGET_MS),
    };
  });
}

const p95 = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)]!;

function callOf(stdout: string): string {
  return JSON.stringify({
    session_id: "bench",
    hook_event_name: "PostToolUse",
    tool_name: "Bash",
    tool_use_id: "toolu_1",
    tool_input: { command: "make" },
    tool_response: { stdout, stderr: "", interrupted: false, isImage: false },
  });
}
