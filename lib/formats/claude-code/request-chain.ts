// The list of a request's messages, by their digests: the first `keep` of the request `base`, then `tail`.
import type { RequestRecord } from "#lib/kernel/request-records.ts";
import { asArray, asObject, asText, asWhole, type Json } from "../json.ts";

export type Digests = { readonly digests: readonly string[]; readonly from: number };

/**
 * The digests of a request's messages, by its base's and that one's base's, back to the first, or to one of `known`, to which
 * its own are added. `from`: the base's position.
 */
export function digestsOf(
  part: RequestRecord,
  chain: ReadonlyMap<string, RequestRecord>,
  known = new Map<RequestRecord, readonly string[]>(),
): Digests | { readonly why: string } {
  const links: { readonly keep: number; readonly tail: readonly string[] }[] = [];
  let from = 0;
  let at: RequestRecord | undefined = part;
  const seen = new Set<RequestRecord>();
  let digests: readonly string[] = [];
  while (at !== undefined) {
    const done = known.get(at);
    if (done !== undefined) {
      digests = done;
      break;
    }
    if (seen.has(at)) return { why: "Its requests name each other in a circle." };
    seen.add(at);
    let link: Json;
    try {
      link = asObject(JSON.parse(at.text.slice(at.text.indexOf(" ") + 1)));
    } catch {
      return { why: "Its list of messages cannot be read." };
    }
    const tail = asArray(link["tail"]).filter((digest) => typeof digest === "string");
    links.push({ keep: asWhole(link["keep"]) ?? 0, tail });
    const base = asText(link["base"]);
    if (base === null) break;
    at = chain.get(base);
    if (at === undefined) return { why: "The request that it continues is not in the file." };
    if (links.length === 1) from = at.seq;
  }
  for (const { keep, tail } of links.toReversed()) {
    if (keep > digests.length) return { why: `It keeps ${keep} messages of a request that had ${digests.length}.` };
    digests = [...digests.slice(0, keep), ...tail];
  }
  known.set(part, digests);
  return { digests, from };
}
