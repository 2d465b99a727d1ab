// Text from a transcript may hold characters that show nothing, turn the line around, or drive a
// terminal. They are shown by name instead. Emoji keep their joiners and one variation selector;
// tag characters, which spell hidden ASCII, are shown with what they spell.

export type TextPart = { readonly text: string; readonly hidden: boolean };

/** Parts beyond this stay one last part that says how many characters it stands for: 2,000 chips take 20 ms to draw. */
export const HIDDEN_PARTS = 2000;

const CONTROL = "\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F\\u007F-\\u009F";
const INVISIBLE =
  "\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u200B-\\u200F\\u2028-\\u202E\\u2060-\\u206F\\u3164\\uFEFF\\uFFA0\\uFFF0-\\uFFFB";
const VARIATION = "\\uFE00-\\uFE0F\\u{E0100}-\\u{E01EF}";
const TAGS = "\\u{E0000}-\\u{E007F}";
const LONE_RETURN = "\\r(?!\\n)";
const LONE_SURROGATE = "\\p{Cs}";

const anyHidden = new RegExp(`[${CONTROL}${INVISIBLE}${VARIATION}${TAGS}]|${LONE_RETURN}|${LONE_SURROGATE}`, "u");
// Scripts whose words need joiners between their letters: Persian is full of them.
const JOINING = "\\p{Script=Arabic}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Malayalam}\\p{Script=Sinhala}";
// Order matters: what is allowed is matched first, so that it is stepped over.
const scan = new RegExp(
  `(?<ok>\\p{Extended_Pictographic}\\p{Emoji_Modifier}?\\uFE0F?(?:\\u200D\\p{Extended_Pictographic}\\p{Emoji_Modifier}?\\uFE0F?)*|[#*0-9]\\uFE0F\\u20E3|[${JOINING}][\\u200C\\u200D](?=[${JOINING}]))` +
    `|(?<tags>[${TAGS}]+)|(?<one>[${CONTROL}${INVISIBLE}${VARIATION}]|${LONE_RETURN}|${LONE_SURROGATE})`,
  "gu",
);

const NAMES: Record<number, string> = {
  0: "NUL",
  7: "BEL",
  8: "BS",
  11: "VT",
  12: "FF",
  13: "CR",
  14: "SO",
  15: "SI",
  27: "ESC",
  127: "DEL",
  0x9b: "CSI",
};

/** Its first letter is of a script that runs from right to left. */
export const runsRightToLeft = (text: string): boolean =>
  /^\P{L}*(?=\p{L})[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFF\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u.test(text);

/** True when `splitHidden` would find anything. */
export function hasHidden(text: string): boolean {
  return anyHidden.test(text) && splitHidden(text).some((part) => part.hidden);
}

/** The text as it reads, and between it the names of what would not show. */
export function splitHidden(text: string): TextPart[] {
  if (!anyHidden.test(text)) return [{ text, hidden: false }];
  const parts: TextPart[] = [];
  let at = 0;
  for (const match of text.matchAll(scan)) {
    if (match.groups?.["ok"] !== undefined) continue;
    if (parts.length >= HIDDEN_PARTS) {
      parts.push({ text: `${text.length - at} more characters`, hidden: true });
      return parts;
    }
    if (match.index > at) parts.push({ text: text.slice(at, match.index), hidden: false });
    parts.push({ text: nameOf(match[0]), hidden: true });
    at = match.index + match[0].length;
  }
  if (at < text.length) parts.push({ text: text.slice(at), hidden: false });
  return parts;
}

/** For attributes and window titles, which have no room for a chip: the names stand in brackets. */
export function shownText(text: string): string {
  if (!anyHidden.test(text)) return text;
  return splitHidden(text)
    .map((part) => (part.hidden ? `[${part.text}]` : part.text))
    .join("");
}

/** The text with everything hidden written by `write`, without a limit: for what is not drawn chip by chip. */
export function replaceHidden(text: string, write: (found: string) => string): string {
  if (!anyHidden.test(text)) return text;
  return text.replace(scan, (found, ...rest) => {
    const groups = rest.at(-1) as Record<string, string | undefined>;
    return groups["ok"] === undefined ? write(found) : found;
  });
}

function nameOf(found: string): string {
  const code = found.codePointAt(0) ?? 0;
  if (code >= 0xe0000 && code <= 0xe007f) {
    const spelled = Array.from(found, (char) => String.fromCharCode((char.codePointAt(0) ?? 0) - 0xe0000));
    return `tags “${spelled.join("").replace(/[^\x20-\x7e]/g, "?")}”`;
  }
  return NAMES[code] ?? `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** The parts of a search snippet: `\u0002…\u0003` stands around each hit. */
export function splitHits(snippet: string): { readonly text: string; readonly hit: boolean }[] {
  const [before = "", ...opened] = snippet.split("\u0002");
  const parts = [{ text: before, hit: false }];
  for (const piece of opened) {
    const [hit = "", ...after] = piece.split("\u0003");
    parts.push({ text: hit, hit: true }, { text: after.join(""), hit: false });
  }
  return parts.filter((part) => part.text !== "");
}
