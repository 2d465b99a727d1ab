// A scenario run, followed live, and compared.
import { compareCarried } from "./compare-carried.ts";
import { setTimeout as sleep } from "node:timers/promises";
import type { Server } from "../bench/bench-server.ts";
import { compareRequests, type RequestFigures } from "./compare-requests.ts";
import {
  chargedUsd,
  check,
  compareRun,
  outputsStored,
  pairsOf,
  ranAsMeant,
  shownUsd,
  type Check,
  type OutputFigures,
} from "./compare-run.ts";
import { compareCaptured } from "./compare-captured.ts";
import { compareLog } from "./compare-log.ts";
import { followLive, type Latencies } from "./follow-live.ts";
import { preparePaths, runScenario, type Run } from "./run-agent.ts";
import { reportedAsCharged } from "./compare-reported.ts";
import { ask, shownSession, type ShownSession } from "./run-sessions.ts";
import type { SourcesAnswer } from "#lib/wire/sources-schema.ts";
import type { OwnDoor } from "./own-types.ts";
import type { Receiver, Scenario } from "./scenario-types.ts";

type LedgerFigures = { readonly sent: number; readonly unnamed: number };

export type Compared = {
  readonly name: string;
  /** An agent of ours is named by its door. */
  readonly agent: Scenario["agent"] | OwnDoor;
  readonly checks: readonly Check[];
  readonly requests: RequestFigures;
  /** Of agents of ours: requests that were sent as they were assembled. */
  readonly assembled?: RequestFigures;
  readonly latencies: Latencies;
  readonly outputs: OutputFigures;
  /** Null where a script does not charge as a provider would. */
  readonly ledger: LedgerFigures | null;
  readonly spend: { readonly charged: number; readonly shown: number };
  readonly ms: number;
};

export type Surroundings = {
  readonly homes: string;
  readonly program: string;
  /** Of the server. */
  readonly archive: string;
  readonly namespace: readonly string[];
  readonly receiver: Receiver;
  readonly logDir: string;
  readonly signal: AbortSignal;
};

/** Background counting changes figures until it is done. */
const COUNTING_MS = 10_000;
/** By then a new file was found, read and refused: the folders are searched once a second. */
const FOUND_MS = 2500;

/** An agent whose files are of no format that is read: it ran, and nothing of it is shown as a session. */
export async function compareOther(scenario: Scenario, server: Server, around: Surroundings): Promise<Compared> {
  const startedAt = Date.now();
  const paths = preparePaths(scenario, around.homes, around.receiver);
  const run = await runScenario(scenario, paths, around);
  await sleep(FOUND_MS);
  const { sources } = await ask<SourcesAnswer>(server, "/api/sources?limit=500");
  const taken = sources.filter(({ path, sessions }) => path.startsWith(`${paths.home}/`) && sessions.length > 0);
  const labels = taken.map(({ path, format }) => `${path.slice(paths.home.length + 1)} as ${format}`);
  return {
    name: scenario.name,
    agent: scenario.agent,
    checks: [ranAsMeant(run), check("foreign", `${taken.length} files taken for sessions`, labels)],
    requests: { requests: 0, equal: 0 },
    latencies: { first: [], later: [] },
    outputs: { known: 0, whole: 0 },
    ledger: null,
    spend: { charged: 0, shown: 0 },
    ms: Date.now() - startedAt,
  };
}

