// Code in colour, on the server: 50 KB take about 0.2 s of its one thread, so text is cut there and kept by digest.
// The colours are the tokens of both themes; the browser takes that of the page's colour scheme.
import type { BundledLanguage, Highlighter, ThemeRegistration } from "shiki";
import { LIMITS } from "#lib/kernel/limits.ts";
import { numberedLines } from "#lib/kernel/numbered-lines.ts";
import type { HighlightAnswer } from "#lib/wire/artifacts-schema.ts";

type Colours = { ink: string; key: string; string: string; number: string; name: string; note: string };

const LIGHT: Colours = {
  ink: "#484d54",
  key: "#412696",
  string: "#0f6b47",
  number: "#8a5200",
  name: "#2450c4",
  note: "#646a71",
};
const DARK: Colours = {
  ink: "#b6bcc3",
  key: "#c6a8f0",
  string: "#a0dbb2",
  number: "#ffc652",
  name: "#9ab5ff",
  note: "#8c949c",
};

const NOTE = [LIGHT.note, DARK.note] as const;

/** Texts that are kept: 64 of 50 KB are about 60 MB of spans at the most. */
const KEPT = 64;
/** A longer line is one span: minified files have lines that take a second each. */
const LINE_CHARS = 2000;

const kept = new Map<string, HighlightAnswer>();
let highlighter: Promise<Highlighter> | null = null;

/** Lines of coloured spans. A language that is not known comes back plain. */
export async function highlight(text: string, language: string): Promise<HighlightAnswer> {
  const { shown, cutAtBytes } = cut(text);
  const key = `${language} ${await digestOf(shown)}`;
  const known = kept.get(key);
  if (known) {
    kept.delete(key);
    kept.set(key, known);
    return known;
  }
  const answer = { language, lines: await linesOf(shown, language), cutAtBytes };
  kept.set(key, answer);
  for (const oldest of kept.keys()) {
    if (kept.size <= KEPT) break;
    kept.delete(oldest);
  }
  return answer;
}

/**
 * The same for text that may have a read tool's line numbers before each line: the numbers keep their position, in the colour of
 * a note, and the grammar sees the file's own text.
 */
export async function highlightNumbered(text: string, language: string): Promise<HighlightAnswer> {
  const raw = text.split("\n");
  const lines = numberedLines(text);
  const coloured = await highlight(lines.map((line) => line.text).join("\n"), language);
  return {
    ...coloured,
    lines: coloured.lines.map((spans, i) => {
      const whole = (raw[i] ?? "").replace(/\r$/u, "");
      const before = whole.slice(0, whole.length - (lines[i]?.text.length ?? 0));
      return lines[i]?.number == null || before === "" ? spans : [[before, ...NOTE], ...spans];
    }),
  };
}

async function linesOf(text: string, language: string): Promise<HighlightAnswer["lines"]> {
  // Its table of 300 grammars takes 20 ms to load: not before somebody looks at code.
  const { bundledLanguages, createHighlighter } = await import("shiki");
  const isLanguage = (name: string): name is BundledLanguage => Object.hasOwn(bundledLanguages, name);
  if (!isLanguage(language)) return text.split("\n").map((line) => [[line, LIGHT.ink, DARK.ink]]);
  highlighter ??= createHighlighter({ themes: [themeOf("light", LIGHT), themeOf("dark", DARK)], langs: [] });
  const made = await highlighter;
  if (!made.getLoadedLanguages().includes(language)) await made.loadLanguage(language);
  const lines = made.codeToTokensWithThemes(text, {
    lang: language,
    themes: { light: themeOf("light", LIGHT), dark: themeOf("dark", DARK) },
    tokenizeMaxLineLength: LINE_CHARS,
  });
  return lines.map((line) =>
    line.map((token): [string, string, string] => [
      token.content,
      (token.variants["light"]?.color ?? LIGHT.ink).toLowerCase(),
      (token.variants["dark"]?.color ?? DARK.ink).toLowerCase(),
    ]),
  );
}

/** At most 50 KB, cut at a line end. */
function cut(text: string): { shown: string; cutAtBytes: number | null } {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= LIMITS.highlightBytes) return { shown: text, cutAtBytes: null };
  const end = bytes.lastIndexOf(0x0a, LIMITS.highlightBytes);
  const at = end > 0 ? end : LIMITS.highlightBytes;
  return { shown: new TextDecoder().decode(bytes.subarray(0, at)), cutAtBytes: at };
}

async function digestOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function themeOf(type: "light" | "dark", colours: Colours): ThemeRegistration {
  const rule = (foreground: string, ...scope: string[]) => ({ scope, settings: { foreground } });
  return {
    name: `plimsoll-${type}`,
    type,
    fg: colours.ink,
    bg: type === "light" ? "#fcfcfb" : "#101214",
    settings: [
      { settings: { foreground: colours.ink } },
      rule(colours.note, "comment", "punctuation.definition.comment"),
      rule(colours.key, "keyword", "storage", "entity.name.tag", "support.type.property-name", "constant.language"),
      rule(colours.ink, "keyword.operator", "punctuation"),
      rule(colours.string, "string", "markup.inline.raw", "markup.inserted"),
      rule(
        colours.number,
        "constant.numeric",
        "constant.character.escape",
        "markup.deleted",
        "entity.other.attribute-name",
      ),
      rule(
        colours.name,
        "entity.name.function",
        "support.function",
        "entity.name.type",
        "markup.heading",
        "meta.diff.header",
      ),
    ],
  };
}
