// A document of SWE-agent: its steps, with what stood before them in the messages. The retrying agent keeps each attempt whole.
import type { Draft, SourceFile, SourceRecord } from "#lib/kernel/draft.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { asArray, asObject, asText, asWhole, clip, isObject, type Json } from "../json.ts";
import { elementNames, elementsOf, firstWord, parseJson, scanJson, type JsonRange } from "../json-parts.ts";
import { noPairing } from "../messages/call-pairing.ts";
import { noteAt, patchOf, printOf, type Position } from "../placed-drafts.ts";
import { historyDrafts, preludeOf } from "./swe-history.ts";
import { statsDraft } from "./swe-stats.ts";
import { stepDrafts, type Steps } from "./swe-steps.ts";

export type SweState = { id: string | null; count: number };

export const startSwe = (_file: SourceFile): SweState => ({ id: null, count: 0 });

const LISTS = ["trajectory", "history", "attempts"];

export function isSweTrajectory(value: unknown): boolean {
  if (!isObject(value)) return false;
  const first = asArray(value["trajectory"])[0];
  if (isObject(first) && "action" in first && ("response" in first || "thought" in first || "observation" in first))
    return true;
  const message = asArray(value["history"])[0];
  if (
    isObject(message) &&
    asText(message["role"]) !== null &&
    ["agent", "message_type", "is_demo", "action", "thought"].some((key) => key in message)
  )
    return true;
  const attempt = asArray(value["attempts"])[0];
  return isObject(attempt) && isSweTrajectory(attempt);
}

/** Steps have no names: they are known by what they say, and where. */
export const sweNames = (bytes: Uint8Array): string[] | null =>
  elementNames(
    bytes,
    "trajectory",
    (step, i) => `${i}.${printOf(jsonText([step["action"], step["response"], step["observation"]]))}`,
  );

export function sweDrafts(record: SourceRecord, state: SweState): Draft[] {
  if (record.oversized === true) return [];
  const { bytes, byteStart, byteEnd, line } = record;
  const from = firstWord(bytes, 0);
  const lane = state.count++ === 0 ? "" : `line-${line}`;
  const drafts = pieceDrafts(bytes, byteStart, lane, state, line);
  const { end, isWhole } = scanJson(bytes, []);
  const rest = isWhole ? firstWord(bytes, end) : Math.max(from, scanJson(bytes, LISTS).end);
  if (rest < bytes.length) {
    const reason = "The document ends too early or is damaged. What was before is read.";
    drafts.push({ kind: "problem", line, byteStart: byteStart + rest, byteEnd, reason });
  }
  return drafts;
}

