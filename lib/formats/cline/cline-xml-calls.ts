// Calls that a model writes as text, as Cline and Roo asked it to before providers had tools: `<read_file><path>…</path></read_file>`.
// The answer comes in the next message of the user, behind `[read_file for '…'] Result:`.

const TOOLS = [
  ...["execute_command", "read_file", "write_to_file", "replace_in_file", "apply_diff", "insert_content"],
  ...["search_and_replace", "search_files", "list_files", "list_code_definition_names", "codebase_search"],
  ...["browser_action", "use_mcp_tool", "access_mcp_resource", "ask_followup_question", "attempt_completion"],
  ...["plan_mode_respond", "new_task", "switch_mode", "fetch_instructions", "update_todo_list", "condense"],
  ...["load_mcp_documentation", "web_fetch", "web_search", "use_skill", "generate_image", "run_slash_command"],
];
const CALL = new RegExp(`<(${TOOLS.join("|")})>\\s*(?:(?=<)|</)`, "g");

const WRITES = /^(?:write_to_file|replace_in_file|apply_diff|insert_content|search_and_replace)$/;

export type Piece =
  | { readonly text: string }
  | { readonly toolName: string; readonly input: Readonly<Record<string, string>>; readonly text: string };

/** A text as words and calls, in order. A call without its end is words. */
export function xmlPieces(text: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  CALL.lastIndex = 0;
  for (let found = CALL.exec(text); found !== null; found = CALL.exec(text)) {
    const toolName = found[1]!;
    const close = `</${toolName}>`;
    // A file that is written may hold anything, its own end too: the last one counts.
    const end = WRITES.test(toolName) ? text.lastIndexOf(close) : text.indexOf(close, found.index);
    if (end < found.index) continue;
    if (text.slice(at, found.index).trim() !== "") pieces.push({ text: text.slice(at, found.index).trim() });
    const start = found.index + toolName.length + 2;
    at = end + close.length;
    pieces.push({ toolName, input: paramsOf(text.slice(start, end)), text: text.slice(found.index, at) });
    CALL.lastIndex = at;
  }
  if (at === 0 || text.slice(at).trim() !== "") pieces.push({ text: at === 0 ? text : text.slice(at).trim() });
  return pieces;
}

function paramsOf(text: string): Record<string, string> {
  const params: [string, string][] = [];
  for (let at = 0; ;) {
    const open = /<([a-z_]\w*)>/y;
    open.lastIndex = at + (text.slice(at).length - text.slice(at).trimStart().length);
    const found = open.exec(text);
    if (found === null) break;
    const close = `</${found[1]}>`;
    const isLong = ["content", "diff", "result"].includes(found[1]!);
    const end = isLong ? text.lastIndexOf(close) : text.indexOf(close, open.lastIndex);
    if (end < open.lastIndex) break;
    params.push([found[1]!, text.slice(open.lastIndex, end).replace(/^\n|\n$/g, "")]);
    at = end + close.length;
  }
  return Object.fromEntries(params);
}

const RESULT = /^\[(\w+)(?: for '[^\n]*')?\] Result:\n?/;
const REFUSAL = /^Tool \[(\w+)\] was not executed\b/;

/** The tool of a text that a result begins with, and what of the result stands in the same text. */
export function xmlResult(text: string): { readonly toolName: string; readonly rest: string } | null {
  const found = RESULT.exec(text);
  if (found !== null) return { toolName: found[1]!, rest: text.slice(found[0].length) };
  const refused = REFUSAL.exec(text);
  return refused === null ? null : { toolName: refused[1]!, rest: text };
}
