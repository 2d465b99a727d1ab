// What the proxy recorded of a run, beside what the model was sent: the same requests, byte for byte, and their tools in the
// ledger of the session that the agent wrote.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CAPTURE_ENDING, CAPTURE_FOLDER, capturedExchange } from "#lib/kernel/captured-record.ts";
import type { LedgerAnswer } from "#lib/wire/ledger-schema.ts";
import type { SentRequestAnswer } from "#lib/wire/sent-request-schema.ts";
import type { Server } from "../bench/bench-server.ts";
import { check, type Check, type Pair } from "./compare-run.ts";
import type { Run } from "./run-agent.ts";
import { ask } from "./run-sessions.ts";

export async function compareCaptured(
  server: Server,
  run: Run,
  pairs: readonly Pair[],
  archive: string,
): Promise<Check[]> {
  return [sameBytes(run, archive), await shownAsSent(server, run, pairs), await toolsNamed(server, pairs)];
}

function sameBytes({ requests }: Run, archive: string): Check {
  const folder = join(archive, CAPTURE_FOLDER);
  const digests = readdirSync(folder)
    .filter((name) => name.endsWith(CAPTURE_ENDING))
    .flatMap((name) => readFileSync(join(folder, name), "utf8").trimEnd().split("\n").slice(1))
    .map((line) => capturedExchange.parse(JSON.parse(line)).request?.sha256);
  const missing = requests.filter(({ sha256 }) => !digests.includes(sha256));
  const saw = `${requests.length - missing.length} of ${requests.length} requests recorded byte for byte`;
  return check("captured", saw, [
    ...missing.map(({ n }) => `request ${n} was recorded otherwise or not at all`),
    requests.length === 0 && "nothing was sent",
  ]);
}

/** Of an agent whose file has no requests: the body of each call, key by key. */
async function shownAsSent(server: Server, { scenario }: Run, pairs: readonly Pair[]): Promise<Check> {
  const problems: string[] = [];
  for (const { request, shown } of pairs) {
    if (shown === null) continue;
    const path = `/api/sessions/${shown.session}/request?call=${shown.call}`;
    const { body } = await ask<SentRequestAnswer>(server, path);
    // What Claude Code's file leaves out is compared with the other checks.
    const isEqual = scenario.agent === "claude" || JSON.stringify(body) === JSON.stringify(request.body);
    if (body === null || !isEqual) problems.push(`call ${shown.call} is shown otherwise`);
  }
  return check("body", `${pairs.length - problems.length} of ${pairs.length} bodies shown`, problems);
}

/** Each tool of each answered request is an item of the ledger, alive at its call. */
async function toolsNamed(server: Server, pairs: readonly Pair[]): Promise<Check> {
  const problems: string[] = [];
  let named = 0;
  for (const { request, shown } of pairs) {
    if (shown === null) continue;
    const { items } = await ask<LedgerAnswer>(server, `/api/sessions/${shown.session}/ledger`);
    const alive = items.filter(
      ({ enteredAt, leftAt }) => enteredAt <= shown.call && (leftAt === null || leftAt > shown.call),
    );
    for (const tool of request.body["tools"] as readonly { readonly name?: string; readonly type?: string }[]) {
      const name = tool.name ?? tool.type!;
      if (name === "DeferredToolPlaceholder" || alive.some(({ label }) => label.startsWith(`tool_schema ${name} `)))
        named++;
      else problems.push(`call ${shown.call}: no item for the tool ${name}`);
    }
  }
  return check("prefix", `${named} tools of requests are items of the ledger`, [
    ...problems,
    named === 0 && "no tool was compared",
  ]);
}
