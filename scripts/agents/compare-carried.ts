// What an agent sent after it was carried on, beside the dry run: each block of the lines that were shown, in order; and what it put
// there by itself. The prompt that was predicted, beside the one that was charged.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { carryOnAnswer, carryOnList } from "#lib/wire/carry-on-schema.ts";
import type { Server } from "../bench/bench-server.ts";
import { canonicalJson } from "./canonical-json.ts";
import { CARRIED, GO_ON } from "./continuation-scenarios.ts";
import { check, type Check } from "./compare-run.ts";
import type { Run } from "./run-agent.ts";
import { ask } from "./run-sessions.ts";
import type { KeptRequest } from "./script-types.ts";

type Json = Readonly<Record<string, unknown>>;

/** Of the real prompt, so much may the predicted one be off. */
const OFF_SHARE = 0.03;

export async function compareCarried(server: Server, run: Run): Promise<Check[]> {
  const { plan, written } = carryOnAnswer.parse(JSON.parse(readFileSync(join(run.paths.home, CARRIED), "utf8")));
  if (written === null) return [check("carried on", "nothing was written", [plan.reason ?? "no reason"])];
  const request = run.requests.find(({ body }) => JSON.stringify(body).includes(GO_ON));
  if (request?.answer == null)
    return [check("carried on", "never resumed", ["no request has the words that were typed"])];
  const text = readFileSync(written.path).subarray(0, written.sizeBytes).toString("utf8");
  const records = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Json);
  const shown = SHOWN[run.scenario.agent]!(records);
  const sent = sentBlocks(request);
  const { missing, extra } = compareBlocks(shown, sent);
  const typed = extra.filter((block) => !block.includes(GO_ON));
  const { rows } = carryOnList.parse(await ask(server, "/api/carry-ons"));
  const { predicted, real, entered } = rows.find(({ id }) => id === written.id)!.tokens;
  const off = real === null ? 1 : Math.abs(predicted + (entered ?? 0) - real) / real;
  const summary = plan.summary;
  return [
    check(
      "carried on",
      `${shown.length - missing.length} of ${shown.length} blocks as shown, ${typed.length} of the agent's own`,
      [
        records.length !== plan.lines.length && `${records.length} lines were written, ${plan.lines.length} shown`,
        summary !== null &&
          !shown.some((block) => block.includes(JSON.stringify(summary).slice(1, -1))) &&
          "the summary is another",
        missing.length > 0 && `not sent: ${missing.map((block) => block.slice(0, 120)).join(" | ")}`,
      ],
    ),
    check("predicted", `${predicted} + ${entered ?? "?"} of ${real ?? "?"} (${(off * 100).toFixed(2)} % off)`, [
      off > OFF_SHARE && `more than ${OFF_SHARE * 100} % off`,
    ]),
  ];
}

/** Shown blocks that were not sent, in the order in which they were shown; and what was sent beside them. */
function compareBlocks(shown: readonly string[], sent: readonly string[]) {
  const extra = [...sent];
  let from = 0;
  const missing = shown.filter((block) => {
    const at = extra.indexOf(block, from);
    if (at < 0) return true;
    extra.splice(at, 1);
    from = at;
    return false;
  });
  return { missing, extra };
}

/** Messages of a person, the model and tools; a system message is the agent's announcement. */
function sentBlocks({ body }: KeptRequest): string[] {
  const list = (body["messages"] ?? body["input"]) as readonly Json[];
  return list.flatMap((message) =>
    message["role"] === "system" || message["role"] === "developer" ? [] : blocksOf(message),
  );
}

function blocksOf(message: Json): string[] {
  const { role, content } = message;
  if (content === undefined || message["type"] === "reasoning") return [plainJson(message)];
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : (content as readonly Json[]);
  return blocks.map((block) => plainJson({ role, ...block, ...textOf(block) }));
}

/** Claude Code parts texts that it puts into one message with a line break. */
const textOf = ({ text }: Json): Json =>
  typeof text === "string" ? { type: "text", text: text.replace(/\n$/, "") } : {};

/** Without cache marks and what a provider's answer had beside. */
const plainJson = ({ cache_control: _mark, caller: _caller, ...block }: Json): string => canonicalJson(block);

const SHOWN: Readonly<Record<string, (records: readonly Json[]) => string[]>> = {
  codex: (records) => {
    const start = records.findLastIndex(({ type }) => type === "compacted");
    return records.slice(Math.max(0, start)).flatMap(({ type, payload }) => {
      const {
        replacement_history: history,
        internal_chat_message_metadata_passthrough: _beside,
        ...item
      } = payload as Json;
      const items = type === "compacted" ? (history as readonly Json[]) : type === "response_item" ? [item] : [];
      return items.filter(({ role }) => role !== "developer").flatMap(blocksOf);
    });
  },
  pi: (records) => {
    const compaction = records.findLast(({ type }) => type === "compaction");
    const start = records.findIndex(({ id }) => compaction === undefined || id === compaction["firstKeptEntryId"]);
    const kept = start < 0 ? [] : records.slice(start).filter(({ type }) => type === "message");
    const summary = compaction === undefined ? [] : [{ role: "user", text: piSummary(String(compaction["summary"])) }];
    return [
      ...summary.flatMap(({ role, text }) => blocksOf({ role, content: text })),
      ...kept.flatMap(({ message }) => piBlocks(message as Json)),
    ];
  },
  claude: (records) =>
    records.flatMap((record) =>
      record["type"] === "user" || record["type"] === "assistant" ? blocksOf(record["message"] as Json) : [],
    ),
};

/** The words that pi puts around a summary. */
const piSummary = (text: string): string =>
  `The conversation history before this point was compacted into the following summary:\n\n<summary>\n${text}\n</summary>`;

/** A message of pi's file, as its Anthropic adapter sends it. */
function piBlocks({ role, content, toolCallId, isError }: Json): string[] {
  const blocks = content as readonly Json[];
  if (role === "toolResult") {
    const text = blocks.map((block) => String(block["text"])).join("\n");
    return [
      plainJson({ role: "user", type: "tool_result", tool_use_id: toolCallId, content: text, is_error: isError }),
    ];
  }
  return blocks.flatMap((block) =>
    block["type"] === "toolCall"
      ? [plainJson({ role, type: "tool_use", id: block["id"], name: block["name"], input: block["arguments"] })]
      : blocksOf({ role, content: [block] }),
  );
}
