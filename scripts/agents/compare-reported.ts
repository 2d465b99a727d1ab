// What an agent reported over OpenTelemetry beside what the model charged it: call by call where its file is read, in sum where
// telemetry is all there is.
import { setTimeout as sleep } from "node:timers/promises";
import type { Server } from "../bench/bench-server.ts";
import type { Usage } from "#lib/kernel/draft.ts";
import type { ReportedCallsAnswer } from "#lib/wire/reported-calls-schema.ts";
import { check, type Check, type Pair } from "./compare-run.ts";
import { ask, type ShownSession } from "./run-sessions.ts";
import type { ChargedUsage } from "./script-types.ts";

/** An exporter sends when its agent ends; a session is read a second after that. */
const WAIT_MS = 8000;

type Tokens = Pick<Usage, "inputUncached" | "cacheRead" | "cacheWrite" | "output">;

const words = ({ inputUncached, cacheRead, cacheWrite, output }: Tokens): string =>
  `${inputUncached}+${cacheRead}+${cacheWrite} in, ${output} out`;

const chargedWords = (usages: readonly ChargedUsage[]): string => {
  const sum = (of: (usage: ChargedUsage) => number): number => usages.reduce((all, one) => all + of(one), 0);
  return words({
    inputUncached: sum(({ uncached }) => uncached),
    cacheRead: sum(({ cacheRead }) => cacheRead),
    cacheWrite: sum(({ cacheWrite5m, cacheWrite1h }) => cacheWrite5m + cacheWrite1h),
    output: sum(({ output }) => output),
  });
};

/** Each answered request has its figures from telemetry, and they are what was charged. */
export async function reportedAsCharged(
  server: Server,
  pairs: readonly Pair[],
  sessions: readonly ShownSession[],
): Promise<Check> {
  let problems: string[] = [];
  let count = 0;
  for (const until = Date.now() + WAIT_MS; Date.now() < until; await sleep(250)) {
    const told = new Map<string, string>();
    for (const { summary } of sessions)
      for (const call of (await ask<ReportedCallsAnswer>(server, `/api/sessions/${summary.id}/reported-calls`)).calls)
        if (call.from === "telemetry") told.set(`${summary.id} ${call.call}`, words(call.reported));
    count = told.size;
    problems = pairs.flatMap(({ request, shown }) => {
      const charged = chargedWords([request.answer.usage]);
      const reported = shown === null ? undefined : told.get(`${shown.session} ${shown.call}`);
      return reported === charged
        ? []
        : [`request ${request.n}: charged ${charged}; reported ${reported ?? "nothing"}`];
    });
    if (problems.length === 0) break;
  }
  return check("reported", `${count} of ${pairs.length} calls by telemetry`, problems);
}
