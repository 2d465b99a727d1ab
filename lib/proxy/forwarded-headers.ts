// Which headers go through, and which are recorded.

/** Of one connection, never of the message (RFC 9110, 7.6.1). */
const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Pairs of raw headers without those of the connection, in their order and spelling. */
export function endToEnd(raw: readonly string[], alsoWithout: readonly string[] = []): string[] {
  const pairs = pairsOf(raw);
  const named = pairs
    .filter(([name]) => name.toLowerCase() === "connection")
    .flatMap(([, value]) => value.split(",").map((one) => one.trim().toLowerCase()));
  const without = new Set([...HOP_BY_HOP, ...named, ...alsoWithout]);
  return pairs.flatMap(([name, value]) => (without.has(name.toLowerCase()) ? [] : [name, value]));
}

// What is recorded is named here: a header that carries a key under a name of its own is never among them.
const RECORDED =
  /^(user-agent|content-type|content-encoding|content-length|anthropic-(version|beta)|openai-(beta|version|processing-ms)|x-app|originator|x-claude-code-(session|agent|parent-agent)-id|session[_-]id|conversation[_-]id|thread-id|(x-)?request-id|retry-after|x-stainless-(retry-count|timeout))$/i;

export const recordedHeaders = (raw: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    pairsOf(raw)
      .filter(([name]) => RECORDED.test(name))
      .map(([name, value]) => [name.toLowerCase(), value]),
  );

const QUERY = /^(alt|beta|api-version)$/;

/** A path without what a query may hold beside options: Gemini's `?key=`. */
export function recordedPath(target: string): string {
  const [path, query = ""] = target.split("?", 2);
  const kept = [...new URLSearchParams(query)].filter(([name]) => QUERY.test(name));
  return kept.length === 0 ? path! : `${path}?${new URLSearchParams(kept).toString()}`;
}

function pairsOf(raw: readonly string[]): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) pairs.push([raw[i]!, raw[i + 1]!]);
  return pairs;
}
