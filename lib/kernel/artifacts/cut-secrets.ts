// Secrets of which a text has the beginning alone: titles, labels and previews are cut at a length, and half a token has no
// form of its own. It is one where it runs up to the end of the text, or up to the mark of what was cut off.
import { EDGE, hasDigit, IS, looksSecret, NAMES, REST, type SecretKind } from "./secret-patterns.ts";
import type { SecretSpan } from "./redact.ts";

/** How tokens begin that say whose they are. */
const BEGINNINGS = [
  "gh[pousr]_|github_pat_|gl(?:pat|rt|ptt|dt|soat)-|sk-|(?:AKIA|ASIA|ABIA|ACCA)|xox[abeoprs]-|xapp-|(?:sk|rk)_(?:live|test)_",
  "whsec_|AIza|ya29\\.|GOCSPX-|npm_|pypi-|rubygems_|SG\\.|do[opr]_v1_|hf_|hv[sbr]\\.|gl(?:sa|c)_|shp(?:at|ca|pa|ss)_|dckr_pat_",
  "lin_api_|ATATT3|xkeysib-|AGE-SECRET-KEY-1|figd_|sq0(?:csp|atp)-|PMAK-|NRAK-|pl[fm]_|gsk_|r8_|xai-|pplx-|sbp_|nfp_|ntn_|ATBB",
  "dp\\.(?:pt|st|ct|sa)\\.|pscale_(?:tkn|pw|oauth)_|dapi|pul-|eyJ",
].join("|");

/** A piece ends where something may have been cut off. */
const CUT = String.raw`(?=\s*$)`;

type CutRule = { readonly kind: SecretKind; readonly pattern: RegExp; readonly accepts: (secret: string) => boolean };

const RULES: readonly CutRule[] = [
  {
    kind: "known_token",
    pattern: new RegExp(`${EDGE}((?:${BEGINNINGS})[A-Za-z0-9_+/=-]{4,255})${CUT}`, "dg"),
    accepts: (token) => hasDigit(token.slice(4)) || /[a-z][A-Z]|[A-Z][a-z]/.test(token.slice(4)),
  },
  {
    kind: "authorization",
    pattern: new RegExp(String.raw`\bbearer\s{1,4}([A-Za-z0-9._~+/=-]{4,4096}?)${CUT}`, "dgi"),
    accepts: hasDigit,
  },
  {
    kind: "url_password",
    pattern: new RegExp(String.raw`:\/\/[^\s/:@"'<>\\]{1,128}:([^\s/@"'<>\\…]{3,256}?)${CUT}`, "dg"),
    accepts: (password) => !/^\d{1,5}$/.test(password) && !/^(?:\$|\{|%\(|<|\*+$)/.test(password),
  },
  {
    kind: "assignment",
    pattern: new RegExp(String.raw`(?:${NAMES})${REST}${IS}\\{0,3}["']?([^\s"'\\…]{4,7})${CUT}`, "dgi"),
    accepts: (value) => looksSecret(value) && !/^[\d.]+$/.test(value),
  },
];

/** Only so much of a text's end, and of what stands before each mark, is looked at (characters). */
const REACH = 400;

/** Where such beginnings stand (UTF-16 units). */
export function cutSecretSpans(text: string): SecretSpan[] {
  const found: SecretSpan[] = [];
  let from = 0;
  for (const end of cutsOf(text)) {
    const begin = Math.max(from, end - REACH);
    const piece = text.slice(begin, end);
    for (const { kind, pattern, accepts } of RULES)
      for (const match of piece.matchAll(pattern)) {
        const [start, stop] = match.indices![1]!;
        if (accepts(match[1]!)) found.push({ start: begin + start, end: begin + stop, kind });
      }
    from = end;
  }
  return found;
}

const IN_TOKEN = /[A-Za-z0-9._~+/=-]/;

/** What may be the beginning of a token, before each position at which something may have been cut off. */
export function* cutRuns(text: string): Generator<{ readonly start: number; readonly run: string }> {
  for (const end of cutsOf(text)) {
    let start = end;
    while (start > 0 && end - start < REACH && IN_TOKEN.test(text[start - 1]!)) start--;
    if (start < end) yield { start, run: text.slice(start, end) };
  }
}

/** Positions at which something may have been cut off, from left to right. */
function* cutsOf(text: string): Generator<number> {
  for (let at = nextMark(text, 0); at >= 0; at = nextMark(text, at + 1)) yield at;
  yield text.length;
}

function nextMark(text: string, from: number): number {
  const dots = text.indexOf("...", from);
  const mark = text.indexOf("…", from);
  return dots < 0 ? mark : mark < 0 ? dots : Math.min(dots, mark);
}
