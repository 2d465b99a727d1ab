// What a text may say that is nobody else's business, for a person to decide on before it is handed on: secrets, user names,
// e-mail addresses, addresses of machines and pages. Spans may overlap: what is masked stays masked, whatever it lies in.
import { cutSecretSpans } from "./artifacts/cut-secrets.ts";
import { secretSpans } from "./artifacts/redact.ts";
import type { SecretKind } from "./artifacts/secret-patterns.ts";
import { escaped } from "./log/word-pattern.ts";

/** In the order in which overlapping masks are named. */
export const PRIVATE_KINDS = ["secret", "user", "email", "address"] as const;
export type PrivateKind = (typeof PRIVATE_KINDS)[number];

/** UTF-16 units, as slice counts. `secret`: which pattern found it, for secrets alone. */
export type PrivateSpan = {
  readonly start: number;
  readonly end: number;
  readonly kind: PrivateKind;
  readonly secret?: SecretKind;
};

// Every pattern takes linear time: each run is bounded, and begins where no such run goes on.
const HOME = /(?:\/home\/|\/Users\/|[A-Za-z]:(?:\\{1,4}|\/)Users(?:\\{1,4}|\/))([\p{L}\p{N}][\p{L}\p{N}._-]{0,63})/dgu;
/** Before and behind an @, which is looked for first: the whole pattern took 160 ms for each MB of text. */
const LOCAL_PART = /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}$/u;
const DOMAIN = /(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}(?![\p{L}\p{N}-])/uy;
/** Longer than any local part, in UTF-16 units. */
const LOCAL_CHARS = 130;
const WEB = /\b(?:https?|wss?|ftp|ssh|git):\/\/[^\s"'`<>()[\]{}\\|]{1,2048}/gi;
const IP4 = /(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\d)/g;
const IP6 = /(?<![\w:.])[0-9a-f:]{6,45}(?![\w:])/gi;
const INNER_HOST =
  /(?<![\w.-])(?:[a-z0-9][a-z0-9-]{0,62}\.){1,8}(?:internal|intranet|local|lan|corp)(?![\w-]|\.[a-z0-9])/gi;

/** Accounts of machines and images, which name nobody. They are found in a home path, and not by their name alone. */
const NOBODYS = new Set(
  "admin app build ci codespace default dev developer docker git guest home local me node nobody public root runner shared test tmp ubuntu user users vscode work workspace".split(
    " ",
  ),
);
/** Shorter names are parts of too many words. */
const NAME_CHARS = 3;

/** The users that the home paths of some texts name, in small letters. */
export function usersIn(texts: Iterable<string>): ReadonlySet<string> {
  const names = new Set<string>();
  for (const text of texts)
    for (const match of text.matchAll(HOME)) {
      const name = match[1]!.toLowerCase();
      if (name.length >= NAME_CHARS && !NOBODYS.has(name)) names.add(name);
    }
  return names;
}

/** Names whose values may be secrets that have no form of their own. */
const SECRET_NAME = /key|token|secret|passw|passphrase|pwd|credential|authorization|cookie/i;

/**
 * Where private things stand in a text. `users` are found outside of home paths too, as whole words. `name`: of the field whose
 * value the text is.
 */
export function privateSpans(text: string, users: ReadonlySet<string> = new Set(), name = ""): PrivateSpan[] {
  return [
    ...secretsIn(text, name),
    ...userSpans(text, users),
    ...emailSpans(text),
    ...matches(text, WEB, "address", (found) => !isLoopback(found)),
    ...matches(text, IP4, "address", isOutward4),
    ...matches(text, IP6, "address", isOutward6),
    ...matches(text, INNER_HOST, "address", () => true),
  ].toSorted((a, b) => a.start - b.start || b.end - a.end);
}

function secretsIn(text: string, name: string): PrivateSpan[] {
  const spans = [...secretSpans(text), ...cutSecretSpans(text)];
  if (SECRET_NAME.test(name) && name.length <= 128) {
    const head = `${name}="`;
    for (const { start, end, kind } of secretSpans(`${head}${text}"`))
      if (start >= head.length && end <= head.length + text.length)
        spans.push({ start: start - head.length, end: end - head.length, kind });
  }
  return spans.map(({ start, end, kind }): PrivateSpan => ({ start, end, kind: "secret", secret: kind }));
}

function emailSpans(text: string): PrivateSpan[] {
  const spans: PrivateSpan[] = [];
  let from = 0;
  for (let at = text.indexOf("@"); at >= 0; at = text.indexOf("@", at + 1)) {
    DOMAIN.lastIndex = at + 1;
    const domain = DOMAIN.exec(text);
    const local = domain === null ? null : LOCAL_PART.exec(text.slice(Math.max(from, at - LOCAL_CHARS), at));
    if (local === null || local[0] === "git") continue;
    from = at + 1 + domain![0].length;
    spans.push({ start: at - local[0].length, end: from, kind: "email" });
  }
  return spans;
}

function userSpans(text: string, users: ReadonlySet<string>): PrivateSpan[] {
  const spans: PrivateSpan[] = [];
  for (const match of text.matchAll(HOME)) {
    const [start, end] = match.indices![1]!;
    spans.push({ start, end, kind: "user" });
  }
  if (users.size === 0) return spans;
  const taken = new Set(spans.map(({ start }) => start));
  const names = [...users].map(escaped).join("|");
  for (const { index, 0: found } of text.matchAll(
    new RegExp(`(?<![\\p{L}\\p{N}])(?:${names})(?![\\p{L}\\p{N}])`, "giu"),
  ))
    if (!taken.has(index)) spans.push({ start: index, end: index + found.length, kind: "user" });
  return spans;
}

/** Marks that end a sentence are no part of what it names. */
const TAIL = /[.,;:!?*]+$/;

function matches(text: string, pattern: RegExp, kind: PrivateKind, accepts: (found: string) => boolean): PrivateSpan[] {
  const spans: PrivateSpan[] = [];
  for (const { index, 0: whole } of text.matchAll(pattern)) {
    const found = pattern === IP6 ? whole : whole.replace(TAIL, "");
    if (accepts(found)) spans.push({ start: index, end: index + found.length, kind });
  }
  return spans;
}

const isLoopback = (url: string): boolean => /^\w+:\/\/(?:localhost|127\.|0\.0\.0\.0|\[::1\])/i.test(url);

function isOutward4(address: string): boolean {
  const parts = address.split(".").map(Number);
  return parts.every((part) => part <= 255) && parts[0] !== 127 && parts[0] !== 0 && address !== "255.255.255.255";
}

/** Times and words with colons are none: eight groups, or a gap and a digit. */
function isOutward6(address: string): boolean {
  const groups = address.split(":");
  if (!groups.every((group) => group.length <= 4) || !/\d/.test(address)) return false;
  if (address.includes("::")) return groups.length >= 4 && groups.length <= 8 && address.split("::").length === 2;
  return groups.length === 8;
}
