// The byte doors of artifacts: what agents store comes in as it is, piece by piece and of any size; what is stored goes
// out in ranges, under its digest. A stream that breaks off, lies about its digest or is refused leaves nothing.
import type { IncomingMessage } from "node:http";
import { heldSessionId } from "#lib/archive/artifacts/held-session.ts";
import { requireRoom } from "#lib/archive/artifacts/quota.ts";
import { storeArtifact } from "#lib/archive/artifacts/store-artifact.ts";
import { recordOutput } from "#lib/archive/artifacts/record-output.ts";
import { lostBytes, openRaw, type RawArtifact } from "#lib/archive/artifacts/open-raw.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { withExtension } from "#lib/kernel/artifacts/content-type.ts";
import { fail, isAppError } from "#lib/kernel/errors.ts";
import type { Content } from "#lib/archive/artifacts/stage.ts";
import { outputQuery, storeQuery } from "#lib/wire/held-schema.ts";
import type { z } from "zod";
import { sendBytes } from "./bytes.ts";
import { digestHeader } from "./content-digest.ts";
import { artifactParams, checked, sessionParams } from "./params.ts";
import { sendJson } from "./server.ts";
import type { Door, DoorCall } from "./server.ts";

export function artifactDoors(archive: Archive): readonly (readonly [string, Door])[] {
  return [
    ["GET /api/artifacts/:pointer/raw", (call) => sendRaw(archive, call)],
    [
      "POST /api/sessions/:id/artifacts",
      async (call) => {
        const { id } = checked(sessionParams, call.params, "path");
        const query = queryOf(storeQuery, call.query);
        const type = query.type ?? typeOf(call.request);
        const digest = digestOf(call.request, query.digest);
        const { name, tool, call: toolCallId, turn, description, ttl } = query;
        const wish = given({ name, toolName: tool, toolCallId, turn, description, ttlSeconds: ttl, contentType: type });
        // Few bytes are here before they could be refused: they are where they are written. A token that sees one session is
        // refused here, whatever is stored already.
        if (!isSmall(call.request) || call.holder?.session != null)
          requireRoom(archive, heldSessionId(archive, id), lengthOf(call.request), knownBytes(call, digest.digest));
        await taking(call, async (body) => {
          const stored = await storeArtifact(archive, { session: id, origin: "upload", ...wish, ...digest }, body);
          sendJson(call.response, 201, stored);
        });
      },
    ],
    [
      "POST /api/sessions/:id/outputs",
      async (call) => {
        const { id } = checked(sessionParams, call.params, "path");
        const query = queryOf(outputQuery, call.query);
        const digest = digestOf(call.request, undefined);
        const { tool: toolName, call: toolCallId, turn, is_error: isError, used_tokens: usedInputTokens } = query;
        const contentType = query.type ?? typeOf(call.request);
        const availableTools = query.tools?.split(",").filter((name) => name !== "");
        const input = query.input === undefined ? undefined : jsonOr(query.input);
        const wish = given({ toolCallId, turn, contentType, usedInputTokens, availableTools, input });
        if (!isSmall(call.request)) heldSessionId(archive, id);
        await taking(call, async (body) => {
          const answer = await recordOutput(archive, { session: id, toolName, isError, ...wish, ...digest }, body);
          sendJson(call.response, 200, answer);
        });
      },
    ],
  ];
}

/** What a call asked: a value, or the text as it is where it is no JSON. */
function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Runs `take` with the body; a sender that went away is told nothing, and is no failure of ours. */
async function taking({ request, response, begin }: DoorCall, take: (body: Content) => Promise<void>) {
  const body = piecesOf(request);
  begin();
  try {
    await take(isSmall(request) ? await wholeOf(request) : body);
  } catch (error) {
    if (request.destroyed && !request.complete) return void response.destroy();
    throw error;
  } finally {
    // What nobody reads any more is thrown away by the server, which needs the body to be let go.
    await body.return(undefined);
  }
}

