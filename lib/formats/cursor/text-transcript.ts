// The older transcripts of Cursor: plain text, a line `user:` or `assistant:` before each message, and marks before thoughts, calls and
// results, whose own lines are indented.
import type { Draft, SourceRecord } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { paired } from "../messages/call-pairing.ts";
import { parseJson } from "../json-parts.ts";
import { eventAt, type Position } from "../placed-drafts.ts";
import { linesOfText, type LineOfText } from "../lines-of-text.ts";
import { aboutDrafts, callDraft, saidDrafts, type CursorState } from "./cursor-messages.ts";

const ROLE = /^(user|assistant):\s*$/;
const MARK = /^\s*\[(Thinking|Tool call|Tool result)\]\s*(.*)$/;

type Part = {
  readonly role: "user" | "assistant";
  /** The message that it is of, by its number. */
  readonly message: number;
  readonly mark: string | null;
  readonly rest: string;
  readonly lines: string[];
  readonly from: number;
  to: number;
};

export function textDrafts({ bytes, byteStart, byteEnd, line }: SourceRecord, state: CursorState): Draft[] {
  const parts = partsOf(linesOfText(bytes));
  // The whole is one record: what stands between its parts is theirs.
  const drafts: Draft[] = [...aboutDrafts(state), { kind: "session", lane: "", patch: {} }];
  const called = new Set<number>();
  for (const part of parts) {
    const position: Position = {
      ...{ lane: "", ts: null, key: null },
      ...{ byteStart: byteStart + part.from, byteEnd: byteStart + part.to },
    };
    const text = dedented(part.lines).join("\n").trim();
    if (part.role === "user") {
      if (text !== "") drafts.push(...saidDrafts(text, position, state));
      continue;
    }
    const isResult = part.mark === "Tool result";
    if (part.mark === null && text === "") continue;
    const callKey = `n:${part.message}`;
    const body = paired(bodyOf(part, text), `${part.from}`, state.pairing);
    drafts.push(eventAt(position, body, { callKey: isResult ? null : callKey }));
    if (!isResult && !called.has(part.message)) drafts.push(callDraft(callKey));
    if (!isResult) called.add(part.message);
  }
  if (parts.length === 0)
    drafts.push({ kind: "problem", line, byteStart, byteEnd, reason: "No message in this transcript." });
  return drafts;
}

function bodyOf({ mark, rest }: Part, text: string): EventBody {
  switch (mark) {
    case "Thinking":
      return { type: "reasoning", text: [rest, text].filter((one) => one !== "").join("\n") };
    case "Tool call":
      return { type: "tool_call", toolCallId: null, toolName: rest.trim() || "unnamed", input: inputOf(text) };
    case "Tool result":
      return { type: "tool_result", toolCallId: null, text, isError: false, saw: "full" };
  }
  return { type: "assistant", text };
}

/** JSON, or `name=value` a line, or a text. */
function inputOf(text: string): unknown {
  const value = parseJson(text);
  if (value !== undefined) return value;
  const pairs = text.split("\n").map((line) => /^\s*([\w.-]+)\s*[=:]\s*(.*)$/.exec(line));
  if (text === "" || pairs.some((pair) => pair === null)) return text;
  return Object.fromEntries(pairs.map((pair) => [pair![1]!, pair![2]!]));
}

function partsOf(lines: readonly LineOfText[]): Part[] {
  const parts: Part[] = [];
  let [role, message] = ["user" as Part["role"], 0];
  let open: Part | null = null;
  const begin = ({ from, to }: LineOfText, mark: string | null, rest: string): Part => {
    const part: Part = { role, message, mark, rest, lines: [], from, to };
    parts.push(part);
    return part;
  };
  for (const line of lines) {
    const said = ROLE.exec(line.text)?.[1];
    const [, mark, rest = ""] = role === "assistant" ? (MARK.exec(line.text) ?? []) : [];
    if (said !== undefined) {
      role = said === "user" ? "user" : "assistant";
      message++;
      open = begin(line, null, "");
    } else if (mark !== undefined) open = begin(line, mark, rest);
    else {
      // Lines of a thought, a call or a result are indented: one at the margin is the agent's own.
      const isOutside = open?.mark != null && /^\S/.test(line.text);
      if (open === null || isOutside) open = begin(line, null, "");
      open.lines.push(line.text);
      open.to = line.to;
    }
  }
  return parts.filter((part) => part.to > part.from);
}

function dedented(lines: readonly string[]): string[] {
  const indents = lines.filter((line) => line.trim() !== "").map((line) => line.length - line.trimStart().length);
  const least = indents.length === 0 ? 0 : Math.min(...indents);
  return lines.map((line) => line.slice(least));
}
