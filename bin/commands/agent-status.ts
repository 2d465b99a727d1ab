// What an agent says of itself on standard input when it draws its status line. Claude Code 2.1.330 gives `session_id`,
// `model`, `context_window`, `cost` and `prompt_cache`; what is missing or of another shape is as if it had not been said.
import type { SessionStatus } from "#lib/wire/status-schema.ts";

export type AgentStatus = {
  readonly sessionId: string | undefined;
  readonly model: string | null;
  /** The prompt of the last call, in tokens. */
  readonly tokens: number | null;
  readonly window: number | null;
  readonly usd: number | null;
  readonly cacheExpiresAt: string | null;
};

/** Agents write at once and close; a terminal that nobody closes is not waited for. */
const WAIT_MS = 300;
/** Theirs has some 2 kB. */
const MOST_CHARS = 1_000_000;

/** Null where nothing was said. */
export async function agentStatus(): Promise<AgentStatus | null> {
  if (process.stdin.isTTY) return null;
  const said = await readInput();
  try {
    return statusIn(JSON.parse(said));
  } catch {
    return null;
  }
}

async function readInput(): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let said = "";
  const timer = setTimeout(() => resolve(said), WAIT_MS);
  process.stdin
    .setEncoding("utf8")
    .on("data", (piece: string) => {
      said += piece;
      if (said.length > MOST_CHARS) resolve("");
    })
    .on("end", () => resolve(said))
    .on("error", () => resolve(said));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    process.stdin.destroy();
  }
}

export function statusIn(said: unknown): AgentStatus | null {
  if (typeof said !== "object" || said === null) return null;
  const at = (...path: string[]): unknown =>
    path.reduce<unknown>((value, key) => (value as Record<string, unknown> | null | undefined)?.[key], said);
  const number = (value: unknown): number | null =>
    typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
  const text = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);
  const usage = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"].map((key) =>
    number(at("context_window", "current_usage", key)),
  );
  const tokens = usage.reduce<number>((sum, value) => sum + (value ?? 0), 0);
  const expires = number(at("prompt_cache", "expires_at"));
  return {
    sessionId: text(at("session_id")) ?? undefined,
    model: text(at("model", "id")),
    tokens: tokens > 0 ? tokens : null,
    window: number(at("context_window", "context_window_size")),
    usd: number(at("cost", "total_cost_usd")),
    cacheExpiresAt: expires === null || expires > 1e11 ? null : new Date(expires * 1000).toISOString(),
  };
}

/**
 * What Plimsoll knows with what the agent says: its load and its cache are newer than the file. The load line, dollars and
 * what grows stay Plimsoll's, as on its pages; the agent's are taken where Plimsoll has none.
 */
export function withAgent(known: SessionStatus | null, agent: AgentStatus | null): SessionStatus | null {
  if (agent === null) return known;
  const line = known?.load.line ?? agent.window;
  const tokens = agent.tokens ?? known?.load.tokens ?? null;
  return {
    id: known?.id ?? agent.sessionId ?? "",
    title: known?.title ?? "Untitled",
    model: agent.model ?? known?.model ?? null,
    load: {
      tokens,
      origin: agent.tokens === null ? (known?.load.origin ?? "reported") : "reported",
      line,
      share: tokens === null || line === null || line === 0 ? null : tokens / line,
      call: known?.load.call ?? null,
    },
    growth: known?.growth ?? null,
    callsLeft: known?.callsLeft ?? null,
    fastest: known?.fastest ?? null,
    cost: known?.cost.usd == null ? { usd: agent.usd, isLeast: false } : known.cost,
    day: known?.day ?? { usd: null, isLeast: false },
    cache: agent.cacheExpiresAt === null ? (known?.cache ?? null) : { expiresAt: agent.cacheExpiresAt },
    budget: known?.budget ?? null,
    warnAt: known?.warnAt ?? null,
  };
}
