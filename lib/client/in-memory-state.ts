// Artifacts inside a session's state, as plain data: JSON.stringify writes them, and what is read back works as before.
// The same text is kept once; each storing has its own entry, so that a name that is given again keeps its history.
import { hash, randomUUID } from "node:crypto";
import { fail } from "#lib/kernel/errors.ts";
import { approxByteSize, freeArtifactId, parseRef, textOfValue, utf8Size } from "#lib/kernel/artifacts/pointer.ts";
import { previewOf } from "#lib/kernel/artifacts/preview.ts";

/** What an agent's framework hands around: anything with a `sessionState`. */
export type ArtifactContext = { readonly sessionState: Record<string, unknown> };

/** Where artifacts lie in `sessionState`. */
export const ARTIFACTS_KEY = "__artifacts";

export type HeldArtifact = {
  /** The uuid of its pointer. */
  readonly id: string;
  readonly artifactId: string;
  readonly digest: string;
  /** Whether the text is a string as it was given, or the JSON of a value. */
  readonly form: "text" | "json";
  readonly name?: string;
  readonly preview: string;
  readonly sizeBytes: number;
  readonly storedAt: number;
  readonly contentType?: string;
};

export type ArtifactsState = {
  readonly version: 1;
  /** By digest, which is hex: no key of a stranger's. */
  readonly texts: Record<string, string>;
  /** Oldest first. */
  readonly held: HeldArtifact[];
};

type Index = { readonly byId: Map<string, HeldArtifact>; readonly newest: Map<string, HeldArtifact> };

/** Look-ups of each state, made anew when a state was read back or changed by somebody else. */
const indexes = new WeakMap<ArtifactsState, Index>();

export function stateOf(ctx: ArtifactContext): ArtifactsState {
  const found = ctx.sessionState[ARTIFACTS_KEY];
  if (found === undefined || found === null) {
    const made: ArtifactsState = { version: 1, texts: {}, held: [] };
    ctx.sessionState[ARTIFACTS_KEY] = made;
    return made;
  }
  const state = found as ArtifactsState;
  if (state.version !== 1 || !Array.isArray(state.held) || typeof state.texts !== "object")
    fail("conflict", `sessionState["${ARTIFACTS_KEY}"] holds other data. Give artifacts a separate session state.`);
  return state;
}

export type HoldOptions = {
  readonly name?: string | undefined;
  readonly contentType?: string | undefined;
  readonly previewChars?: number | undefined;
};

export const PREVIEW_CHARS = 200;

/** Keeps a value. What JSON cannot say (a circular object, undefined) is kept as String() says it. */
export function hold(ctx: ArtifactContext, value: unknown, options: HoldOptions): HeldArtifact {
  const state = stateOf(ctx);
  const index = indexOf(state);
  const text = textOfValue(value);
  const digest = hash("sha256", text, "hex");
  state.texts[digest] ??= text;
  const held: HeldArtifact = {
    id: randomUUID(),
    artifactId: freeArtifactId(digest, (id) => (index.newest.get(`content ${id}`)?.digest ?? digest) !== digest),
    digest,
    form: hasJson(value) ? "json" : "text",
    ...(options.name === undefined ? {} : { name: options.name }),
    preview: previewOf(text, options.previewChars ?? PREVIEW_CHARS),
    sizeBytes: utf8Size(text),
    storedAt: Date.now(),
    ...(options.contentType === undefined ? {} : { contentType: options.contentType }),
  };
  state.held.push(held);
  note(index, held);
  return held;
}

/** By pointer, by content, else by name: the newest of that name. */
export function find(ctx: ArtifactContext, pointerOrName: string): HeldArtifact | null {
  const { byId, newest } = indexOf(stateOf(ctx));
  const { kind, value } = parseRef(pointerOrName);
  if (kind === "pointer") return byId.get(value.slice("art:".length)) ?? null;
  const found = kind === "name" ? undefined : newest.get(`${kind} ${value}`);
  return found ?? newest.get(`name ${pointerOrName}`) ?? null;
}

export const textOf = (ctx: ArtifactContext, held: HeldArtifact): string => stateOf(ctx).texts[held.digest] ?? "";

function indexOf(state: ArtifactsState): Index {
  const known = indexes.get(state);
  if (known !== undefined && known.byId.size === state.held.length) return known;
  const index: Index = { byId: new Map(), newest: new Map() };
  for (const held of state.held) note(index, held);
  indexes.set(state, index);
  return index;
}

function note({ byId, newest }: Index, held: HeldArtifact): void {
  byId.set(held.id, held);
  newest.set(`content ${held.artifactId}`, held);
  newest.set(`digest ${held.digest}`, held);
  if (held.name !== undefined) newest.set(`name ${held.name}`, held);
}

/** Whether the text of a value is its JSON, so that the value can be made again from it. */
function hasJson(value: unknown): boolean {
  return typeof value === "object"
    ? approxByteSize(value) > 0
    : typeof value === "number" || typeof value === "boolean";
}
