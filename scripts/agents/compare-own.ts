// A run of our own agents, compared: the request on the wire, the one that was assembled, and the one that Plimsoll shows for that
// call; usage, spend and outputs as of real agents.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Server } from "../bench/bench-server.ts";
import type { AttachedAnswer } from "#lib/wire/attached-schema.ts";
import type { SessionsAnswer } from "#lib/wire/sessions-schema.ts";
import { canonicalJson, firstDifference, type Difference } from "./canonical-json.ts";
import { check, shownOutput, type Check } from "./compare-run.ts";
import type { Compared } from "./compare-scenario.ts";
import { listPrice } from "./list-prices.ts";
import { plainItems } from "./plain-items.ts";
import type { OwnRun } from "./run-own.ts";
import { runOwn } from "./run-own.ts";
import { ask, shownSession, type ShownSession } from "./run-sessions.ts";
import type { Body, KeptRequest } from "./script-types.ts";
import type { OwnScenario } from "./own-types.ts";
import { OWN_WIRES } from "./own-wires.ts";

export async function compareOwn(scenario: OwnScenario, server: Server, root: string): Promise<Compared> {
  const startedAt = Date.now();
  const memory = join(root, scenario.name, "memory", "agents", scenario.name);
  // The folder is looked at after each turn, as a server does that follows it.
  const follow = async (): Promise<void> => void (await server.ask("POST", "/api/attached", { path: memory }));
  const run = await runOwn(scenario, server, root, scenario.door === "library" ? follow : undefined);
  const shown = await shownOf(scenario, server, memory);
  const sent = sentAsAssembled(run);
  const context = await contextShown(run, server, shown);
  const common = [ranAsMeant(run), sent.check, prefixStays(run), context.check];
  const spend = { charged: chargedOf(run), shown: shown.summary.cost.usd ?? 0 };
  const outputs = outputsWhole(run, shown);
  return {
    name: scenario.name,
    agent: scenario.door,
    checks:
      scenario.door === "library"
        ? [...common, outputs.check]
        : [...common, usageShown(run, shown), spendShown(spend), outputs.check],
    requests: context.figures,
    assembled: sent.figures,
    latencies: { first: [], later: [] },
    outputs: outputs.figures,
    ledger: null,
    spend: scenario.door === "library" ? { charged: 0, shown: 0 } : spend,
    ms: Date.now() - startedAt,
  };
}

/** The session that the server shows of a run. */
async function shownOf({ name, door }: OwnScenario, server: Server, memory: string): Promise<ShownSession> {
  if (door === "library") {
    const { text } = await server.ask("POST", "/api/attached", { path: memory });
    return shownSession(server, (JSON.parse(text) as AttachedAnswer).sessionId, { isRead: false });
  }
  const { sessions } = await ask<SessionsAnswer>(server, "/api/sessions?limit=500");
  return shownSession(server, sessions.find(({ title }) => title === name)!.id, { isRead: false });
}

function ranAsMeant({ scenario, requests, assembled, failures }: OwnRun): Check {
  const texts = requests.map(({ body }) => JSON.stringify(body));
  const unsent = scenario.sends.filter((words) => !texts.some((text) => text.includes(words)));
  const lost = scenario.keeps.flatMap((words) => {
    const first = texts.findIndex((text) => text.includes(words));
    const gone = first < 0 ? 0 : texts.findIndex((text, i) => i > first && !text.includes(words));
    return gone < 0 ? [] : [`"${words}" is not in request ${gone + 1}`];
  });
  const compactions = assembled.filter(({ didCompact }) => didCompact).length;
  return check("ran", `${requests.length} requests, ${compactions} compactions`, [
    ...failures,
    requests.length !== scenario.calls && `${requests.length} requests were sent, ${scenario.calls} were meant`,
    compactions !== scenario.compactions && `${compactions} compactions, ${scenario.compactions} were meant`,
    unsent.length > 0 && `never sent: ${unsent.join(", ")}`,
    ...lost,
  ]);
}

