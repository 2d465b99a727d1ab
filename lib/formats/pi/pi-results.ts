// Results of pi's tools: what the model saw, and what the client knew beside it. A long output of a command is cut to its end;
// the whole lies in a temporary file that the text names.
import type { Draft } from "#lib/kernel/draft.ts";
import type { EventBody, ResultDetail } from "#lib/kernel/event.ts";
import { asObject, asText, asWhole, type Json } from "../json.ts";
import { draftOf, type Entry } from "./pi-drafts.ts";
import { readPiContent } from "./pi-content.ts";

/** A patch longer than this is left to the raw record (lines). */
const PATCH_LINES = 400;

/** The note that a cut output ends with, and in a failed command's the words on how it ended behind it. */
const FULL_OUTPUT = /\[Showing (?:lines|last) [^\n]*Full output: ([^\n]+?)\](?:\s*\n[^\n]*)?\s*$/;
const EXIT_CODE = /(?:^|\n)Command exited with code (-?\d{1,10})\s*$/;
const BROKEN_OFF = /(?:^|\n)(?:Command aborted|Operation aborted)\s*$/;

export function toolResult(message: Json, entry: Entry): Draft {
  const { text, blocks, images, attachments } = readPiContent(message["content"]);
  const details = asObject(message["details"]);
  const truncation = asObject(details["truncation"]);
  const isError = message["isError"] === true;
  const storedPath = asText(details["fullOutputPath"]) ?? FULL_OUTPUT.exec(text.slice(-2000))?.[1]?.trim();
  const storedBytes = asWhole(truncation["totalBytes"]);
  const detail = detailOf(text.slice(-2000), isError, details);
  const body: Extract<EventBody, { type: "tool_result" }> = {
    type: "tool_result",
    toolCallId: asText(message["toolCallId"]),
    text,
    isError,
    saw: storedPath === undefined ? "full" : "preview",
    ...(images.length > 0 && { images }),
    ...(blocks.length > 0 && { blocks: [...blocks] }),
    ...(storedPath !== undefined && { storedPath, offloadedBy: "agent" as const }),
    ...(storedPath !== undefined && storedBytes !== null && { storedBytes }),
    ...(Object.keys(detail).length > 0 && { detail }),
  };
  return draftOf(entry, body, { attachments });
}

function detailOf(end: string, isError: boolean, details: Json): ResultDetail {
  const exitCode = isError ? EXIT_CODE.exec(end)?.[1] : undefined;
  const totalLines = asWhole(asObject(details["truncation"])["totalLines"]);
  const patch = patchOf(asText(details["diff"]) ?? "");
  return {
    ...(exitCode !== undefined && { exitCode: Number(exitCode) }),
    ...(isError && BROKEN_OFF.test(end) && { interrupted: true }),
    ...(totalLines !== null && { totalLines }),
    ...(patch.length > 0 && { patch }),
  };
}

/** The diff of an edit: each line with its number, `...` where lines are left out. Early ones have no signs at all. */
function patchOf(diff: string): NonNullable<ResultDetail["patch"]> {
  const hunks: NonNullable<ResultDetail["patch"]> = [];
  let open = false;
  let count = 0;
  for (const line of diff === "" ? [] : diff.split("\n")) {
    const found = /^([ +-])\s*(\d{1,9}) (.*)$/s.exec(line);
    if (found === null) {
      if (!/^ +\.\.\.$/.test(line)) return [];
      open = false;
      continue;
    }
    const [, sign = " ", number = "1", text = ""] = found;
    if (!open) hunks.push({ oldStart: Number(number), newStart: Number(number), lines: [] });
    open = true;
    hunks.at(-1)!.lines.push(sign + text);
    if (++count > PATCH_LINES) return [];
  }
  return hunks;
}
