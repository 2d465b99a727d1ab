// The context that the log alone gives, beside the request that was sent: what the model said and what its tools gave it, in
// order. For runs in which the agent takes something back, as no request of its file is asked for here.
import type { Server } from "../bench/bench-server.ts";
import { firstDifference } from "./canonical-json.ts";
import { check, type Check, type Pair } from "./compare-run.ts";
import type { Body } from "./script-types.ts";

type Block = Readonly<Record<string, unknown>>;

/** Of every answered request of the agent's own conversation. */
export async function compareLog(server: Server, pairs: readonly Pair[]): Promise<Check> {
  const problems: string[] = [];
  const own = pairs.filter(({ request, shown }) => shown !== null && request.lane === "main");
  for (const { request, shown } of own) {
    const path = `/api/sessions/${shown!.session}/context/raw?as=anthropic&at=${shown!.seq}`;
    const log = JSON.parse((await server.ask("GET", path)).text) as Body;
    const found = firstDifference(spokenIn(request.body), spokenIn(log), "turns");
    if (found !== null) problems.push(`request ${request.n} ${found.path}: sent ${found.sent}, shown ${found.shown}`);
  }
  return check("log", `${own.length - problems.length} of ${own.length} contexts as sent`, problems);
}

/** Answers, calls and results of a request, in its order. */
export function spokenIn(body: Body): string[] {
  const messages = Array.isArray(body["messages"]) ? (body["messages"] as Block[]) : [];
  return messages.flatMap(({ role, content }) => {
    const blocks = Array.isArray(content) ? (content as Block[]) : [{ type: "text", text: content }];
    return blocks.flatMap((block) => {
      if (block["type"] === "tool_use") return [`call ${String(block["id"])}`];
      if (block["type"] === "tool_result")
        return [`result ${String(block["tool_use_id"])} ${wordsOf(block["content"])}`];
      return role === "assistant" && block["type"] === "text" ? [`says ${String(block["text"])}`] : [];
    });
  });
}

const wordsOf = (content: unknown): string =>
  Array.isArray(content) ? (content as Block[]).map(({ text }) => String(text)).join("\n") : String(content);