/** Of a body on the wire what the renderer made. */
const renderedOf = ({ scenario }: OwnRun, { body }: KeptRequest): Body =>
  Object.fromEntries(Object.entries(body).filter(([key]) => !OWN_WIRES[scenario.as].added.includes(key)));

const labelOf = (n: number, { path, sent, shown }: Difference): string =>
  `request ${n} ${path}: sent ${sent}, shown ${shown}`;

function sentAsAssembled(run: OwnRun) {
  const problems = run.requests.flatMap((request, i) => {
    const difference = firstDifference(renderedOf(run, request), run.assembled[i]?.request);
    return difference === null ? [] : [labelOf(request.n, difference)];
  });
  const figures = { requests: run.requests.length, equal: run.requests.length - problems.length };
  return { figures, check: check("assembled", `${figures.equal} of ${figures.requests} equal`, problems) };
}

/** In an epoch each request begins with the one before: a provider's cache holds, also over a new start of the agent. */
function prefixStays(run: OwnRun): Check {
  const lists = run.requests.map((request) => listOf(renderedOf(run, request)));
  const problems = lists.flatMap((list, i) => {
    if (i === 0 || run.assembled[i]?.epoch !== run.assembled[i - 1]?.epoch) return [];
    const before = lists[i - 1]!;
    const at = before.findIndex((one, i) => !beginsWith(list[i], one));
    return at < 0 ? [] : [`request ${i + 1} does not begin with request ${i}: message ${at} is another`];
  });
  return check(
    "prefix",
    `${lists.length - problems.length} of ${lists.length} requests go on from the one before`,
    problems,
  );
}

const listOf = (body: Body): readonly unknown[] =>
  (body["messages"] ?? body["input"] ?? body["contents"] ?? []) as readonly unknown[];

/** Equal, or the same message with more behind: roles that take turns make one message of two. */
function beginsWith(now: unknown, before: unknown): boolean {
  if (canonicalJson(now) === canonicalJson(before)) return true;
  const [a, b] = [blocksOf(now), blocksOf(before)];
  return b.length > 0 && b.every((block, i) => canonicalJson(a[i]) === canonicalJson(block));
}

function blocksOf(message: unknown): readonly unknown[] {
  const { content } = (message ?? {}) as { content?: unknown };
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content : [];
}

/** Each request beside the context that is shown for its call, in the same form. */
async function contextShown(run: OwnRun, server: Server, shown: ShownSession) {
  const problems: string[] = [];
  for (const [i, request] of run.requests.entries()) {
    const at = run.scenario.door === "library" ? seqInLog(run, shown, i) : shown.calls[i]?.seq;
    if (at === undefined) {
      problems.push(`request ${request.n}: no call shows it`);
      continue;
    }
    const path = `/api/sessions/${shown.summary.id}/context/raw?as=${run.scenario.as}&at=${at}`;
    const body = JSON.parse((await server.ask("GET", path)).text) as Body;
    const comparable = run.scenario.door === "library" ? traceable : (one: Body): object => one;
    const difference = firstDifference(comparable(renderedOf(run, request)), comparable(body));
    if (difference !== null) problems.push(`${labelOf(request.n, difference)} (epoch ${run.assembled[i]!.epoch})`);
  }
  const figures = { requests: run.requests.length, equal: run.requests.length - problems.length };
  return { figures, check: check("requests", `${figures.equal} of ${figures.requests} equal`, problems) };
}

/** Of a request what a memory folder tells: neither the system prompt, nor reasoning, nor items as the provider sent them. */
function traceable(body: Body): object {
  const { system: _, systemInstruction: __, input, ...rest } = body;
  if (input !== undefined) return { input: plainItems(input).filter((item) => !("reasoning" in item) && isSaid(item)) };
  return Object.fromEntries(
    Object.entries(rest).map(([key, list]) => [key, (list as readonly Message[]).filter(isSaid).map(withoutThoughts)]),
  );
}

