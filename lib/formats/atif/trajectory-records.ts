// A record of ATIF: a trajectory with those inside it, or several trajectories in one document.
import { promptTokens, type Draft, type SourceFile, type SourceRecord } from "#lib/kernel/draft.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { TOOL_PART } from "#lib/kernel/request-records.ts";
import { asArray, asCost, asObject, asText, clip, isObject, type Json } from "../json.ts";
import { elementNames, elementsIn, firstWord, headValue, objectMembers, scanJson, valueAt } from "../json-parts.ts";
import type { JsonRange, ScannedJson } from "../json-parts.ts";
import { eventAt, noteAt, patchOf, printOf, type Position } from "../placed-drafts.ts";
import { identityOf, nativeId, type Identity } from "./atif-identity.ts";
import { addStep, totalsDifference, totalUsage, usageOf } from "./atif-metrics.ts";
import { stepDrafts, stepTime, type Reading } from "./atif-steps.ts";

export type AtifState = {
  id: string | null;
  /** Trajectories that were read from lines before. */
  count: number;
};

/** Named when all of its beginning is in the head: else the file says it when it is read. */
export const startAtif = (_file: SourceFile): AtifState => ({ id: null, count: 0 });

const LISTS = ["steps", "subagent_trajectories"];

const stepPrint = (step: Json): string => printOf(jsonText([step["source"], step["message"], step["tool_calls"]]));

/** Steps by what they say, and where: metrics may come later. */
export const stepNames = (bytes: Uint8Array): string[] | null =>
  elementNames(bytes, "steps", (step, i) => `${i}.${stepPrint(step)}`);

/** A document and where it lies in the file. */
type Piece = { readonly bytes: Uint8Array; readonly base: number };

export function* documentPieces(record: SourceRecord, state: AtifState): Generator<readonly Draft[]> {
  if (record.oversized === true) return;
  const { bytes, byteStart, line } = record;
  let end = 0;
  let from = 0;
  for (; from < bytes.length;) {
    const scanned = scanJson(bytes, LISTS, from);
    if (scanned.root === null) break;
    const piece = { bytes: bytes.subarray(from, scanned.isWhole ? scanned.end : bytes.length), base: byteStart + from };
    yield* piecesOf(piece, from === 0 ? scanned : null, state, line);
    end = scanned.end;
    from = scanned.isWhole ? scanned.end : bytes.length;
    if (!scanned.isWhole) break;
  }
  const rest = firstWord(bytes, end);
  if (rest < bytes.length) {
    const reason = "The document ends too early or is damaged. What was before is read.";
    yield [{ kind: "problem", line, byteStart: byteStart + rest, byteEnd: byteStart + bytes.length, reason }];
  }
}

/** A trajectory, a list of them, or one that holds some under names of its own. */
function* piecesOf(
  piece: Piece,
  known: ScannedJson | null,
  state: AtifState,
  line: number,
): Generator<readonly Draft[]> {
  const scanned = known ?? scanJson(piece.bytes, LISTS);
  const named = scanned.lists.has("steps")
    ? []
    : objectMembers(piece.bytes).filter(({ from, to }) =>
        scanJson(piece.bytes.subarray(from, to), LISTS).lists.has("steps"),
      );
  const pieces =
    scanned.root === "array"
      ? scanned.lists.get("")!.map((range) => partOf(piece, range))
      : named.length > 0
        ? named.map((range) => partOf(piece, range))
        : [piece];
  // Between trajectories a line may be of something else.
  if (state.count > 0 && pieces[0] === piece && isOther(scanned)) {
    const bytes = { byteStart: piece.base, byteEnd: piece.base + piece.bytes.length };
    return yield [{ kind: "problem", line, ...bytes, reason: "A record without steps." }];
  }
  const read = pieces.map((one): Read => readPiece(one, one === piece ? scanned : null, state.count++ === 0));
  for (const one of read) yield* trajectoryPieces(one, lanesIn(read), state, line);
}

/** Whole, and neither a trajectory nor the name of one. */
const isOther = ({ header, lists }: ScannedJson): boolean =>
  header !== null && LISTS.every((key) => !lists.has(key)) && nativeId(header) === null;

