// A run on the wire beside what Plimsoll says of it: calls, usage, spend, outputs, and whether it was live.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { firstDifference } from "./canonical-json.ts";
import { listPrice } from "./list-prices.ts";
import { hasDatabase, sessionFiles, type Live } from "./follow-live.ts";
import type { Run } from "./run-agent.ts";
import { eventText } from "#lib/kernel/event.ts";
import type { ShownCall, ShownSession } from "./run-sessions.ts";
import type { KeptAnswer, KeptRequest, ScriptedTool } from "./script-types.ts";

/** One line of the report; all is well without a problem. */
export type Check = { readonly name: string; readonly saw: string; readonly problems: readonly string[] };

/** A request that was answered, and the call that shows it. */
export type Pair = {
  readonly request: KeptRequest & { readonly answer: KeptAnswer };
  /** Null where no call of any session shows it. */
  readonly shown: ShownCall | null;
};

/** A hundredth of a cent: sums are of rounded numbers. */
const SAME_USD = 0.0001;

/** Each answered request with its call: the answer's ids stand in the record that the call was read from. */
export function pairsOf(run: Run, sessions: readonly ShownSession[]): Pair[] {
  const calls = sessions.flatMap((session) => session.calls).filter(({ inherited }) => !inherited);
  const pairs = run.requests.flatMap((request): Pair[] => {
    const { answer } = request;
    if (answer === null || answer.status !== 200) return [];
    // The id of a request is that of its answer, and stands in a header.
    const ids = [...answer.itemIds, answer.id.replace(/^msg_/, "req_")].map((id) => JSON.stringify(id));
    const shown = calls.find(({ raw }) => ids.some((id) => raw.includes(id))) ?? null;
    return [{ request: { ...request, answer }, shown }];
  });
  return HAS_NO_IDS.has(run.scenario.agent) ? pairedByUsage(pairs, calls) : pairs;
}

/** Agents that do not write the answer's id down, or not everywhere. */
const HAS_NO_IDS: ReadonlySet<string> = new Set(["gemini", "opencode", "qwen"]);

/** Answers whose id is in no record, each with the first call left that was charged the same. */
function pairedByUsage(pairs: readonly Pair[], calls: readonly ShownCall[]): Pair[] {
  const left = new Set(calls.filter((call) => !pairs.some(({ shown }) => shown === call)));
  return pairs.map((pair) => {
    const { uncached, cacheRead, output } = pair.request.answer.usage;
    const shown =
      pair.shown ??
      [...left].find((call) => call.uncached === uncached && call.cacheRead === cacheRead && call.output === output) ??
      null;
    if (shown !== null) left.delete(shown);
    return { ...pair, shown };
  });
}

export function compareRun(run: Run, sessions: readonly ShownSession[], live: Live): Check[] {
  const pairs = pairsOf(run, sessions);
  return [
    ranAsMeant(run),
    filesShown(run, sessions),
    callsShown(pairs, sessions),
    usageShown(pairs),
    spendShown(pairs, sessions),
    outputsStored(pairs, sessions).check,
    ...(hasDatabase(run.paths.home) ? [] : [sawLive(live)]),
  ];
}

export function ranAsMeant({ scenario, paths, requests, ended }: Run): Check {
  const text = requests.map(({ body }) => JSON.stringify(body)).join("\n");
  const isSent = (words: string): boolean => text.includes(JSON.stringify(words).slice(1, -1));
  const unsent = (scenario.sends ?? []).filter((words) => !isSent(words));
  const leaked = (scenario.withholds ?? []).filter(isSent);
  const otherwise = Object.entries(scenario.leaves?.(paths) ?? {}).filter(([path, meant]) => {
    const file = join(paths.home, path);
    return (existsSync(file) ? readFileSync(file, "utf8") : null) !== meant;
  });
  const problems = [
    requests.length < scenario.calls && `${requests.length} requests were sent, ${scenario.calls} were meant`,
    ended.some(({ isOverTime }) => isOverTime) && "a command ran over its time",
    ...ended.map(({ waitedFor }) => waitedFor !== null && `the screen never showed: ${waitedFor}`),
    unsent.length > 0 && `never sent: ${unsent.join(", ")}`,
    leaked.length > 0 && `sent all the same: ${leaked.join(", ")}`,
    otherwise.length > 0 && `not as they must be: ${otherwise.map(([path]) => path).join(", ")}`,
  ];
  return check("ran", `${requests.length} requests`, problems);
}

function filesShown({ paths }: Run, sessions: readonly ShownSession[]): Check {
  if (hasDatabase(paths.home))
    return check("sessions", `${sessions.length} of a database`, [sessions.length === 0 && "no session is shown"]);
  const shown = new Set(sessions.map(({ summary }) => summary.source?.path));
  const files = sessionFiles(paths.home);
  const hidden = files.filter((path) => !shown.has(path));
  return check("sessions", `${sessions.length} of ${files.length} files`, [
    files.length === 0 && "the agent wrote no session",
    hidden.length > 0 && `not shown: ${hidden.join(", ")}`,
  ]);
}

function callsShown(pairs: readonly Pair[], sessions: readonly ShownSession[]): Check {
  const own = sessions.reduce((sum, { summary }) => sum + summary.modelCalls.own, 0);
  const hidden = pairs.filter(({ shown }) => shown === null).map(({ request }) => `${request.n} (${request.lane})`);
  return check("calls", `${own} of ${pairs.length}`, [
    hidden.length > 0 && `answered requests that no call shows: ${hidden.join(", ")}`,
    own + hidden.length > pairs.length && `${own} calls are shown for ${pairs.length} answers`,
  ]);
}

