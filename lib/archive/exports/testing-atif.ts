// The rules of ATIF 1.7, as its readers check them; and what of a trajectory must be there again after an import.
import { Readable } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import { isAppError } from "#lib/kernel/errors.ts";
import type { Archive } from "../base/archive-type.ts";
import { writeExport, type WriteOptions } from "./write-export.ts";

type Extra = Record<string, unknown>;
type Step = {
  readonly step_id: number;
  readonly source: string;
  readonly message?: string;
  readonly timestamp?: string;
  readonly model_name?: string;
  readonly tool_calls?: { tool_call_id: string; function_name: string; arguments: object; extra?: Extra }[];
  readonly observation?: {
    results: {
      source_call_id?: string;
      content?: string;
      extra?: Extra;
      subagent_trajectory_ref?: { trajectory_id?: string }[];
    }[];
  };
  readonly metrics?: Record<string, unknown>;
  readonly is_copied_context?: boolean;
  readonly llm_call_count?: number;
  readonly extra?: Extra;
};
export type Trajectory = {
  readonly schema_version: string;
  readonly session_id?: string;
  readonly trajectory_id?: string;
  readonly agent: { name: string; version: string; model_name?: string };
  readonly steps: Step[];
  readonly final_metrics?: Record<string, number>;
  readonly subagent_trajectories?: Trajectory[];
  readonly extra?: Extra;
};

const FIELDS = {
  root: "schema_version session_id trajectory_id agent steps notes final_metrics continued_trajectory_ref subagent_trajectories extra",
  agent: "name version model_name tool_definitions extra",
  step: "step_id timestamp source model_name reasoning_effort message reasoning_content tool_calls observation metrics llm_call_count is_copied_context extra",
  call: "tool_call_id function_name arguments extra",
  result: "source_call_id content subagent_trajectory_ref extra",
  metrics:
    "prompt_tokens completion_tokens cached_tokens cost_usd prompt_token_ids completion_token_ids logprobs extra",
  final: "total_prompt_tokens total_completion_tokens total_cached_tokens total_cost_usd total_steps extra",
} as const;

const AGENT_ONLY = ["model_name", "reasoning_effort", "reasoning_content", "tool_calls", "metrics"] as const;

/** Each rule that a trajectory breaks, with its place. */
export function atifProblems(document: Trajectory, at = ""): string[] {
  const problems: string[] = [];
  const require = (holds: boolean, what: string): void => void (holds || problems.push(`${at}${what}`));
  const only = (value: object, kind: keyof typeof FIELDS, where: string): void => {
    for (const key of Object.keys(value))
      require(FIELDS[kind].split(" ").includes(key), `${where} has the field ${key}`);
  };
  only(document, "root", "the trajectory");
  only(document.agent, "agent", "agent");
  require(/^ATIF-v1\.7$/.test(document.schema_version), "schema_version");
  require((document.session_id ?? "x") !== "", "session_id is empty");
  require(document.agent.name !== "" && document.agent.version !== "", "agent");
  require(document.steps.length > 0, "no steps");
  for (const [i, step] of document.steps.entries()) {
    const where = `step ${i + 1}`;
    only(step, "step", where);
    require(step.step_id === i + 1, `${where} has the number ${step.step_id}`);
    require(["user", "agent", "system"].includes(step.source), `${where} is of ${step.source}`);
    require(typeof step.message === "string", `${where} has no message`);
    require(step.timestamp === undefined || !Number.isNaN(Date.parse(step.timestamp)), `${where} has no time`);
    if (step.source !== "agent")
      for (const field of AGENT_ONLY) require(!(field in step), `${where} of ${step.source} has ${field}`);
    const calls = new Set(step.tool_calls?.map(({ tool_call_id: id }) => id));
    require(calls.size === (step.tool_calls?.length ?? 0), `${where} has two calls of one id`);
    for (const call of step.tool_calls ?? []) {
      only(call, "call", where);
      require(typeof call.function_name === "string" && call.function_name !== "", `${where} calls nothing`);
      require(typeof call.arguments === "object" && !Array.isArray(call.arguments), `${where} has no arguments`);
    }
    for (const one of step.observation?.results ?? []) {
      only(one, "result", where);
      require(one.source_call_id === undefined || calls.has(one.source_call_id), `${where} has another's result`);
      for (const { trajectory_id: id } of one.subagent_trajectory_ref ?? [])
        require((document.subagent_trajectories ?? []).some((sub) => sub.trajectory_id === id), `${where} names ${id}`);
    }
    if (step.metrics !== undefined) only(step.metrics, "metrics", where);
  }
  if (document.final_metrics !== undefined) only(document.final_metrics, "final", "final_metrics");
  for (const sub of document.subagent_trajectories ?? []) {
    require(typeof sub.trajectory_id === "string", "a sub-agent has no trajectory_id");
    problems.push(...atifProblems(sub, `${sub.trajectory_id}: `));
  }
  return problems;
}

/** Null for a session without a step. */
export async function atifOf(
  archive: Archive,
  id: string,
  options: Partial<WriteOptions> = {},
): Promise<Trajectory | null> {
  try {
    const { pieces } = await writeExport(archive, id, { format: "atif", ...options });
    return JSON.parse(await textOf(Readable.from(pieces))) as Trajectory;
  } catch (error) {
    if (isAppError(error) && error.message.includes("has no messages")) return null;
    throw error;
  }
}

/**
 * What the fields of ATIF say. Not in them: `extra`, names that an import gives anew, prices of another archive, which steps are
 * copies (that is only known where their original is), and how many calls a step took where nothing says it.
 */
export function atifFacts({
  agent,
  steps,
  final_metrics: totals,
  subagent_trajectories: subs = [],
}: Trajectory): object {
  const { total_cost_usd: _, ...tokens } = totals ?? {};
  return {
    agent: { name: agent.name, version: agent.version, model: agent.model_name },
    steps: steps.map(
      ({
        extra: _extra,
        is_copied_context: _copied,
        llm_call_count: _count,
        metrics,
        observation,
        tool_calls: calls,
        ...step
      }) => ({
        ...step,
        // A step without a model is of the agent's.
        ...(step.source === "agent" && { model_name: step.model_name ?? agent.model_name }),
        calls: calls?.map(({ extra: __, ...call }) => call),
        results: observation?.results.map(({ source_call_id: id, content, subagent_trajectory_ref: refs }) => ({
          id,
          content,
          agents: refs?.length ?? 0,
        })),
        tokens: [metrics?.["prompt_tokens"], metrics?.["completion_tokens"], metrics?.["cached_tokens"]],
      }),
    ),
    tokens,
    subs: subs.map(atifFacts),
  };
}
