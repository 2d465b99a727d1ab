// Who a trajectory is. A session id may be shared by sub-agents and continuations; Harbor adds to it what they are.
import { asArray, asNumber, asObject, asText, isObject, type Json } from "../json.ts";

const KEYS = [
  "agent",
  "continued_trajectory_ref",
  "extra",
  "final_metrics",
  "notes",
  "session_id",
  "trajectory_id",
  "steps",
  "subagent_trajectories",
];

/** True for what calls itself ATIF, for what has its steps, and for a document that is cut off in its agent's tools. */
export function isTrajectory(value: Json): boolean {
  if (/^ATIF\b/i.test(asText(value["schema_version"]) ?? "")) return true;
  const agent = asObject(value["agent"]);
  if (asText(agent["name"]) === null) return false;
  const first = asArray(value["steps"])[0];
  if (isObject(first)) return Object.hasOwn(first, "step_id") && Object.hasOwn(first, "source");
  return Array.isArray(agent["tool_definitions"]) && Object.keys(value).every((key) => KEYS.includes(key));
}

/** The trajectories of a value: itself, or those under names or in a list of its own. */
export function trajectoriesIn(value: unknown): Json[] {
  if (!isObject(value)) return asArray(value).filter(isObject);
  if (isTrajectory(value)) return [value];
  return Object.values(value).filter((one) => isObject(one) && Object.hasOwn(one, "steps")) as Json[];
}

export type Identity = {
  readonly id: string | null;
  /** What names the steps that several trajectories of one run hold. */
  readonly family: string;
  readonly parent: string | null;
  readonly relation: "subagent" | "continuation" | null;
};

const CONTINUATION = /^(.+)-cont-(\d+)$/;
const SUMMARIZER = /^(.+)-summarization-\d+-\w+$/;

export function identityOf(header: Json): Identity {
  const session = textOrNull(header["session_id"]);
  const id = nativeId(header);
  const extra = { ...asObject(header["extra"]), ...asObject(asObject(header["agent"])["extra"]) };
  const summarizer = SUMMARIZER.exec(session ?? "");
  const continuation = CONTINUATION.exec(session ?? "");
  const family = (summarizer?.[1] ?? continuation?.[1] ?? session ?? id ?? "").replace(/-cont-\d+$/, "");
  const own = { id, family };
  if (summarizer !== null) return { ...own, parent: summarizer[1]!, relation: "subagent" };
  const parentTrajectory = textOrNull(extra["parent_trajectory_id"]);
  const parentSession = textOrNull(extra["parent_session_id"]);
  const parent = parentTrajectory === null ? parentSession : joined(parentSession ?? session, parentTrajectory);
  const before = continuation === null ? null : Number(continuation[2]) - 1;
  if (continuation !== null)
    return {
      ...own,
      parent: before! > 0 ? `${continuation[1]}-cont-${before}` : continuation[1]!,
      relation: "continuation",
    };
  if (parent === null || parent === id) return { ...own, parent: null, relation: null };
  const isContinuation = asNumber(extra["continuation_index"]) !== null;
  return { ...own, parent, relation: isContinuation ? "continuation" : "subagent" };
}

const joined = (session: string | null, trajectory: string): string =>
  session === null || session === trajectory ? trajectory : `${session}/${trajectory}`;

export function nativeId(header: Json): string | null {
  const session = textOrNull(header["session_id"]);
  const trajectory = textOrNull(header["trajectory_id"]);
  return trajectory === null ? session : joined(session, trajectory);
}

const textOrNull = (value: unknown): string | null => {
  const text = asText(value)?.trim() ?? "";
  return text === "" ? null : text;
};
