// What a model said in a dry run. Who applies it names it, and gets these words: what was shown is what is applied, and the
// model is not paid twice. A few are held in memory; after a restart the dry run is asked for again.
import { hash, randomUUID } from "node:crypto";
import { fail } from "#lib/kernel/errors.ts";
import type { SummarizerResult } from "#lib/kernel/memory/memory-types.ts";
import type { Archive } from "../base/archive-type.ts";
import { perArchive } from "../base/per-archive.ts";

type Draft = { readonly input: string; readonly made: SummarizerResult };

/** A person looks at one or two, beside each other; each is at most as long as a summary. */
const HELD = 16;

const draftsOf = perArchive(() => new Map<string, Draft>());

/** What a model was asked, as a name: the same words to the same model have the same. */
export const inputKey = (request: readonly unknown[]): string => hash("sha256", JSON.stringify(request), "hex");

export function keepDraft(archive: Archive, input: string, made: SummarizerResult): string {
  const drafts = draftsOf(archive);
  const id = `drf_${randomUUID().replaceAll("-", "").slice(0, 16)}`;
  drafts.set(id, { input, made });
  if (drafts.size > HELD) drafts.delete(drafts.keys().next().value!);
  return id;
}

/** The words of a draft. Fails when it is not held any more, or when the model would be asked something else now. */
export function draftFor(archive: Archive, id: string, input: string): SummarizerResult {
  const draft = draftsOf(archive).get(id);
  if (draft === undefined)
    fail("conflict", "The reviewed summary has expired. Ask the model again, and review its answer.");
  if (draft.input !== input)
    fail("conflict", "The context changed since the review. Ask the model again, and review its answer.");
  return draft.made;
}