const partOf = ({ bytes, base }: Piece, { from, to }: JsonRange): Piece => ({
  bytes: bytes.subarray(from, to),
  base: base + from,
});

/** A trajectory whose beginning was read. */
type Read = {
  readonly piece: Piece;
  readonly header: Json;
  readonly steps: readonly JsonRange[];
  readonly inside: readonly JsonRange[];
  readonly lane: string;
  /** A sub-agent's: it stands inside its parent, or a result of another refers to it. */
  readonly isInside: boolean;
};

function readPiece(piece: Piece, scanned: ScannedJson | null, isMain: boolean): Read {
  const { header, lists } = scanned ?? scanJson(piece.bytes, LISTS);
  // Of a damaged document what stands before the damage is known.
  const known = header ?? asObject(headValue(piece.bytes.subarray(0, 65_536)));
  const [steps, inside] = LISTS.map((key) => lists.get(key) ?? []);
  const lane = isMain ? "" : (nativeId(known) ?? `at-${piece.base}`);
  return { piece, header: known, steps: steps!, inside: inside!, lane, isInside: false };
}

/** Lanes by the ids under which a result may refer to them. */
const lanesIn = (read: readonly Read[]): [string, string][] =>
  read.flatMap(({ header, lane }) =>
    ["session_id", "trajectory_id"].flatMap((key): [string, string][] => {
      const id = asText(header[key]);
      return id === null || lane === "" ? [] : [[id, lane]];
    }),
  );

/** A step of it at a time. */
function* trajectoryPieces(
  { piece, header, steps, inside, lane, isInside }: Read,
  beside: readonly [string, string][],
  state: AtifState,
  line: number,
): Generator<readonly Draft[]> {
  const identity = identityOf(header);
  if (lane === "") state.id = identity.id;
  const children = inside.map((range, i) => {
    const child = readPiece(partOf(piece, range), null, false);
    // Inside its parent it is known by its own id, however many files of the run there are.
    return {
      ...child,
      isInside: true,
      lane: asText(child.header["trajectory_id"]) ?? asText(child.header["session_id"]) ?? `${lane}inside-${i}`,
    };
  });
  const reading: Reading = {
    lane,
    model: asText(asObject(header["agent"])["model_name"]),
    inside: new Map([...beside, ...lanesIn(children)]),
    hasTitle: false,
    firstPrompt: null,
  };
  const start: Position = {
    lane,
    ts: null,
    key: null,
    byteStart: piece.base,
    byteEnd: piece.base + (steps[0]?.from ?? piece.bytes.length),
  };
  yield [...headerDrafts(header, start), ...kinship(identity, lane, isInside)];
  const isDerived = identity.relation !== null || hasCopies(piece.bytes, steps);
  const seen = new Map<string, number>();
  const sums = { prompt: 0, output: 0 };
  let [copied, usd] = [0, null as number | null];
  for (const { range, value } of elementsIn(piece.bytes, steps)) {
    const bytes = { byteStart: piece.base + range.from, byteEnd: piece.base + range.to };
    if (!isObject(value)) {
      yield [{ kind: "problem", line, ...bytes, reason: "A step that is not a JSON object." }];
      continue;
    }
    const isCopied = value["is_copied_context"] === true;
    if (isCopied) copied++;
    const owner = isCopied || !isDerived ? identity.family : (identity.id ?? "");
    const print = stepPrint(value);
    const count = (seen.get(owner + print) ?? 0) + 1;
    seen.set(owner + print, count);
    // A step has no name that its copies keep: it is known by what it says, within the family of its run.
    const key = owner === "" ? null : `${owner}#${print}.${count}`;
    yield stepDrafts(value, { lane, ts: stepTime(value), key, ...bytes }, reading);
    const { cost_usd: cost } = asObject(value["metrics"]);
    addStep(sums, usageOf(value["metrics"]));
    if (asCost(cost) !== null) usd = (usd ?? 0) + asCost(cost)!;
  }
  yield totalDrafts(header, { sums, usd, copied }, reading, start);
  const isAlone = !isDerived && inside.length === 0 && !hasWord(piece.bytes, REFERENCE);
  if (isAlone && sums.prompt + sums.output === 0) yield countedInTotals(header, lane);
  for (const child of children) yield* trajectoryPieces(child, [], state, line);
}

