// What a hidden prefix may hold, learned from another session of the same agent whose file has its requests. It explains a known
// weight and is none itself: no sum and no item of the ledger has it.
import { SYSTEM_PART } from "../request-records.ts";
import { schemaName } from "./base.ts";
import { serverOf } from "./servers.ts";

export type InferredPart = {
  readonly kind: "system" | "tool";
  /** A tool's name, or how a block of the system prompt begins. */
  readonly name: string;
  /** As the session that it is inferred for would weigh it. */
  readonly tokens: number;
};

export type InferredPrefix = {
  readonly from: {
    readonly session: string;
    readonly title: string;
    readonly version: string | null;
    readonly isSameVersion: boolean;
    /** The session's own later requests. */
    readonly isOwn: boolean;
  };
  /** Tokens of the hidden prefix: what is known of it. */
  readonly known: number;
  /** Tokens of the parts together: more than `known` where not all of them can have been sent. */
  readonly tokens: number;
  /** Heaviest first. */
  readonly parts: readonly InferredPart[];
};

const NUMBERS = /^(\d+)\.(\d+)\.(\d+)/;

/** Versions as numbers that sort as they do; null for what is none. */
export function versionNumber(version: string | null): number | null {
  const [, major, minor, patch] = NUMBERS.exec(version ?? "") ?? [];
  return patch === undefined ? null : (Number(major) * 10_000 + Number(minor)) * 10_000 + Number(patch);
}

/** How far apart two versions are; without a version all are as far. */
export function versionDistance(a: string | null, b: string | null): number {
  const [from, to] = [versionNumber(a), versionNumber(b)];
  return from === null || to === null ? Number.POSITIVE_INFINITY : Math.abs(from - to);
}

/**
 * A part of another session's prompt by its label, or null for one that says nothing of this one: the tools of MCP servers are
 * a person's settings, and not the agent's.
 */
export function inferredPart(label: string, tokens: number, isOwn: boolean): InferredPart | null {
  const tool = schemaName({ label });
  if (tool === null) return { kind: "system", name: label.slice(SYSTEM_PART.length).trim(), tokens };
  return isOwn || serverOf(tool) === null ? { kind: "tool", name: tool, tokens } : null;
}
