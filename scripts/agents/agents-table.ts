// The figures of a run of all scenarios, beside their targets.
import { percentile } from "./compare-run.ts";
import type { RequestFigures } from "./compare-requests.ts";
import type { Compared } from "./compare-scenario.ts";

/** From a line on disk to its event, 95 of 100. */
const LIVE_MS = 700;

export type Figure = {
  readonly what: string;
  readonly target: string;
  readonly measured: string;
  readonly isMet: boolean;
};

export function figuresOf(compared: readonly Compared[]): Figure[] {
  const of = (agent: Compared["agent"]): Compared[] => compared.filter((one) => one.agent === agent);
  return [
    requests("Claude Code: requests shown byte for byte (system, tools, messages, cache marks)", of("claude")),
    requests("Codex: items of a request equal", of("codex")),
    requests("pi: blocks of a request equal", of("pi")),
    requests("Gemini CLI: parts of a request equal", of("gemini")),
    requests("Qwen Code: messages of a request equal", of("qwen")),
    outputs(compared),
    live(
      "live: a line of a known session, p95",
      compared.flatMap(({ latencies }) => latencies.later),
    ),
    live(
      "live: the first lines of a new file, p95",
      compared.flatMap(({ latencies }) => latencies.first),
    ),
    spend("Claude Code: spend of what was charged", of("claude")),
    spend("Codex: spend of what was charged", of("codex")),
    spend("pi: spend of what was charged", of("pi")),
    spend("Gemini CLI: spend of what was charged", of("gemini")),
    spend("Qwen Code: spend of what was charged", of("qwen")),
    unnamed(of("claude")),
    requests("Library: requests sent as they were assembled", of("library"), ({ assembled }) => assembled!),
    requests("Library: requests equal to the context of the attached memory folder", of("library")),
    requests("Held session: requests sent as the server assembled them", of("http"), ({ assembled }) => assembled!),
    requests("Held session: requests equal to the context of their call", of("http")),
    spend("Held session: spend of what was charged", of("http")),
  ].filter((figure) => figure !== null);
}

export function tableOf(compared: readonly Compared[]): string[] {
  const rows = figuresOf(compared).map(
    ({ what, target, measured, isMet }) => `| ${what} | ${target} | ${measured} | ${isMet ? "met" : "**not met**"} |`,
  );
  return ["| what | target | measured | |", "|---|---|---|---|", ...rows];
}

function requests(
  what: string,
  compared: readonly Compared[],
  figuresOf: (one: Compared) => RequestFigures = (one) => one.requests,
): Figure | null {
  if (compared.length === 0) return null;
  const sum = (value: (one: RequestFigures) => number): number =>
    compared.reduce((total, one) => total + value(figuresOf(one)), 0);
  const all = sum(({ requests: sent }) => sent);
  const equal = sum((one) => one.equal);
  return { what, target: "100 %", measured: `${equal} of ${all}`, isMet: equal === all };
}

function outputs(compared: readonly Compared[]): Figure {
  const all = compared.reduce((total, { outputs: { known } }) => total + known, 0);
  const whole = compared.reduce((total, { outputs: one }) => total + one.whole, 0);
  return { what: "outputs stored whole", target: "100 %", measured: `${whole} of ${all}`, isMet: whole === all };
}

function live(what: string, latenciesMs: readonly number[]): Figure | null {
  const p95 = percentile(latenciesMs, 0.95);
  if (p95 === null) return null;
  const median = percentile(latenciesMs, 0.5);
  const measured = `${p95} ms of ${latenciesMs.length} (median ${median} ms)`;
  return { what, target: `≤ ${LIVE_MS} ms`, measured, isMet: p95 <= LIVE_MS };
}

function spend(what: string, compared: readonly Compared[]): Figure | null {
  if (compared.length === 0) return null;
  const shown = compared.reduce((total, { spend: one }) => total + one.shown, 0);
  const charged = compared.reduce((total, { spend: one }) => total + one.charged, 0);
  const isMet = Math.abs(charged - shown) < 0.005;
  return { what, target: "equal to the cent", measured: `$${shown.toFixed(4)} of $${charged.toFixed(4)}`, isMet };
}

/** Of runs whose tokens weigh what tokens weigh: a script that fills a window charges a token a character. */
function unnamed(compared: readonly Compared[]): Figure | null {
  const ledgers = compared.map(({ ledger }) => ledger).filter((ledger) => ledger !== null);
  if (ledgers.length === 0) return null;
  const share = ledgers.reduce((sum, one) => sum + one.unnamed, 0) / ledgers.reduce((sum, one) => sum + one.sent, 0);
  const what = "ledger of Claude Code: share of sent tokens that no item names";
  return { what, target: "≤ 0.5 %", measured: `${(share * 100).toFixed(1)} %`, isMet: share <= 0.005 };
}
