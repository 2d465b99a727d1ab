// What a culprit shares with its like in other sessions: a tool and what it was asked for, an MCP server, a part of the prefix,
// the cause of a lost cache. Two culprits of one fingerprint have one fix.
import { memoryLabel } from "../base.ts";
import { DETECTORS, type Culprit, type DetectorId, type SessionLoadFacts } from "./culprit-types.ts";
import { FINDING_KINDS, type FindingKind } from "./finding-kinds.ts";
import { isRead, isSearch, isShell } from "./outputs.ts";

export type Fingerprint = {
  readonly kind: FindingKind;
  readonly detector: DetectorId;
  /** What it is about: `Read src/server.ts`, `MCP server linear`, `Cache expired while idle`. */
  readonly subject: string;
};

/** As the archive keeps it, and addresses have it. */
export const fingerprintKey = ({ kind, detector, subject }: Fingerprint): string => `${kind}:${detector}:${subject}`;

export function readFingerprint(key: string): Fingerprint | null {
  const [, kind, detector, subject] = /^([a-z-]+):([a-z-]+):(.+)$/su.exec(key) ?? [];
  const known = FINDING_KINDS.find((one) => one === kind);
  const by = DETECTORS.find((one) => one === detector);
  return known === undefined || by === undefined || subject === undefined
    ? null
    : { kind: known, detector: by, subject };
}

export function fingerprintOf(culprit: Culprit, session: SessionLoadFacts): Fingerprint {
  const { detector, label } = culprit;
  switch (detector) {
    case "unused-schemas": {
      const server = SERVER.exec(label)?.[1];
      return server === undefined
        ? { kind: "prefix", detector, subject: culprit.toolName ?? "Tools never called" }
        : { kind: "mcp-server", detector, subject: `MCP server ${server}` };
    }
    case "memory-file":
      return { kind: "prefix", detector, subject: memoryLabel(label) };
    case "cache-break":
      // The cause is the label, without how often and at which call.
      return { kind: "cache", detector, subject: label.replace(TIMES, "") };
    case "compaction-thrash":
      return {
        kind: "compaction",
        detector,
        subject: /re-reads after/u.test(label) ? "Re-reads after compaction" : "Compactions that free little",
      };
    case "reasoning":
      return { kind: "reasoning", detector, subject: "Reasoning sent again" };
    default:
      return { kind: "tool", detector, subject: subjectOf(culprit, session) };
  }
}

const SERVER = /^MCP server (.+?): /u;
const TIMES = / \(\d+×\)$/u;
const SUBJECT_CHARS = 160;

/** The tool and its argument pattern: a file by its path, a shell command by its program and its first word. */
function subjectOf({ toolName, seq, detector }: Culprit, session: SessionLoadFacts): string {
  const tool = toolName ?? "Output";
  const own = seq === null ? undefined : session.facts.get(seq);
  const request = own?.pairSeq == null ? undefined : session.facts.get(own.pairSeq);
  const path = own?.path ?? request?.path ?? null;
  const command = own?.command ?? request?.command ?? null;
  // Many different outputs together are of their tool alone.
  if (detector === "fan-out" || detector === "stale-result") return tool;
  if (path !== null && !isSearch(tool)) return `${isRead(tool) ? "Read" : tool} ${path}`.slice(0, SUBJECT_CHARS);
  if (command !== null || isShell(tool))
    return `${tool} ${commandPattern(command ?? "")}`.trim().slice(0, SUBJECT_CHARS);
  return tool;
}

/** Words that stand before a program, and what a shell writes between two. */
const BEFORE =
  /^(?:cd\s+\S+\s*(?:&&|;)\s*|[A-Z_][A-Z0-9_]*=\S*\s+|sudo\s+|time\s+|timeout\s+\S+\s+|nice(?:\s+-n\s*\d+)?\s+)+/u;
/** Programs whose first word says what they do. */
const WITH_VERB =
  /^(?:git|npm|npx|pnpm|yarn|bun|cargo|go|docker|kubectl|gh|make|mise|uv|pip|poetry|dotnet|mvn|gradle|python3?|node)$/u;

export function commandPattern(command: string): string {
  const [first = "", second = ""] = command.trim().replace(BEFORE, "").split(/\s+/u);
  const program = first.split(/[\\/]/u).at(-1) ?? "";
  if (!/^[\w.+-]{1,40}$/u.test(program)) return "";
  return WITH_VERB.test(program) && /^[\w:./-]{1,60}$/u.test(second) && !second.startsWith("-")
    ? `${program} ${second}`
    : program;
}
