// Parts of identifiers, so that "error handler" finds errorHandler. The index's own tokenizer parts snake_case, kebab-case and
// paths at their signs; a change of case is no sign to it.

/** Longer runs are encoded bytes, not names (characters). */
const LONGEST_NAME = 64;

/** The words of one identifier, or none where it has one alone: `parseHTTPUrl2` is parse, HTTP, Url, 2. */
export function partsOf(name: string): string[] {
  if (!CHANGES.test(name)) return [];
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .replace(/([A-Za-z])(\d+)$/, "$1 $2")
    .split(" ");
}

const CHANGES = /[a-z0-9][A-Z]|[A-Z]{2}[a-z]/;

/** The parts of all identifiers of a text, each identifier once. */
export function identifierParts(text: string): string {
  const names = new Set<string>();
  // Runs first, then what is in them: one pattern for both would go back over long runs again and again.
  for (const [name] of text.matchAll(/[A-Za-z0-9]{3,}/g))
    if (name.length <= LONGEST_NAME && CHANGES.test(name)) names.add(name);
  return [...names].map((name) => [...partsOf(name), ...lastWithNumber(name)].join(" ")).join(" ");
}

/** The last word as it stands with its number: somebody may look for `error2`. */
const lastWithNumber = (name: string): readonly string[] => /[A-Z]?[a-z]+\d+$/.exec(name) ?? [];

/**
 * Without the rest of runs that no person types: of base64, each run would be one word that stands once. Looked for where a run
 * begins: asked at each character of it, 16 MB of session files took 0.9 s, and now 0.17.
 */
export const withoutLongRuns = (text: string): string =>
  text.replaceAll(/(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/=_-]{257,}/g, (run) => `${run.slice(0, LONGEST_NAME)} `);