type Message = {
  readonly role?: string;
  readonly content?: unknown;
  readonly parts?: readonly { thought?: boolean }[];
};

const isSaid = (message: Message): boolean => message.role !== "system";

function withoutThoughts({ content, parts, ...message }: Message): object {
  const blocks = Array.isArray(content) ? (content as readonly { type: string }[]) : null;
  return {
    ...message,
    ...(parts !== undefined && { parts: parts.filter(({ thought }) => thought !== true) }),
    ...(content !== undefined && { content: blocks?.filter(({ type }) => type !== "thinking") ?? content }),
  };
}

/** A memory folder has traces and no calls: the event of the last trace that was there when the request was made. */
function seqInLog({ assembled }: OwnRun, { events }: ShownSession, i: number): number | undefined {
  const traces = events.filter(
    ({ type, body }) =>
      type !== "compaction" &&
      !(body.type === "user" && body.injected === "summary") &&
      !(body.type === "meta" && body.subtype === "compaction_undone"),
  );
  return traces[assembled[i]!.at - 1]?.seq;
}

function usageShown({ requests }: OwnRun, { calls, summary }: ShownSession): Check {
  const problems = requests.flatMap(({ n, answer }, i) => {
    const call = calls[i];
    if (call === undefined) return [`request ${n}: no call shows it`];
    const { uncached, cacheRead, cacheWrite5m, cacheWrite1h, output } = answer!.usage;
    const charged = { uncached, cacheRead, cacheWrite: cacheWrite5m + cacheWrite1h, output };
    const { uncached: u, cacheRead: r, cacheWrite: w, output: o } = call;
    const difference = firstDifference(charged, { uncached: u, cacheRead: r, cacheWrite: w, output: o });
    return difference === null
      ? []
      : [`request ${n}: ${difference.path} charged ${difference.sent}, shown ${difference.shown}`];
  });
  const own = summary.modelCalls.own;
  return check("usage", `${requests.length - problems.length} of ${own} calls equal`, [
    own !== requests.length && `${own} calls are shown for ${requests.length} answers`,
    ...problems,
  ]);
}

const chargedOf = ({ scenario, requests }: OwnRun): number =>
  requests.reduce((sum, { answer }) => sum + listPrice(scenario.model, answer!.usage)!, 0);

/** A hundredth of a cent: sums are of rounded numbers. */
const SAME_USD = 0.0001;

const spendShown = ({ charged, shown }: { charged: number; shown: number }): Check =>
  check("spend", `$${shown.toFixed(4)} of $${charged.toFixed(4)}`, [
    Math.abs(charged - shown) >= SAME_USD && `differs by $${(charged - shown).toFixed(4)}`,
  ]);

/** What a tool wrote stands whole in the log, in an artifact, or in the agent's own folder. */
function outputsWhole(run: OwnRun, shown: ShownSession) {
  const ran = run.requests.filter((_, i) => run.scenario.turns[run.assembled[i]?.turn ?? 0]?.leaves !== true);
  const known = ran.flatMap(({ answer }) => answer!.toolCalls.filter(({ tool }) => tool.writes !== undefined));
  const kept = run.scenario.door === "library" ? textsBelow(join(run.folder, "artifacts")) : [];
  const problems = known.flatMap(({ id, tool }) => {
    const isWhole = shownOutput(id, [shown]) === tool.writes || kept.includes(tool.writes!);
    return isWhole ? [] : [`${tool.name} ${JSON.stringify(tool.input)} is not whole`];
  });
  const figures = { known: known.length, whole: known.length - problems.length };
  return { figures, check: check("outputs", `${figures.whole} of ${figures.known} whole`, problems) };
}

const textsBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".txt"))
    .map((name) => readFileSync(join(folder, name), "utf8"));
