// The same search for another program: a shell with grep, with curl, our command line, a model's tool call. Pure.
import { shellWord } from "../ui/shell-word.ts";

export type CopyKind = "grep" | "curl" | "plimsoll" | "mcp";

export type Search = {
  readonly pointer: string;
  /** `artifact_id` of the tools. */
  readonly id: string;
  readonly pattern: string;
  readonly words: readonly string[];
};

export function copyOf(kind: CopyKind, { pointer, id, pattern, words }: Search, origin: string): string {
  const isFixed = words.includes("-F");
  if (kind === "grep")
    return [`plimsoll cat ${shellWord(pointer)} | grep -n`, isFixed ? "" : "-E", ...words, "-e", shellWord(pattern)]
      .filter((word) => word !== "")
      .join(" ");
  if (kind === "curl") {
    const request = new URLSearchParams({ pattern, ...(words.length > 0 && { options: words.join(" ") }) });
    const address = `${origin}/api/artifacts/${encodeURIComponent(pointer)}/grep?${request}`;
    return `curl -sS -H "Authorization: Bearer $PLIMSOLL_TOKEN" ${shellWord(address)}`;
  }
  if (kind === "plimsoll")
    // A pattern that begins with a minus comes behind the end of the options.
    return ["plimsoll grep -n", ...words, "--", shellWord(pointer), shellWord(pattern)].join(" ");
  return JSON.stringify(
    {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name: "artifact_grep",
        arguments: { artifact_id: id, pattern, ...(words.length > 0 && { grep_options: words }) },
      },
    },
    null,
    2,
  );
}
