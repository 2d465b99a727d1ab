// Runs of Autobyteus agents: a folder of raw traces, one a line, and beside them the context as it is now. Generation 1 has ids that
// collide, generation 2 keeps older traces in segments, which are read before the active file. docs/formats/autobyteus.md says what is
// read, and how.
import type { Draft, Format, SourceFile, SourceRecord } from "#lib/kernel/draft.ts";
import { asArray, asObject, asText, asWhole, isObject, type Json } from "./json.ts";
import { readValues } from "./json-lines.ts";
import type { AutobyteusState } from "./autobyteus/autobyteus-state.ts";
import { startDrafts, traceDrafts } from "./autobyteus/autobyteus-traces.ts";

/** Of now (`raw_traces.jsonl`, since July 2026 `raw_traces_active.jsonl`), and those before a compaction, with a number. */
const TRACES = /((?:^|[\\/])(?:[^\\/]*_)?)raw_traces(?:_active|_\d+)?\.jsonl$/;
const SNAPSHOT = "working_context_snapshot.json";

export const autobyteus: Format<AutobyteusState> = {
  id: "autobyteus",
  label: "Autobyteus",
  signs: "lines with trace_type, turn_id and seq",
  // 2: a record without content begins no turn.
  // 3: system instructions among the traces.
  // 4: files named as newer versions name them have what stands beside them.
  version: 4,
  reader: "lines",
  sources: (env) => {
    const folder = env["AUTOBYTEUS_MEMORY_DIR"]?.trim();
    return folder ? [folder] : [];
  },
  wants: (path) => TRACES.test(path),
  detect: ({ head }) => firstTrace(head) !== null,
  sidecars: (path) =>
    TRACES.test(path) ? [SNAPSHOT, "run_metadata.json"].map((name) => path.replace(TRACES, `$1${name}`)) : [],
  ownsSidecars: true,
  cleanup: "never",
  start,
  parse,
  identify: (state) => state.id,
};

const isTrace = (value: unknown): boolean => isObject(value) && asText(value["trace_type"]) !== null;

/** The first trace among the first lines; a head that ends inside it has its keys all the same. */
function firstTrace(head: Uint8Array): Json | null {
  for (const line of new TextDecoder().decode(head).split("\n").slice(0, 5)) {
    try {
      const value: unknown = JSON.parse(line);
      if (isObject(value) && isTrace(value) && ("turn_id" in value || "seq" in value)) return value;
    } catch {
      if (/^\s*\{"id":"[^"]{1,200}","ts":[\d.]+,(?:"turn_id":.{1,300})?"trace_type":"/.test(line.slice(0, 800)))
        return {};
    }
  }
  return null;
}

function start({ path, head, sidecars, before }: SourceFile): AutobyteusState {
  const beside = (name: string): Json => {
    for (const [file, text] of sidecars)
      if (file.endsWith(name)) {
        try {
          return asObject(JSON.parse(text));
        } catch {
          // Written at this moment: the traces say what matters.
        }
      }
    return {};
  };
  const snapshot = beside(SNAPSHOT);
  const run = beside("run_metadata.json");
  const agent = asText(snapshot["agent_id"]);
  const system = asArray(snapshot["messages"])
    .map(asObject)
    .find(({ role }) => role === "system");
  const first = asText(firstTrace(head)?.["id"]);
  // What the files beside it said at an earlier reading, where they are gone.
  const known = asObject(before);
  return {
    // Never by a file beside it: a copy without that file, as in a bundle, has the same name.
    id: runOf(path) ?? first ?? agent,
    prompt: asText(system?.["content"] ?? known["prompt"]),
    agent:
      asText(run["agentName"] ?? run["agent_name"] ?? run["memberName"]) ??
      agent ??
      asText(run["agentDefinitionId"] ?? known["agent"]),
    cwd: asText(run["workspaceRootPath"] ?? run["workspace_root_path"] ?? run["workspace"] ?? known["cwd"]),
    title: asText(run["title"] ?? run["summary"] ?? known["title"]),
    ...{ hasStarted: false, hasTitle: false, answer: 0, isAnswering: false, lastTool: null },
    ...{ turn: null, seq: 0, isUnordered: false },
  };
}

/** The run that a folder is named after, with the number of a rotated file; null for a file that lies elsewhere. */
function runOf(path: string): string | null {
  const run =
    /[\\/]agents[\\/]([^\\/]+)[\\/][^\\/]+$/.exec(path)?.[1] ??
    /[\\/]agent_teams[\\/]([^\\/]+[\\/][^\\/]+)[\\/][^\\/]+$/.exec(path)?.[1]?.replace("\\", "/");
  if (run === undefined) return null;
  const number = /raw_traces_(\d+)\.jsonl$/.exec(path)?.[1];
  return number === undefined ? run : `${run}/${number}`;
}

function parse(source: SourceRecord, state: AutobyteusState): Draft[] {
  if (source.oversized === true) return [];
  const { values, problems } = readValues(source, isTrace);
  const drafts: Draft[] = [];
  const isAlone = values.length === 1 && problems.length === 0;
  for (const { value, byteStart, byteEnd } of values) {
    const record = asObject(value);
    state.id ??= asText(record["id"]);
    const own = [...startDrafts(record, state), ...traceDrafts(value, state)];
    for (const draft of own) drafts.push(draft.kind === "event" && !isAlone ? { ...draft, byteStart, byteEnd } : draft);
    const turn = asText(record["turn_id"]);
    const seq = asWhole(record["seq"]);
    if (turn === state.turn && seq !== null && seq < state.seq && !state.isUnordered) {
      state.isUnordered = true;
      const quality = "Sequence numbers of a turn go backwards. Traces are in file order.";
      drafts.push({ kind: "session", lane: "", patch: { quality } });
    }
    state.turn = turn;
    state.seq = seq ?? state.seq;
  }
  for (const problem of problems) drafts.push({ kind: "problem", line: source.line, ...problem });
  return drafts;
}
