// What the parser of Antigravity's transcripts remembers between steps.
import type { SourceFile } from "#lib/kernel/draft.ts";
import { asText, isObject } from "../json.ts";
import { noPairing, type Pairing } from "../messages/call-pairing.ts";
import { firstRecordName } from "../first-record-name.ts";

export type AntigravityState = {
  readonly id: string | null;
  /** Named by its folder. In it stands the same transcript twice, and the number of a step names it in both. */
  readonly hasFolder: boolean;
  /** The transcript that shortens nothing; the other one beside it is a copy of it. */
  readonly isFull: boolean;
  named: boolean;
  hasTitle: boolean;
  model: string | null;
  pairing: Pairing;
};

const SOURCES = /^(?:USER|MODEL|SYSTEM)(?:_[A-Z]+)*$/;

export const isStep = (value: unknown): boolean =>
  isObject(value) &&
  SOURCES.test(asText(value["source"]) ?? "") &&
  /^[A-Z][A-Z0-9_]*$/.test(asText(value["type"]) ?? "") &&
  ("step_index" in value || "status" in value || "created_at" in value);

/** A conversation is named by its folder. */
export function startAntigravity({ path, head }: SourceFile): AntigravityState {
  const folder = /([^\\/]+)[\\/]\.system_generated[\\/]logs[\\/][^\\/]+$/.exec(path)?.[1] ?? null;
  return {
    id: folder ?? firstRecordName(head),
    hasFolder: folder !== null,
    isFull: /transcript_full\.jsonl$/.test(path),
    named: false,
    hasTitle: false,
    model: null,
    pairing: noPairing(),
  };
}
