// What the reader chose on the artifacts page, as it stands in the URL.
import { debounce, parseAsString, parseAsStringLiteral, type inferParserType } from "nuqs/server";
import { artifactsQuery } from "#lib/wire/artifacts.ts";

const TYPING_MS = 150;

export const artifactParsers = {
  q: parseAsString.withDefault("").withOptions({ history: "replace", limitUrlUpdates: debounce(TYPING_MS) }),
  tool: parseAsString,
  type: parseAsString,
  session: parseAsString,
  sort: parseAsStringLiteral(artifactsQuery.shape.sort.unwrap().options).withDefault("size"),
  dir: parseAsStringLiteral(["asc", "desc"] as const).withDefault("desc"),
};

export type ArtifactChoices = inferParserType<typeof artifactParsers>;

export const NO_FILTER = { q: "", tool: null, type: null, session: null } as const;

/** What the server is asked. */
export function questionOf(choices: ArtifactChoices): ArtifactChoices {
  return { ...choices, q: choices.q.trim() };
}
