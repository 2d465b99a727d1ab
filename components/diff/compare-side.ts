"use client";
// One side of a comparison: an artifact, or the output of an event that is no artifact because it is short.
import { queryOptions, type QueryClient } from "@tanstack/react-query";
import { artifactTitle } from "#lib/kernel/log/artifact-title.ts";
import { toolSummary } from "#lib/kernel/log/tool-summary.ts";
import { fail } from "#lib/kernel/errors.ts";
import { eventText } from "#lib/kernel/event.ts";
import type { ArtifactView } from "#lib/wire/artifacts-schema.ts";
import { artifactQuery } from "../shared/artifact-queries.ts";
import { isImage, isJson, isJsonLines, isText } from "../shared/content-kind.ts";
import { outputPath } from "../shared/event-queries.ts";
import { eventHref } from "../shared/load-cursor.ts";
import { artifactPath, rawArtifactPath, wholeEventQuery } from "../shared/session-queries.ts";
import type { SideSource } from "./diff-words.ts";

export type CompareSide = {
  readonly name: string;
  readonly href: string;
  readonly rawHref: string;
  /** The content's own id; null for a text of the log. */
  readonly id: string | null;
  /** Of an artifact; null for a text of the log. */
  readonly pointer: string | null;
  readonly sessionId: string;
  readonly seq: number | null;
  readonly at: string | null;
  readonly sizeBytes: number;
  readonly lineCount: number | null;
  readonly isText: boolean;
  readonly isImage: boolean;
  readonly json: SideSource["json"];
  /** Equal for equal bytes. */
  readonly identity: string;
  /** Why it cannot be read; null where it can. */
  readonly gone: string | null;
};

/** Names a side in the address: an artifact's pointer, else the session and the event. */
export const sideRef = (session: string, row: { readonly artifact: string | null; readonly seq: number }): string =>
  row.artifact ?? `${session}.${row.seq}`;

const EVENT_REF = /^(s_[0-9a-f]{4,16})\.(\d{1,12})$/u;

export const comparePath = (left: string, right?: string): string =>
  `/artifacts/compare?left=${encodeURIComponent(left)}${right === undefined ? "" : `&right=${encodeURIComponent(right)}`}`;

export const sideQuery = (ref: string) =>
  queryOptions({
    queryKey: ["compare", "side", ref],
    queryFn: ({ client }): Promise<CompareSide> => {
      const event = EVENT_REF.exec(ref);
      return event === null ? ofArtifact(client, ref) : ofEvent(client, event[1]!, Number(event[2]));
    },
    retry: false,
  });

const ofArtifact = async (client: QueryClient, pointer: string): Promise<CompareSide> =>
  artifactSide(await client.fetchQuery(artifactQuery(pointer)));

function artifactSide(artifact: ArtifactView): CompareSide {
  const { pointer, id, sessionId, seq, createdAt, sizeBytes, lineCount, digest, state, bytes } = artifact;
  const isGone = state !== "live" || bytes === "missing" || bytes === "damaged";
  return {
    name: artifactTitle(artifact),
    href: artifactPath(pointer),
    rawHref: rawArtifactPath(pointer),
    id,
    pointer,
    sessionId,
    seq,
    at: createdAt,
    sizeBytes,
    lineCount,
    isText: isText(artifact),
    isImage: isImage(artifact),
    json: isJson(artifact) ? (isJsonLines(artifact) ? "lines" : "document") : null,
    identity: digest,
    gone: !isGone ? null : state === "live" ? `its bytes are ${bytes}` : `it is ${state}`,
  };
}

async function ofEvent(client: QueryClient, session: string, seq: number): Promise<CompareSide> {
  const event = await client.fetchQuery(wholeEventQuery(session, seq));
  if (event.type !== "tool_result")
    fail("not_found", `Event ${seq} is not a tool result. Choose one that a tool returned.`);
  if (event.artifact !== null) return ofArtifact(client, event.artifact);
  const call = event.pairSeq === null ? null : await client.fetchQuery(wholeEventQuery(session, event.pairSeq));
  const input = call?.body.type === "tool_call" ? toolSummary(call.body.toolName, call.body.input) : "";
  const text = eventText(event.body);
  return {
    name: `${event.toolName ?? "Output"} ${input}`.trim().slice(0, 200),
    href: eventHref(session, event.pairSeq ?? seq),
    rawHref: outputPath(session, seq),
    id: null,
    pointer: null,
    sessionId: session,
    seq,
    at: event.ts,
    sizeBytes: new TextEncoder().encode(text).length,
    lineCount: text === "" ? 0 : text.replace(/\n$/u, "").split("\n").length,
    isText: true,
    isImage: false,
    json: holdsJson(text) ? "document" : null,
    identity: `text ${text}`,
    gone: null,
  };
}

/** An object or a list: of a bare number or string there is nothing to lay out. */
function holdsJson(text: string): boolean {
  if (!/^\s*[[{]/u.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
