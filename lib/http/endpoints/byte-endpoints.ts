// The bytes of artifacts: what agents store comes in as it is, piece by piece and of any size; what is stored goes out in ranges,
// under its digest. A stream that breaks off, lies about its digest or is refused leaves nothing.
import type { IncomingMessage, ServerResponse } from "node:http";
import { heldSessionId } from "#lib/archive/artifacts/held-session.ts";
import { lostBytes, openRaw, type RawArtifact } from "#lib/archive/artifacts/open-raw.ts";
import { requireRoom } from "#lib/archive/artifacts/quota.ts";
import { recordOutput } from "#lib/archive/artifacts/record-output.ts";
import type { Content } from "#lib/archive/artifacts/stage.ts";
import { storeArtifact } from "#lib/archive/artifacts/store-artifact.ts";
import { withExtension } from "#lib/kernel/artifacts/content-type.ts";
import { fail, isAppError } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { outputAnswer, outputQuery, storedArtifact, storeQuery } from "#lib/wire/held-schema.ts";
import { piecesOf, wholeBody } from "../body.ts";
import { sendBytes } from "../bytes.ts";
import { digestHeader } from "../content-digest.ts";
import { get, post, type Call } from "../endpoint.ts";
import { inSession, inlineQuery, ofArtifact } from "../params.ts";
import { sendJson } from "../send-json.ts";

export const byteEndpoints = [
  get("/api/artifacts/:pointer/raw", {
    ...ofArtifact,
    query: inlineQuery,
    run: async ({ archive, request, response, params: { pointer }, query }) => {
      const found = await openRaw(archive, pointer);
      if (found.kind !== "bytes") return sendGone(response, found);
      const name = withExtension(found.name ?? found.pointer.replace(":", "-"), found.contentType);
      try {
        await sendBytes(request, response, { ...found, name }, query.inline === "1");
      } catch (error) {
        // The blob store refuses a blob that does not match its name before its first byte.
        if (response.headersSent || !isAppError(error)) throw error;
        for (const header of ["ETag", "Content-Disposition", "Accept-Ranges"]) response.removeHeader(header);
        sendGone(response, lostBytes(archive, pointer));
      }
    },
  }),
  post("/api/sessions/:id/artifacts", {
    scope: "write",
    ...inSession,
    takes: "content",
    bodyBytes: LIMITS.artifactMaxBytes,
    query: storeQuery,
    answer: storedArtifact,
    status: 201,
    run: (call) => {
      const { archive, request, params, principal } = call;
      const { name, tool, call: toolCallId, turn, description, ttl, ...query } = call.query;
      const type = query.type ?? typeOf(request);
      const digest = digestOf(request, query.digest);
      const options = given({
        name,
        toolName: tool,
        toolCallId,
        turn,
        description,
        ttlSeconds: ttl,
        contentType: type,
      });
      // Few bytes are here before they could be refused: they are where they are written. A token that sees one session is
      // refused here, whatever is stored already; whether bytes of a digest are there is not told to it.
      if (!isSmall(request) || principal.session !== null) {
        const known = principal.session === null ? (digest.digest ?? null) : null;
        requireRoom(archive, heldSessionId(archive, params.id), lengthOf(request), known);
      }
      return taking(call, (body) =>
        storeArtifact(archive, { session: params.id, origin: "upload", ...options, ...digest }, body),
      );
    },
  }),
  post("/api/sessions/:id/outputs", {
    scope: "write",
    ...inSession,
    takes: "content",
    bodyBytes: LIMITS.artifactMaxBytes,
    query: outputQuery,
    answer: outputAnswer,
    run: (call) => {
      const { archive, request, params, query } = call;
      const digest = digestOf(request, undefined);
      const { tool: toolName, call: toolCallId, turn, is_error: isError, used_tokens: usedInputTokens } = query;
      const contentType = query.type ?? typeOf(request);
      const availableTools = query.tools?.split(",").filter((name) => name !== "");
      const input = query.input === undefined ? undefined : jsonOr(query.input);
      const options = given({ toolCallId, turn, contentType, usedInputTokens, availableTools, input });
      if (!isSmall(request)) heldSessionId(archive, params.id);
      return taking(call, (body) =>
        recordOutput(archive, { session: params.id, toolName, isError, ...options, ...digest }, body),
      );
    },
  }),
];

/** What a call asked: a value, or the text as it is where it is no JSON. */
function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Runs `take` with the body. */
async function taking<A>({ request, begin }: Call, take: (body: Content) => Promise<A>): Promise<A> {
  const body = piecesOf(request);
  begin();
  try {
    return await take(isSmall(request) ? await wholeBody(request) : body);
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

// Said by clients that were told nothing: curl's form type, and what fetch writes for any string. What the bytes are is
// found out from them then.
const UNKNOWN_TYPE = /^(application\/octet-stream|application\/x-www-form-urlencoded|text\/plain;charset=UTF-8)?$/;

function typeOf(request: IncomingMessage): string | undefined {
  const header = (request.headers["content-type"] ?? "").trim();
  const type = header.split(";")[0]?.trim().toLowerCase() ?? "";
  if (type.startsWith("multipart/"))
    fail("unsupported", "Forms are not accepted. Send the bytes as the body, one artifact per request.");
  if (header.length > 200) fail("invalid", "A Content-Type may have at most 200 characters.");
  return UNKNOWN_TYPE.test(header) ? undefined : header;
}

function lengthOf(request: IncomingMessage): number | null {
  const length = request.headers["content-length"];
  return length === undefined ? null : Number(length);
}

/** What the body must hash to: `?digest=` or the header `Content-Digest`; both must say the same. */
function digestOf(request: IncomingMessage, requested: string | undefined): { digest?: string } {
  const result = digestHeader(request.headersDistinct["content-digest"]);
  if (result !== null && requested !== undefined && result !== requested)
    fail("invalid", "Content-Digest and ?digest= name different digests. Nothing was read.");
  const digest = requested ?? result;
  return digest === null ? {} : { digest };
}

/** Without what was not said. */
function given<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

/** 410 says that it was there once, and what it was. */
function sendGone(response: ServerResponse, found: RawArtifact): void {
  if (found.kind === "bytes") return;
  const code = found.kind === "gone" ? "artifact_gone" : "artifact_corrupt";
  response.setHeader("Cache-Control", "no-store");
  sendJson(response, 410, { error: { code, message: found.message }, artifact: found.was });
}