function pieceDrafts(bytes: Uint8Array, base: number, lane: string, state: SweState, line: number): Draft[] {
  const { header, lists } = scanJson(bytes, LISTS);
  const about = header ?? {};
  const steps = elementsOf(bytes, lists.get("trajectory"));
  const history = elementsOf(bytes, lists.get("history"));
  const attempts = lists.get("attempts") ?? [];
  if (steps.length === 0 && history.length === 0 && attempts.length > 0)
    return attempts.flatMap((range, i) =>
      pieceDrafts(
        bytes.subarray(range.from, range.to),
        base + range.from,
        i === 0 ? lane : `${lane}attempt-${i + 1}`,
        state,
        line,
      ),
    );
  const position = ({ from, to }: JsonRange): Position => ({
    lane,
    ts: null,
    key: null,
    byteStart: base + from,
    byteEnd: base + to,
  });
  const start = position({ from: 0, to: steps[0]?.range.from ?? history[0]?.range.from ?? bytes.length });
  const info = asObject(about["info"]);
  const stats = asObject(info["model_stats"]);
  const config = configOf(about["replay_config"]);
  const model = modelOf(config);
  const prelude = preludeOf(history.map(({ value }) => asObject(value)));
  // A document names no session: it is known by what its model was asked, and did first.
  const first = asObject(steps[0]?.value);
  if (lane === "")
    state.id = printOf(
      jsonText([
        about["environment"],
        prelude.map((message) => message["content"]),
        first["response"] ?? first["action"],
      ]),
    );
  const drafts: Draft[] = [
    patchOf(lane, {
      agentName: "SWE-agent",
      ...(asText(info["swe_agent_version"]) !== null && { agentVersion: asText(info["swe_agent_version"])! }),
      ...(model !== null && { model }),
      ...(lane !== "" && { relation: /attempt-\d+$/.test(lane) ? ("subagent" as const) : ("root" as const) }),
    }),
    noteAt(start, "session", headline(about, config), { isRecord: false }),
  ];
  const reading: Steps = { lane, model, apiCalls: asWhole(stats["api_calls"]), hasTitle: false, pairing: noPairing() };
  if (steps.length === 0) drafts.push(...historyDrafts(history, position, reading));
  else {
    const before = history.slice(0, prelude.length);
    drafts.push(...historyDrafts(before, position, reading));
    const answers = history
      .slice(prelude.length)
      .flatMap(({ value }) => (asObject(value)["role"] === "assistant" ? [asObject(value)] : []));
    let next = 0;
    for (const { range, value } of steps) {
      if (!isObject(value)) {
        const bytesAt = { byteStart: base + range.from, byteEnd: base + range.to };
        drafts.push({ kind: "problem", line, ...bytesAt, reason: "A step that is not a JSON object." });
        continue;
      }
      // The messages have the calls as the model made them; a step that ended the run may be in none.
      const at = answers.findIndex((answer, i) => i >= next && i < next + 3 && sameAction(answer, value));
      if (at >= 0) next = at + 1;
      drafts.push(...stepDrafts(value, at < 0 ? {} : answers[at]!, position(range), reading));
    }
  }
  if (reading.apiCalls === 0 && steps.length > 0)
    drafts.push(patchOf(lane, { quality: "No model was asked: a person or a recording took the steps." }));
  drafts.push(...statsDraft(stats, lane, model), ...endDrafts(info, start));
  // The best attempt stands as the document's own; the others are runs of their own.
  const best = asWhole(info["best_attempt_idx"]) ?? attempts.length - 1;
  for (const [i, range] of attempts.entries())
    if (i !== best)
      drafts.push(
        ...pieceDrafts(bytes.subarray(range.from, range.to), base + range.from, `${lane}attempt-${i + 1}`, state, line),
      );
  return drafts;
}

const sameAction = (answer: Json, step: Json): boolean =>
  asText(answer["action"])?.trim() === asText(step["action"])?.trim() ||
  asText(answer["content"]) === asText(step["response"]);

/** An object, or its text. */
function configOf(value: unknown): Json {
  return asObject(typeof value === "string" ? parseJson(value) : value);
}

function modelOf(config: Json): string | null {
  const model = asObject(asObject(config["agent"])["model"]);
  const name = asText(model["name"]) ?? asText(model["model_name"]) ?? asText(asObject(config["model"])["name"]);
  // A person and a recording are named in the model's place.
  return name === null || name === "" || /^(?:human|human_thought|replay|instant_empty_submit)$/.test(name)
    ? null
    : name;
}

function headline(about: Json, config: Json): string {
  const environment = asText(about["environment"]);
  const repo = asObject(asObject(config["env"])["repo"]);
  const problem = asText(asObject(config["problem_statement"])["id"]);
  return [
    environment === null ? null : `Environment ${environment}`,
    problem === null ? null : `Problem ${problem}`,
    Object.keys(repo).length === 0 ? null : `Repository ${clip(jsonText(repo), 300)}`,
    Object.keys(config).length === 0 ? null : `Replay configuration: ${Object.keys(config).join(", ")}`,
  ]
    .filter((one) => one !== null)
    .join("\n");
}

/** How the run ended: its exit status, and what it submitted. */
function endDrafts(info: Json, start: Position): Draft[] {
  const status = asText(info["exit_status"]);
  const submission = asText(info["submission"]);
  const edited = Object.keys(info).filter((key) => /^edited_files\d+$/.test(key) && asText(info[key]) !== "");
  return [
    ...(status === null ? [] : [noteAt(start, "exit", status, { isRecord: false })]),
    ...(submission === null || submission.trim() === ""
      ? []
      : [noteAt(start, "submission", clip(submission, 20_000), { isRecord: false })]),
    ...(edited.length === 0
      ? []
      : [
          noteAt(start, "edited files", clip(edited.map((key) => asText(info[key]) ?? "").at(-1)!, 8000), {
            isRecord: false,
          }),
        ]),
  ];
}
