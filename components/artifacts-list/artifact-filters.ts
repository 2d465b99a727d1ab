// What the reader chose on the artifacts page, as it stands in the URL.
import { debounce, parseAsString, parseAsStringLiteral, type inferParserType } from "nuqs/server";
import { artifactOrigin, artifactsQuery, artifactState } from "#lib/wire/artifacts-schema.ts";
import { askedQuery } from "../ui/typed.ts";

const TYPING_MS = 150;

export const artifactParsers = {
  q: parseAsString.withDefault("").withOptions({ history: "replace", limitUrlUpdates: debounce(TYPING_MS) }),
  tool: parseAsString,
  type: parseAsString,
  state: parseAsStringLiteral(artifactState.options),
  origin: parseAsStringLiteral(artifactOrigin.options),
  session: parseAsString,
  sort: parseAsStringLiteral(artifactsQuery.shape.sort.unwrap().options).withDefault("size"),
  dir: parseAsStringLiteral(["asc", "desc"] as const).withDefault("desc"),
};

export type ArtifactChoices = inferParserType<typeof artifactParsers>;

export const NO_FILTER = { q: "", tool: null, type: null, state: null, origin: null, session: null } as const;

/** `contents`: a pattern is searched in what is listed; the pattern and its options stand in the address as in a grep panel. */
export const searchParser = parseAsStringLiteral(["names", "contents"] as const).withDefault("names");

/** What the server is asked. */
export function questionOf(choices: ArtifactChoices): ArtifactChoices {
  return { ...choices, q: askedQuery(choices.q) };
}