// Of one piece or two: taken in whole, it saves a small put the machinery of a stream.
const SMALL_BYTES = 64 * 1024;

const isSmall = ({ headers }: IncomingMessage): boolean =>
  headers["content-length"] !== undefined &&
  Number(headers["content-length"]) <= SMALL_BYTES &&
  headers.expect === undefined;

/** Listens for the pieces: an iterator of a stream takes more than all else that a small put costs this thread. */
function wholeOf(request: IncomingMessage): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const pieces: Uint8Array[] = [];
    request.on("data", (piece: Uint8Array) => pieces.push(piece));
    request.once("end", () => resolve(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)));
    request.once("error", reject);
    request.once("close", () => request.readableEnded || reject(new Error("The sender went away.")));
  });
}

/** The body piece by piece. It is not destroyed when it is refused, so that the refusal can still be sent. */
async function* piecesOf(request: IncomingMessage): AsyncGenerator<Uint8Array, undefined> {
  yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  return undefined;
}

function queryOf<T>(schema: z.ZodType<T>, query: URLSearchParams): T {
  return checked(schema, Object.fromEntries(query), "query");
}

// Said by clients that were told nothing: curl's form type, and what fetch writes for any string. What the bytes are is
// found out from them then.
const UNTOLD = /^(application\/octet-stream|application\/x-www-form-urlencoded|text\/plain;charset=UTF-8)?$/;

function typeOf(request: IncomingMessage): string | undefined {
  const header = (request.headers["content-type"] ?? "").trim();
  const type = header.split(";")[0]?.trim().toLowerCase() ?? "";
  if (type.startsWith("multipart/"))
    fail(
      "unsupported",
      "A form is not taken apart here: send the bytes themselves as the body, one artifact a request.",
    );
  if (header.length > 200) fail("invalid", "A Content-Type may have at most 200 characters.");
  return UNTOLD.test(header) ? undefined : header;
}

function lengthOf(request: IncomingMessage): number | null {
  const length = request.headers["content-length"];
  return length === undefined ? null : Number(length);
}

// Whether bytes of this digest are stored already is not told to a token that sees one session.
const knownBytes = ({ holder }: DoorCall, digest: string | undefined): string | null =>
  holder?.session == null ? (digest ?? null) : null;

/** What the body must hash to: `?digest=` or the header `Content-Digest`; both must say the same. */
function digestOf(request: IncomingMessage, asked: string | undefined): { digest?: string } {
  const told = digestHeader(request.headersDistinct["content-digest"]);
  if (told !== null && asked !== undefined && told !== asked)
    fail("invalid", "Content-Digest and ?digest= name different digests. Nothing was read.");
  const digest = asked ?? told;
  return digest === null ? {} : { digest };
}

/** Without what was not said. */
function given<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

async function sendRaw(archive: Archive, { request, response, params, query }: DoorCall): Promise<void> {
  const { pointer } = checked(artifactParams, params, "path");
  const found = await openRaw(archive, pointer);
  if (found.kind !== "bytes") return sendGone(response, found);
  const name = withExtension(found.name ?? found.pointer.replace(":", "-"), found.contentType);
  try {
    await sendBytes(request, response, { ...found, name }, query.get("inline") === "1");
  } catch (error) {
    // The blob store refuses a blob that does not match its name before its first byte.
    if (response.headersSent || !isAppError(error)) throw error;
    for (const header of ["ETag", "Content-Disposition", "Accept-Ranges"]) response.removeHeader(header);
    sendGone(response, lostBytes(archive, pointer));
  }
}

/** 410 says that it was there once, and what it was. */
function sendGone(response: DoorCall["response"], found: RawArtifact): void {
  if (found.kind === "bytes") return;
  const code = found.kind === "gone" ? "artifact_gone" : "artifact_corrupt";
  response.setHeader("Cache-Control", "no-store");
  sendJson(response, 410, { error: { code, message: found.message }, artifact: found.was });
}
