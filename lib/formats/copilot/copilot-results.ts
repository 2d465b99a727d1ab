// Results of Copilot's tools: what the model saw. A long output is cut, and lies whole in a temporary file that the text names.
import type { Attachment, Draft } from "#lib/kernel/draft.ts";
import type { EventBody, ImagePart, ResultDetail } from "#lib/kernel/event.ts";
import { asArray, asNumber, asObject, asText, type Json } from "../json.ts";
import { draftOf, type Line } from "./copilot-drafts.ts";

const STORED = /Saved to: ([^\n]+?-copilot-tool-output-[\w-]+\.txt)/;

/** A patch longer than this is left to the raw record (lines). */
const PATCH_LINES = 400;

export function copilotResult(data: Json, line: Line): Draft {
  const result = asObject(data["result"]);
  const error = asObject(data["error"]);
  const isError = data["success"] === false;
  const text = asText(result["content"]) ?? asText(error["message"]) ?? "";
  const storedPath = STORED.exec(text.slice(0, 2000))?.[1];
  const { properties, restrictedProperties } = asObject(data["toolTelemetry"]);
  const storedBytes = Number(asText(asObject(properties)["largeOutputOriginalSizeBytes"]) ?? Number.NaN);
  const { images, attachments } = imagesOf(result);
  const detail = detailOf(data, asObject(restrictedProperties));
  const body: EventBody = {
    type: "tool_result",
    toolCallId: asText(data["toolCallId"]),
    text,
    isError,
    saw: storedPath === undefined ? "full" : "preview",
    ...(images.length > 0 && { images }),
    ...(storedPath !== undefined && { storedPath, offloadedBy: "agent" as const }),
    ...(storedPath !== undefined && Number.isSafeInteger(storedBytes) && { storedBytes }),
    ...(Object.keys(detail).length > 0 && { detail }),
  };
  return draftOf(line, body, { attachments });
}

function detailOf(data: Json, restricted: Json): ResultDetail {
  const exitCode = asNumber(asObject(data["shellExecution"])["exitCode"]);
  const agentId = asText(restricted["agent_id"]);
  const edits = asArray(data["fileEdits"]);
  const filePath = asText(asObject(edits[0])["path"]);
  const patch = edits.length === 0 ? [] : hunksOf(asText(asObject(data["result"])["detailedContent"]) ?? "");
  return {
    ...(exitCode !== null && Number.isInteger(exitCode) && { exitCode }),
    ...(agentId !== null && agentId !== "" && { agentId }),
    ...(filePath !== null && { filePath }),
    ...(patch.length > 0 && { patch }),
  };
}

/** The hunks of a unified diff. */
function hunksOf(diff: string): NonNullable<ResultDetail["patch"]> {
  const hunks: NonNullable<ResultDetail["patch"]> = [];
  let count = 0;
  for (const line of diff.split("\n")) {
    const [, oldStart, newStart] = /^@@ -(\d{1,9})(?:,\d+)? \+(\d{1,9})(?:,\d+)? @@/.exec(line) ?? [];
    if (oldStart !== undefined) hunks.push({ oldStart: Number(oldStart), newStart: Number(newStart), lines: [] });
    else if (/^[ +-]/.test(line)) hunks.at(-1)?.lines.push(line);
    if (++count > PATCH_LINES) return [];
  }
  return hunks;
}

/** Images that the model was given; those of which only the size was kept are named in the raw record. */
function imagesOf(result: Json): { images: ImagePart[]; attachments: Attachment[] } {
  const attachments = asArray(result["binaryResultsForLlm"]).flatMap((one): Attachment[] => {
    const { data, mimeType } = asObject(one);
    const mediaType = asText(mimeType) ?? "";
    return typeof data === "string" && mediaType.startsWith("image/") ? [{ mediaType, base64: data }] : [];
  });
  const images = attachments.map(({ mediaType }, attachment) => ({
    mediaType,
    attachment,
    artifact: null,
    width: null,
    height: null,
  }));
  return { images, attachments };
}