/** What only totals count: they may be of nothing but these steps. */
function countedInTotals(header: Json, lane: string): Draft[] {
  const usage = totalUsage(header["final_metrics"]);
  return usage === null || promptTokens(usage) + usage.output === 0 ? [] : [{ kind: "lost", lane, usage }];
}

const COPIED = "is_copied_context";
const REFERENCE = "subagent_trajectory_ref";
const LINE = 0x5f;

/** True where the bytes hold a word of ASCII with a low line, which few other bytes are. */
function hasWord(bytes: Uint8Array, word: string): boolean {
  const codes = new TextEncoder().encode(word);
  const first = codes.indexOf(LINE);
  for (let at = bytes.indexOf(LINE); at >= 0; at = bytes.indexOf(LINE, at + 1))
    if (codes.every((code, i) => bytes[at - first + i] === code)) return true;
  return false;
}

/** Steps are parsed for it only where one may be: few files have any. */
function hasCopies(bytes: Uint8Array, steps: readonly JsonRange[]): boolean {
  if (!hasWord(bytes, COPIED)) return false;
  return steps.some((range) => asObject(valueAt(bytes, range))[COPIED] === true);
}

function kinship({ parent, relation }: Identity, lane: string, isInside: boolean): Draft[] {
  if (isInside) return [patchOf(lane, { relation: "subagent" })];
  if (lane !== "" && parent === null) return [patchOf(lane, { relation: "root" })];
  if (parent === null || relation === null) return [];
  return [patchOf(lane, lane === "" ? { parent, relation } : { relation })];
}

function headerDrafts(header: Json, position: Position): Draft[] {
  const agent = asObject(header["agent"]);
  const [name, version, model] = ["name", "version", "model_name"].map((key) => asText(agent[key]));
  const { tool_definitions: tools, ...rest } = agent;
  const { steps: _, subagent_trajectories: _inside, ...about } = header;
  return [
    patchOf(position.lane, {
      ...(name != null && name !== "" && { agentName: name }),
      ...(version != null && version !== "" && { agentVersion: version }),
      ...(model != null && model !== "" && { model }),
    }),
    noteAt(position, "session", clip(jsonText({ ...about, agent: rest }), 1000), { isRecord: false }),
    ...asArray(tools).map((tool) => {
      const of = asObject(asObject(tool)["function"] ?? tool);
      const body = {
        type: "meta",
        subtype: TOOL_PART,
        name: asText(of["name"]) ?? "unnamed",
        text: jsonText(tool),
        sent: "tools",
      } as const;
      return eventAt(position, body, { isRecord: false });
    }),
  ];
}

type Sums = { readonly sums: { prompt: number; output: number }; readonly usd: number | null; readonly copied: number };

/** What the trajectory says of itself at its end. */
function totalDrafts(header: Json, { sums, usd, copied }: Sums, { lane, model }: Reading, start: Position): Draft[] {
  const final = asObject(header["final_metrics"]);
  const total = totalUsage(header["final_metrics"]);
  const dollars = asCost(final["total_cost_usd"]) ?? usd;
  const difference = total === null ? null : totalsDifference(total, sums);
  const next = header["continued_trajectory_ref"];
  const words = [
    asText(next) ?? (next === undefined || next === null ? null : jsonText(next)),
    asText(header["notes"]),
  ];
  return [
    ...(total === null && dollars === null
      ? []
      : [
          {
            kind: "reported",
            lane,
            usd: dollars,
            usage: total === null ? {} : { [model ?? "unknown"]: total },
          } as const,
        ]),
    ...(difference === null ? [] : [patchOf(lane, { quality: difference })]),
    ...(copied === 0
      ? []
      : [patchOf(lane, { quality: `${copied} steps are copied from an earlier trajectory and count there.` })]),
    ...(words[0] === null ? [] : [noteAt(start, "continued", words[0]!, { isRecord: false })]),
    ...(words[1] === null || words[1] === ""
      ? []
      : [noteAt(start, "notes", clip(words[1]!, 2000), { isRecord: false })]),
  ];
}