export async function compareScenario(scenario: Scenario, server: Server, around: Surroundings): Promise<Compared> {
  const startedAt = Date.now();
  const paths = preparePaths(scenario, around.homes, around.receiver);
  let isRunning = true;
  const running: Promise<Run> = runScenario(scenario, paths, around).finally(() => (isRunning = false));
  // A run that fails is told below, when it is awaited.
  running.catch(() => undefined);
  const live = await followLive(server, paths, () => isRunning);
  const run = await running;
  const sessions: ShownSession[] = [];
  for (const id of live.sessions) sessions.push(await countedSession(server, id));
  const pairs = pairsOf(run, sessions);
  const requests = await compareRequests(server, run, pairs, sessions);
  const ledger = scenario.agent === "claude" && run.script.charsPerToken === undefined ? ledgerFigures(sessions) : null;
  return {
    name: scenario.name,
    agent: scenario.agent,
    checks: [
      ...compareRun(run, sessions, live),
      ...requests.checks,
      ...(scenario.isReported === true ? [await reportedAsCharged(server, pairs, sessions)] : []),
      ...(scenario.isCarriedOn === true ? await compareCarried(server, run, pairs, sessions) : []),
      ...(await contextWords(server, scenario, sessions)),
      ...(scenario.context === undefined ? [] : [await compareLog(server, pairs)]),
      ...(ledger === null ? [] : [ledgerNames(ledger)]),
      ...(scenario.isCaptured === true ? await compareCaptured(server, run, pairs, around.archive) : []),
    ],
    requests: requests.figures,
    latencies: live.latencies,
    outputs: outputsStored(pairs, sessions).figures,
    ledger,
    spend: {
      charged: chargedUsd(pairs) ?? 0,
      shown: shownUsd(sessions),
    },
    ms: Date.now() - startedAt,
  };
}

/** Where the agent takes something back out of its context: that of the last call, by words. */
async function contextWords(
  server: Server,
  { context }: Scenario,
  sessions: readonly ShownSession[],
): Promise<Check[]> {
  const last = sessions.flatMap(({ calls }) => calls).at(-1);
  if (context === undefined || last === undefined) return [];
  const { text } = await server.ask("GET", `/api/sessions/${last.session}/context/raw?as=anthropic&at=${last.seq}`);
  const { has, lacks = [] } = context;
  const holds = (words: string): boolean => text.includes(JSON.stringify(words).slice(1, -1));
  const wrong = has.filter((words) => !holds(words)).map((words) => `does not have: ${words}`);
  const more = lacks.filter(holds).map((words) => `still has: ${words}`);
  const words = has.length + lacks.length;
  return [check("context", `${words - wrong.length - more.length} of ${words} words as sent`, [...wrong, ...more])];
}

/** Of what is sent, that much may be in no item. */
const UNNAMED_SHARE = 0.005;

function ledgerNames({ sent, unnamed }: LedgerFigures): Check {
  const share = unnamed / sent;
  const saw = `${(share * 100).toFixed(2)} % of ${sent} tokens in no item`;
  return check("ledger", saw, [share > UNNAMED_SHARE && `more than ${UNNAMED_SHARE * 100} %`]);
}

/** Tokens of items that are in no event and have no name of their own: the rest of the prefix, and what came or went unseen. */
function ledgerFigures(sessions: readonly ShownSession[]): LedgerFigures {
  const ledgers = sessions.map(({ ledger }) => ledger);
  const unsplit = ledgers
    .flatMap(({ base }) => base.parts)
    .filter(({ part }) => part === "unsplit" || part === "attached");
  const calls = ledgers.flatMap((ledger) => ledger.calls);
  return {
    sent: calls.reduce((sum, call) => sum + call.sum, 0),
    unnamed:
      unsplit.reduce((sum, { sent }) => sum + sent, 0) +
      calls.reduce((sum, call) => sum + Math.abs(call.unattributed), 0),
  };
}

/** Texts are counted in the background: a session is read when that is done and two readings say the same. */
async function countedSession(server: Server, id: string): Promise<ShownSession> {
  let before = "";
  for (const until = Date.now() + COUNTING_MS; ;) {
    const session = await shownSession(server, id);
    const isCounting = session.load.counting || session.ledger.counting;
    const now = JSON.stringify(session.ledger.calls);
    if ((!isCounting && now === before) || Date.now() > until) return session;
    before = now;
    await sleep(100);
  }
}
