// The tools that an answer of gptme calls stand in its text: as blocks of Markdown, in tags, or with a name, an id and JSON.
import { isObject } from "../json.ts";
import { parseJson } from "../json-parts.ts";

type AnswerPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "call"; readonly id: string | null; readonly tool: string; readonly input: unknown };

/** Words behind a fence that are tools; other blocks are examples. */
const TOOLS: ReadonlySet<string> = new Set([
  ...["shell", "shell_compact", "ipython", "py", "tmux", "gh"],
  ...["read", "save", "append", "patch", "patch_many", "morph"],
]);

/** In their order, without texts that say nothing. */
export function answerParts(content: string): AnswerPart[] {
  const parts = namedCalls(content) ?? taggedCalls(content) ?? fencedCalls(content);
  return parts.filter((part) => part.kind === "call" || part.text !== "");
}

const textPart = (text: string): AnswerPart => ({ kind: "text", text: text.trim() });

/** `@tool(id): {…}`, as many as there are. Null where there are none. */
function namedCalls(content: string): AnswerPart[] | null {
  const starts = [...content.matchAll(/^@(\w+)\(([\w\-:.]+)\):\s*(?=\{)/gm)];
  if (starts.length === 0) return null;
  const parts = starts.flatMap((start, i): AnswerPart[] => {
    const own = content.slice(start.index + start[0].length, starts[i + 1]?.index);
    const end = own.lastIndexOf("}") + 1;
    const input = parseJson(own.slice(0, end));
    const call: AnswerPart = { kind: "call", id: start[2]!, tool: start[1]!, input: input ?? own.trim() };
    return isObject(input) ? [call, textPart(own.slice(end))] : [call];
  });
  return [textPart(content.slice(0, starts[0]!.index)), ...parts];
}

const [OPEN, CLOSE] = ["<tool-use>", "</tool-use>"];

/** `<tool-use><tool args="…">…</tool></tool-use>` */
function taggedCalls(content: string): AnswerPart[] | null {
  const parts: AnswerPart[] = [];
  let at = 0;
  for (let from = content.indexOf(OPEN); from >= 0; from = content.indexOf(OPEN, at)) {
    const end = content.indexOf(CLOSE, from);
    if (end < 0) break;
    const [, tool, args, text] =
      /^\s*<([\w-]+)([^>]*)>([\s\S]*)<\/[\w-]+>\s*$/.exec(content.slice(from + OPEN.length, end)) ?? [];
    parts.push(textPart(content.slice(at, from)));
    if (tool !== undefined) parts.push(callPart(tool, /args=["'](.*)["']/.exec(args!)?.[1] ?? "", text!.trim()));
    at = end + CLOSE.length;
  }
  return parts.length === 0 ? null : [...parts, textPart(content.slice(at))];
}

/** Blocks between fences; a fence with a word inside another block opens one of its own. */
function fencedCalls(content: string): AnswerPart[] {
  const parts: AnswerPart[] = [];
  let words: string[] = [];
  let open: { readonly tool: string; readonly args: string; depth: number } | null = null;
  const flush = (): void => {
    parts.push(textPart(words.join("\n")));
    words = [];
  };
  for (const line of content.split("\n")) {
    const [, info] = /^```(.*)$/.exec(line) ?? [];
    const [tool = "", ...args] = info?.trim().split(" ") ?? [];
    if (open === null && TOOLS.has(tool)) {
      flush();
      open = { tool, args: args.join(" "), depth: 0 };
      continue;
    }
    if (open !== null && info !== undefined) open.depth += tool === "" ? -1 : 1;
    if (open !== null && open.depth < 0) {
      parts.push(callPart(open.tool, open.args, words.join("\n")));
      [words, open] = [[], null];
    } else words.push(line);
  }
  if (open === null) flush();
  // An answer that was cut off.
  else parts.push(callPart(open.tool, open.args, words.join("\n")));
  return parts;
}

/** What gptme calls the text of a block, where the same tool is called with JSON. */
const CONTENT: Readonly<Record<string, string>> = {
  ...{ shell: "command", shell_compact: "command", tmux: "command", gh: "command" },
  ...{ ipython: "code", py: "code", patch: "patch" },
};
const OF_FILES: ReadonlySet<string> = new Set(["save", "append", "patch", "morph", "read"]);

const callPart = (tool: string, args: string, content: string): AnswerPart => ({
  ...{ kind: "call", id: null, tool },
  input: {
    ...(args !== "" && { [OF_FILES.has(tool) ? "path" : "args"]: args }),
    [CONTENT[tool] ?? "content"]: content,
  },
});
