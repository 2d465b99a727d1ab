// A document of SWE-agent: its steps, with what stood before them in the messages. The retrying agent keeps each attempt whole.
import type { Draft, SourceFile, SourceRecord } from "#lib/kernel/draft.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { asArray, asObject, asText, asWhole, clip, isObject, type Json } from "../json.ts";
import { elementNames, elementsIn, firstWord, parseJson, scanJson, valueAt } from "../json-parts.ts";
import type { JsonElement, JsonRange, ScannedJson } from "../json-parts.ts";
import { noPairing } from "../messages/call-pairing.ts";
import { noteAt, patchOf, printOf, type Position } from "../placed-drafts.ts";
import { historyPieces, preludeOf } from "./swe-history.ts";
import { statsDraft } from "./swe-stats.ts";
import { refusedDrafts, stepDrafts, type Steps } from "./swe-steps.ts";

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

export function* swePieces(record: SourceRecord, state: SweState): Generator<readonly Draft[]> {
  if (record.oversized === true) return;
  const { bytes, byteStart, byteEnd, line } = record;
  const from = firstWord(bytes, 0);
  const lane = state.count++ === 0 ? "" : `line-${line}`;
  const scanned = scanJson(bytes, LISTS);
  yield* piecesOf({ bytes, base: byteStart, scanned }, lane, state, line);
  const rest = scanned.isWhole ? firstWord(bytes, scanned.end) : Math.max(from, scanned.end);
  if (rest < bytes.length) {
    const reason = "The document ends too early or is damaged. What was before is read.";
    yield [{ kind: "problem", line, byteStart: byteStart + rest, byteEnd, reason }];
  }
}

type Piece = { readonly bytes: Uint8Array; readonly base: number; readonly scanned: ScannedJson };

function pieceAt(bytes: Uint8Array, base: number, { from, to }: JsonRange): Piece {
  const own = bytes.subarray(from, to);
  return { bytes: own, base: base + from, scanned: scanJson(own, LISTS) };
}

function* piecesOf(
  { bytes, base, scanned: { header, lists } }: Piece,
  lane: string,
  state: SweState,
  line: number,
): Generator<readonly Draft[]> {
  const about = header ?? {};
  const steps = lists.get("trajectory") ?? [];
  const history = lists.get("history") ?? [];
  const attempts = lists.get("attempts") ?? [];
  if (steps.length === 0 && history.length === 0 && attempts.length > 0) {
    for (const [i, range] of attempts.entries())
      yield* piecesOf(pieceAt(bytes, base, range), i === 0 ? lane : `${lane}attempt-${i + 1}`, state, line);
    return;
  }
  const position = ({ from, to }: JsonRange): Position => ({
    lane,
    ts: null,
    key: null,
    byteStart: base + from,
    byteEnd: base + to,
  });
  const start = position({ from: 0, to: steps[0]?.from ?? history[0]?.from ?? bytes.length });
  const info = asObject(about["info"]);
  const stats = asObject(info["model_stats"]);
  const config = configOf(about["replay_config"]);
  const model = modelOf(config);
  const prelude = preludeOf(elementsIn(bytes, history));
  // A document names no session: it is known by what its model was asked, and did first.
  const first = steps[0] === undefined ? {} : asObject(valueAt(bytes, steps[0]));
  if (lane === "")
    state.id = printOf(
      jsonText([
        about["environment"],
        prelude.map(({ value }) => asObject(value)["content"]),
        first["response"] ?? first["action"],
      ]),
    );
  yield [
    patchOf(lane, {
      agentName: "SWE-agent",
      ...(asText(info["swe_agent_version"]) !== null && { agentVersion: asText(info["swe_agent_version"])! }),
      ...(model !== null && { model }),
      ...(lane !== "" && { relation: /attempt-\d+$/.test(lane) ? ("subagent" as const) : ("root" as const) }),
    }),
    noteAt(start, "session", headline(about, config), { isRecord: false }),
  ];
  const reading: Steps = {
    ...{ lane, model, apiCalls: asWhole(stats["api_calls"]), steps: steps.length, called: 0 },
    ...{ hasTitle: false, pairing: noPairing() },
  };
  if (steps.length === 0) yield* historyPieces(elementsIn(bytes, history), position, reading);
  else {
    yield* historyPieces(prelude, position, reading);
    const answers = new Answers(elementsIn(bytes, history.slice(prelude.length)));
    for (const { range, value } of elementsIn(bytes, steps)) {
      if (isObject(value)) yield stepDrafts(value, answers.next(value), position(range), reading);
      else {
        const bytesAt = { byteStart: base + range.from, byteEnd: base + range.to };
        yield [{ kind: "problem", line, ...bytesAt, reason: "A step that is not a JSON object." }];
      }
    }
  }
  const quality: Draft[] = [];
  if (reading.apiCalls === 0 && steps.length > 0)
    quality.push(patchOf(lane, { quality: "No model was asked: a person or a recording took the steps." }));
  // The totals of a document with attempts are those of all of them.
  const refused = attempts.length > 0 ? [] : refusedDrafts(reading, start);
  yield [...quality, ...refused, ...statsDraft(stats, lane, model), ...endDrafts(info, start)];
  // The best attempt stands as the document's own; the others are runs of their own.
  const best = asWhole(info["best_attempt_idx"]) ?? attempts.length - 1;
  for (const [i, range] of attempts.entries())
    if (i !== best) yield* piecesOf(pieceAt(bytes, base, range), `${lane}attempt-${i + 1}`, state, line);
}

/** Answers that the next step may be: a step that ended the run is in none. */
const AHEAD = 3;

/** The messages have the calls as the model made them. */
class Answers {
  readonly #messages: Iterator<JsonElement>;
  readonly #ahead: Json[] = [];

  constructor(messages: Iterator<JsonElement>) {
    this.#messages = messages;
  }

  /** That of a step; nothing of one that stands in no message. */
  next(step: Json): Json {
    while (this.#ahead.length < AHEAD) {
      const { done, value } = this.#messages.next() as IteratorResult<JsonElement, undefined>;
      if (done === true) break;
      const message = asObject(value.value);
      if (message["role"] === "assistant") this.#ahead.push(message);
    }
    const at = this.#ahead.findIndex((answer) => sameAction(answer, step));
    return at < 0 ? {} : this.#ahead.splice(0, at + 1).at(-1)!;
  }
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
