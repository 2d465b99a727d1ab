// Calls of tools that the provider runs, as the blocks that an agent's own tools have. There is a type for the result of each tool, and
// new ones come; all of them end the same way.
import { jsonText } from "#lib/kernel/json-text.ts";
import { asArray, asObject, asText, isObject, type Json } from "../json.ts";

/** An advisor's answer is a call of its own (iterations.ts). */
export const isHostedResult = (type: unknown): boolean =>
  typeof type === "string" && type.endsWith("_tool_result") && type !== "advisor_tool_result";

export const isHostedCall = (type: unknown): boolean => type === "server_tool_use" || type === "mcp_tool_use";

/** Of an MCP server that the provider asks, as agents name the tools of theirs. */
export function hostedName(block: Json): string {
  const [name, server] = [asText(block["name"]) ?? "unnamed", asText(block["server_name"])];
  return server === null ? name : `mcp__${server}__${name}`;
}

/** A result as that of an agent's own tool: `content` is a text or a list of blocks. */
export function hostedResult(block: Json): Json {
  const { content } = block;
  if (!isObject(content)) return block;
  const failed = asText(content["error_code"]);
  if (failed !== null) {
    const why = asText(content["error_message"]);
    return { ...block, is_error: true, content: why === null ? failed : `${failed}: ${why}` };
  }
  const page = content["content"];
  const stdout = asText(content["stdout"]) ?? asText(content["encrypted_stdout"]);
  if (stdout !== null) {
    const said = [stdout, asText(content["stderr"]) ?? ""].filter((text) => text !== "").join("\n");
    const isError = content["return_code"] !== 0;
    return { ...block, is_error: isError, content: [{ type: "text", text: said }, ...asArray(page)] };
  }
  // What was fetched is one block, what was viewed a text.
  if (typeof page === "string") return { ...block, content: page };
  return { ...block, content: asObject(page)["type"] === "document" ? [page] : jsonText(content) };
}
