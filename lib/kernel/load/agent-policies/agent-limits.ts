// Limits that agents have for the output of their tools, and the value that this session asks for. Names that the real agents
// were seen to accept (scripts/agents/limit-scenarios.ts).
import type { LedgerItem } from "../ledger-types.ts";
import { effectOf } from "./policy-effect.ts";
import { counted } from "./policy-text.ts";
import type { AgentPolicy, PoliciesInput } from "./agent-policy-types.ts";
import { exactly } from "../../exactly.ts";

type AgentLimit = {
  readonly id: string;
  readonly setting: string;
  readonly where: string;
  readonly unit: "characters" | "tokens";
  /** Values that are tried, the smallest first. */
  readonly ladder: readonly number[];
  readonly covers: (toolName: string) => boolean;
  readonly what: string;
  readonly note: string | null;
};

const TOKENS = [2000, 4000, 8000, 16_000];
const CLAUDE_SETTINGS = ".claude/settings.json";

const LIMITS_OF: Readonly<Record<string, readonly AgentLimit[]>> = {
  "claude-code": [
    {
      id: "bash-limit",
      setting: "BASH_MAX_OUTPUT_LENGTH",
      where: CLAUDE_SETTINGS,
      unit: "characters",
      ladder: [4000, 8000, 16_000, 24_000],
      covers: (tool) => tool === "Bash",
      what: "Bash",
      note: null,
    },
    {
      id: "read-limit",
      setting: "CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS",
      where: CLAUDE_SETTINGS,
      unit: "tokens",
      ladder: TOKENS,
      covers: (tool) => tool === "Read",
      what: "Read",
      note: "A longer file is refused. The figure assumes that the agent then reads one part of this size.",
    },
    {
      id: "mcp-limit",
      setting: "MAX_MCP_OUTPUT_TOKENS",
      where: CLAUDE_SETTINGS,
      unit: "tokens",
      ladder: TOKENS,
      covers: (tool) => tool.startsWith("mcp__"),
      what: "MCP",
      note: "A larger output goes into a file. The figure assumes that the agent reads this much of it.",
    },
  ],
  codex: [
    {
      id: "output-limit",
      setting: "tool_output_token_limit",
      where: "~/.codex/config.toml",
      unit: "tokens",
      ladder: TOKENS.slice(0, 3),
      covers: () => true,
      what: "tool",
      note: "What the limit cuts cannot be read back; the command has to run again.",
    },
  ],
};

export const limitPolicies = (input: PoliciesInput): AgentPolicy[] =>
  (LIMITS_OF[input.format] ?? []).flatMap((limit) => limitPolicy(input, limit) ?? []);

type Sized = { readonly item: LedgerItem; readonly size: number };

function limitPolicy(input: PoliciesInput, limit: AgentLimit): AgentPolicy | null {
  const outputs = outputsOf(input, limit);
  const value = limitFor(outputs, limit.ladder);
  if (value === null) return null;
  const cut = outputs.filter(({ size }) => size > value);
  const caps = new Map(cut.map(({ item, size }) => [item.seq!, Math.round((item.tokens * value) / size)]));
  const effect = effectOf(input, { caps });
  if (effect === null) return null;
  return {
    id: limit.id,
    kind: "limit",
    title: `Limit ${limit.what} output`,
    where: limit.where,
    text: textOf(limit, value),
    reason: `${counted(cut.length, "output")} of ${outputs.length} exceeded ${exactly(value)} ${limit.unit}.`,
    note: limit.note,
    seqs: cut.map(({ item }) => item.seq!),
    effect,
  };
}

function outputsOf({ ledger, bytes }: PoliciesInput, { covers, unit }: AgentLimit): Sized[] {
  return ledger.items.flatMap((item) => {
    if (item.kind !== "result" || item.seq === null || !covers(item.toolName ?? "")) return [];
    const size = unit === "tokens" ? item.tokens : (bytes.get(item.seq) ?? 0);
    return size > 0 ? [{ item, size }] : [];
  });
}

/** A limit is for what stands out: the smallest value that leaves nine of ten outputs whole. One may always be cut. */
const CUT_SHARE = 0.1;

export function limitFor(outputs: readonly { readonly size: number }[], ladder: readonly number[]): number | null {
  const most = Math.max(1, Math.floor(outputs.length * CUT_SHARE));
  for (const value of ladder) {
    const cut = outputs.filter(({ size }) => size > value).length;
    if (cut <= most) return cut === 0 ? null : value;
  }
  return null;
}

const textOf = ({ setting }: AgentLimit, value: number): string =>
  setting === setting.toUpperCase()
    ? JSON.stringify({ env: { [setting]: String(value) } }, null, 2)
    : `${setting} = ${value}`;
