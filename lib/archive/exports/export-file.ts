// What every export format gives: a name, and its bytes with each text of the session as a hook gives it. A review runs it with a
// hook that looks, a masked export with one that masks: what was reviewed is what is written.
import type { MaskManifest } from "../base/masker.ts";
import type { TextHook } from "../base/private-findings.ts";

export type ExportTexts = {
  readonly hook: TextHook;
  /** What was masked so far; null where nothing is. `restart`: it is counted anew. */
  readonly masked: { manifest(): MaskManifest; restart(): void } | null;
};

export type NotSearched = { readonly files: number; readonly sizeBytes: number };

export type ExportFile = {
  readonly name: string;
  readonly contentType: string;
  readonly pieces: (texts: ExportTexts) => AsyncIterable<Uint8Array>;
  /** Images and other bytes in it that no hook sees. */
  readonly notSearched: NotSearched;
};

export const NOTHING: NotSearched = { files: 0, sizeBytes: 0 };

/** Nothing is looked for, and nothing is masked. */
export const PLAIN: ExportTexts = { hook: (text) => text, masked: null };
