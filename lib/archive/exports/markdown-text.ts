// Words of a session inside of Markdown: shown as they are, and nothing of them is fetched, run, or taken for a heading.
import { replaceHidden } from "#lib/kernel/hidden-text.ts";

/** Hidden characters stand by their code points. */
export const visible = (text: string): string =>
  replaceHidden(text, (found) => `<U+${found.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}>`);

/** A text as it is. The fence is longer than any run of backticks inside. */
export function fenced(text: string, language = "text"): string {
  const shown = visible(text);
  const longest = (shown.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${shown}${shown.endsWith("\n") ? "" : "\n"}${fence}`;
}

const FENCE = /^\s{0,3}(`{3,}|~{3,})/;
const CODE = /(`+)[^`][^]*?\1/g;

/** Prose that is Markdown already, as a quotation: its headings, lists and code stay inside; tags and images are text. */
export function quoted(text: string): string {
  let fence: string | null = null;
  return visible(text)
    .split("\n")
    .map((line) => {
      const mark = FENCE.exec(line)?.[1];
      const isCode = fence !== null || mark !== undefined;
      if (fence === null) fence = mark ?? null;
      else if (mark !== undefined && mark[0] === fence[0] && mark.length >= fence.length) fence = null;
      return `> ${isCode ? line : harmless(line)}`.trimEnd();
    })
    .join("\n");
}

/** Tags, images and links to elsewhere as text; code between backticks is that already. */
function harmless(line: string): string {
  let result = "";
  let at = 0;
  for (const { index, 0: code } of line.matchAll(CODE)) {
    result += plain(line.slice(at, index)) + code;
    at = index + code.length;
  }
  return result + plain(line.slice(at));
}

const plain = (text: string): string => text.replace(/<(?=[A-Za-z/!?])/g, "\\<").replaceAll("![", "!\\[");

/** A few words inside of a line. */
export const inline = (text: string): string =>
  visible(text)
    .replace(/\s+/gu, " ")
    .replace(/[\\`*_{}[\]<>#|~!&]/g, "\\$&");