function usageShown(pairs: readonly Pair[]): Check {
  const found = pairs.filter(({ shown }) => shown !== null);
  const unlike = found.flatMap(({ request, shown }) => {
    const { uncached, cacheRead, cacheWrite5m, cacheWrite1h, output } = request.answer.usage;
    const sent = { uncached, cacheRead, cacheWrite: cacheWrite5m + cacheWrite1h, cacheWrite1h, output };
    const kinds = Object.keys(sent) as (keyof typeof sent)[];
    const said = Object.fromEntries(kinds.map((kind) => [kind, shown![kind]]));
    const difference = firstDifference(sent, said);
    return difference === null
      ? []
      : [`request ${request.n}: ${difference.path} charged ${difference.sent}, shown ${difference.shown}`];
  });
  return check("usage", `${found.length - unlike.length} of ${found.length} calls equal`, unlike);
}

/** Dollars of what was charged; null where a model has no price here. */
export function chargedUsd(pairs: readonly Pair[]): number | null {
  const prices = pairs.map(({ request }) =>
    listPrice(request.model ?? String(request.body["model"]), request.answer.usage),
  );
  return prices.includes(null) ? null : prices.reduce<number>((sum, price) => sum + price!, 0);
}

/** Of the calls, and of what the agent counts in no call: a compaction's own. */
export const shownUsd = (sessions: readonly ShownSession[]): number =>
  sessions.reduce((sum, { summary: { cost } }) => sum + (cost.usd ?? 0) + (cost.reported?.beyond?.usd ?? 0), 0);

function spendShown(pairs: readonly Pair[], sessions: readonly ShownSession[]): Check {
  const charged = chargedUsd(pairs);
  const shown = shownUsd(sessions);
  const saw = `$${shown.toFixed(4)} of $${(charged ?? 0).toFixed(4)}`;
  return check("spend", saw, [
    charged === null && "a model's price is not written in list-prices.ts",
    charged !== null && Math.abs(charged - shown) >= SAME_USD && `differs by $${(charged - shown).toFixed(4)}`,
  ]);
}

export type OutputFigures = { readonly known: number; readonly whole: number };

export function outputsStored(
  pairs: readonly Pair[],
  sessions: readonly ShownSession[],
): { readonly check: Check; readonly figures: OutputFigures } {
  const known = pairs.flatMap(({ request }) =>
    request.answer.toolCalls.filter(({ tool }) => tool.writes !== undefined),
  );
  const unlike = known.flatMap(({ id, tool }) => {
    const shown = shownOutput(id, sessions) ?? shownOutput(callIdOf(tool, sessions), sessions);
    if (shown !== null && isWhole(tool.writes!, shown)) return [];
    const saw = shown === null ? "no result is shown" : `${Buffer.byteLength(shown)} bytes are shown`;
    return [`${tool.name} ${JSON.stringify(tool.input)} wrote ${Buffer.byteLength(tool.writes!)} bytes, ${saw}`];
  });
  const figures = { known: known.length, whole: known.length - unlike.length };
  return {
    figures,
    check: check("outputs", `${figures.whole} of ${known.length} whole`, unlike),
  };
}

/** The stored output of a call, or the text of its event where it is small. */
export function shownOutput(toolCallId: string, sessions: readonly ShownSession[]): string | null {
  for (const { events, outputs } of sessions) {
    const result = events.find((event) => event.type === "tool_result" && event.toolCallId === toolCallId);
    if (result === undefined) continue;
    return result.stored === null ? eventText(result.body) : (outputs.get(result.stored.pointer) ?? null);
  }
  return null;
}

/** Where the client names its calls itself: the one that asks the same. */
function callIdOf(tool: ScriptedTool, sessions: readonly ShownSession[]): string {
  const input = JSON.stringify(tool.input);
  const call = sessions
    .flatMap(({ events }) => events)
    .find(({ body }) => body.type === "tool_call" && JSON.stringify(body.input) === input);
  return call?.toolCallId ?? "";
}

/**
 * Agents write an output down without its last line break, below a heading of theirs, or in the JSON that their MCP client
 * got. All its other bytes must be there, in one piece.
 */
function isWhole(writes: string, shown: string): boolean {
  const body = writes.replace(/\n$/, "");
  // Copilot says below an output how its shell ended.
  const text = shown.replace(/\n<shellId: \d+ completed with exit code \d+>$/, "").replace(/\n$/, "");
  const isFramed = text.includes(`\nOutput: ${body}\n`) || text.startsWith(`Output: ${body}\n`);
  if (text.includes(`<untrusted_context>\n${body}\n</untrusted_context>`)) return true;
  return text === body || text.endsWith(`\n${body}`) || isFramed || jsonTexts(shown).includes(body);
}

/** The texts of an MCP result that was written down as JSON. */
function jsonTexts(text: string): unknown[] {
  if (!text.startsWith("[")) return [];
  try {
    return (JSON.parse(text) as { readonly text?: unknown }[]).map((part) => part.text);
  } catch {
    return [];
  }
}

/** That all lines came. How soon is judged over all runs: one has 30 lines, of which most are there when its file is found. */
function sawLive({ latencies: { first, later }, unread }: Live): Check {
  const p95 = (values: readonly number[]): string => `${values.length} lines p95 ${percentile(values, 0.95) ?? "–"} ms`;
  return check("live", `${p95(later)}; of a new file ${p95(first)}`, [
    unread.length > 0 && `lines that never came: ${unread.join(", ")}`,
    first.length + later.length === 0 && "no event was seen to arrive",
  ]);
}

export function percentile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
}

export const check = (name: string, saw: string, problems: readonly (string | false)[]): Check => ({
  name,
  saw,
  problems: problems.filter((problem) => problem !== false),
});
