// OpenTelemetry (OTLP/HTTP): spans, log records and metrics of agents, as JSON or protobuf, packed or not. Answers have the
// encoding of the request, refusals too.
import type { ServerResponse } from "node:http";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { noteReceived } from "#lib/archive/import/telemetry-counts.ts";
import { storeTelemetry } from "#lib/archive/import/telemetry-files.ts";
import { fail } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { piecesOf } from "../body.ts";
import { post, type Call } from "../endpoint.ts";
import { failureOf } from "../failure.ts";
import { decodeRequest, encodeAnswer, encodeStatus, SIGNALS, type Signal } from "../otlp-protobuf.ts";

const JSON_TYPE = "application/json";
const PROTOBUF_TYPE = "application/x-protobuf";

export const telemetryEndpoints = (Object.keys(SIGNALS) as Signal[]).map((signal) =>
  post(`/v1/${signal}`, {
    scope: "telemetry",
    takes: "content",
    unpacks: ["gzip"],
    bodyBytes: LIMITS.telemetryRequestBytes,
    run: (call) => answer(signal, call),
  }),
);

async function answer(signal: Signal, call: Call): Promise<void> {
  const { app, archive, request, response } = call;
  const type = (request.headers["content-type"] ?? "").split(";")[0]!.trim().toLowerCase();
  const isBinary = type === PROTOBUF_TYPE;
  try {
    if (type !== JSON_TYPE && !isBinary)
      return send(response, 415, JSON_TYPE, {
        code: 3,
        message: `Send ${JSON_TYPE} or ${PROTOBUF_TYPE} to /v1/${signal}.`,
      });
    call.begin();
    const stored = await storeTelemetry(archive, parsed(signal, await unpacked(call), isBinary));
    noteReceived(archive, stored);
    app.imports.telemetry(stored);
    const { refused } = stored;
    // What tells of no session is named and counts as taken: a sender can do nothing about it.
    const message = [...stored.reasons, ...stored.dropped].join(" ");
    if (isBinary) return send(response, 200, PROTOBUF_TYPE, encodeAnswer(refused, message));
    const partial = { [SIGNALS[signal].rejected]: String(refused), errorMessage: message };
    send(response, 200, JSON_TYPE, message === "" ? {} : { partialSuccess: partial });
  } catch (error) {
    if (request.destroyed && !request.complete) throw error;
    const { status, error: why } = failureOf(error, `POST /v1/${signal}`);
    // 3: invalid argument, 8: resource exhausted, 13: internal.
    const code = status < 500 ? (status === 413 ? 8 : 3) : 13;
    if (!request.complete) response.setHeader("Connection", "close");
    const body = isBinary ? encodeStatus(code, why.message) : { code, message: why.message };
    // What a full disk refuses may be sent again: 503 is what exporters retry.
    send(response, status === 507 ? 503 : status === 422 ? 400 : status, isBinary ? PROTOBUF_TYPE : JSON_TYPE, body);
  }
}

function parsed(signal: Signal, bytes: Buffer, isBinary: boolean): unknown {
  try {
    const request: unknown = isBinary ? decodeRequest(signal, bytes) : JSON.parse(bytes.toString("utf8"));
    const { resources } = SIGNALS[signal];
    // An exporter with nothing to send sends an empty request.
    return isEmpty(request) ? { [resources]: [] } : request;
  } catch (error) {
    const kind = isBinary ? "protobuf" : "JSON";
    const why = error instanceof Error ? error.message : String(error);
    return fail("invalid", `The body is not an OTLP request for /v1/${signal} in ${kind}: ${why}.`, error);
  }
}

const isEmpty = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;

const inflate = promisify(gunzip);

async function unpacked({ request }: Pick<Call, "request">): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of piecesOf(request)) {
    size += piece.length;
    if (size > LIMITS.telemetryRequestBytes)
      fail("too_large", `A request may have ${LIMITS.telemetryRequestBytes} bytes. Send smaller batches.`);
    pieces.push(piece);
  }
  const bytes = Buffer.concat(pieces);
  if (request.headers["content-encoding"] !== "gzip") return bytes;
  try {
    return await inflate(bytes, { maxOutputLength: LIMITS.telemetryUnpackedBytes });
  } catch (error) {
    if ((error as { code?: string }).code === "ERR_BUFFER_TOO_LARGE")
      fail("too_large", `The body unpacks to over ${LIMITS.telemetryUnpackedBytes} bytes. Send smaller batches.`);
    return fail("invalid", "The body is not gzip, as its Content-Encoding says.", error);
  }
}

function send(response: ServerResponse, status: number, type: string, body: object): void {
  const bytes = body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body));
  response.writeHead(status, { "content-type": type, "content-length": bytes.length, "cache-control": "no-store" });
  response.end(bytes);
}
