// A session as an ATIF 1.7 trajectory: one step for each answer of the model with the results of its tools, sub-agents inside.
// What a step has no field for stands in its `extra`. Written step by step: no more than one is in memory.
import { select } from "#db/statement.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { Outputs } from "#lib/wire/export-schema.ts";
import { VERSION } from "#lib/kernel/version.ts";
import type { Archive } from "../base/archive-type.ts";
import { iso } from "../base/iso.ts";
import { maskValue } from "../base/mask-json.ts";
import { refuseChanged, whileSame } from "../base/unchanged-rows.ts";
import { labelOf } from "../import/format-label.ts";
import { atifStep, toolDefinitions, type AtifStep } from "./atif-step.ts";
import type { ExportTexts } from "./export-file.ts";
import { planSteps, subAgentsOf, type SubAgent } from "./exported-events.ts";

export const ATIF_VERSION = "ATIF-v1.7";

export type AtifOptions = { readonly outputs: Outputs; readonly agents: boolean };

/** A sub-agent's sub-agents go on so deep. */
const DEPTH = 8;

export async function* atifPieces(
  archive: Archive,
  pk: number,
  options: AtifOptions,
  texts: ExportTexts,
): AsyncGenerator<string> {
  if (planSteps(archive, pk).steps.length === 0)
    fail("unsupported", "The session has no messages, and a trajectory needs one. Export it as jsonl or as a bundle.");
  yield* whileSame(archive, pk, trajectory(archive, pk, options, texts, []));
  yield "\n";
}

async function* trajectory(
  archive: Archive,
  pk: number,
  options: AtifOptions,
  texts: ExportTexts,
  above: readonly number[],
): AsyncGenerator<string> {
  const session = select(
    archive.sqlite,
    "sessions",
    [
      ...(["id", "native_id", "format", "title", "agent_name", "agent_version", "model", "cwd", "branch"] as const),
      ...(["relation", "started_at", "ended_at"] as const),
    ],
    "WHERE pk = ?",
  ).get(pk);
  if (session === undefined) return refuseChanged("The session");
  const name = above.length === 0 ? "" : `Sub-agent ${session.id}, `;
  const masked = <Value>(value: Value, where: string): Value => maskValue(value, texts.hook, `${name}${where}`);
  const agents = options.agents && above.length < DEPTH ? agentsOf(archive, pk, above) : [];
  const plan = planSteps(archive, pk);
  const { tools, seqs: defining } = toolDefinitions(archive, pk);
  const head = {
    schema_version: ATIF_VERSION,
    session_id: session.native_id.slice(session.native_id.indexOf(":") + 1),
    trajectory_id: session.id,
    agent: masked(
      {
        name: session.agent_name ?? labelOf(session.format),
        version: session.agent_version ?? "unknown",
        ...(session.model !== null && { model_name: session.model }),
        ...(tools.length > 0 && { tool_definitions: tools }),
      },
      "Agent",
    ),
  };
  yield `${JSON.stringify(head).slice(0, -1)},"steps":[`;
  const totals = { prompt: 0, completion: 0, cached: 0, usd: 0, isPriced: false };
  let number = 0;
  for (const step of plan.steps) {
    if (defining.has(step.at)) continue;
    const written = await atifStep(archive, pk, step, { plan, agents, outputs: options.outputs });
    number++;
    add(totals, written);
    yield `${number > 1 ? "," : ""}\n${JSON.stringify(masked({ step_id: number, ...written }, `Step ${number}`))}`;
  }
  const metrics = {
    total_prompt_tokens: totals.prompt,
    total_completion_tokens: totals.completion,
    total_cached_tokens: totals.cached,
    ...(totals.isPriced && { total_cost_usd: totals.usd }),
    total_steps: number,
  };
  yield `],\n"final_metrics":${JSON.stringify(metrics)}`;
  let sub = 0;
  for (const { pk: own, id } of agents) {
    yield sub++ === 0 ? ',\n"subagent_trajectories":[\n' : ",\n";
    yield* whileSame(archive, own, trajectory(archive, own, options, texts, [...above, pk]), id);
  }
  if (sub > 0) yield "]";
  const facts = masked(
    {
      title: session.title,
      format: session.format,
      ...(session.cwd !== null && { cwd: session.cwd }),
      ...(session.branch !== null && { branch: session.branch }),
      relation: session.relation,
      started_at: iso(session.started_at),
      ended_at: iso(session.ended_at),
    },
    "Session",
  );
  const extra = {
    plimsoll: {
      version: VERSION,
      session: session.id,
      ...facts,
      outputs: options.outputs,
      ...(Object.keys(plan.leftOut).length > 0 && { left_out_events: plan.leftOut }),
      ...(above.length === 0 && texts.masked !== null && { masked: texts.masked.manifest() }),
    },
  };
  yield `,\n"extra":${JSON.stringify(extra)}}`;
}

/** Those with a step; a trajectory without one is none. */
const agentsOf = (archive: Archive, pk: number, above: readonly number[]): SubAgent[] =>
  subAgentsOf(archive, pk).filter((one) => !above.includes(one.pk) && planSteps(archive, one.pk).steps.length > 0);

function add(
  totals: { prompt: number; completion: number; cached: number; usd: number; isPriced: boolean },
  { metrics }: AtifStep,
): void {
  if (metrics === undefined) return;
  totals.prompt += metrics.prompt_tokens ?? 0;
  totals.completion += metrics.completion_tokens ?? 0;
  totals.cached += metrics.cached_tokens ?? 0;
  if (metrics.cost_usd === undefined) return;
  totals.usd += metrics.cost_usd;
  totals.isPriced = true;
}
