// Bytes: what is stored, as it is stored, with its length, in ranges.
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Call } from "./endpoint.ts";
import { SANDBOX_POLICY } from "./headers.ts";

type ByteRange = { readonly start: number; readonly end: number };

export type Bytes = {
  readonly name: string;
  readonly sizeBytes: number;
  readonly contentType: string;
  /** The digest where the bytes have one: they can never change. */
  readonly digest: string | null;
  readonly read: (range?: ByteRange) => AsyncIterable<Uint8Array>;
};

/** Sends bytes, or the part that is asked for. `inline` shows them in the browser, without any right. */
export async function sendBytes(
  request: IncomingMessage,
  response: ServerResponse,
  bytes: Bytes,
  inline: boolean,
): Promise<void> {
  const etag = bytes.digest === null ? null : `"${bytes.digest}"`;
  response.setHeader("Accept-Ranges", "bytes");
  nameBytes(response, bytes, inline);
  if (etag) {
    response.setHeader("ETag", etag);
    response.setHeader("Cache-Control", "private, no-cache");
    if (matches(request.headers["if-none-match"], etag)) return void response.writeHead(304).end();
  }

  const ifRange = request.headers["if-range"];
  const wanted = ifRange === undefined || ifRange === etag ? request.headers.range : undefined;
  const range = parseRange(wanted, bytes.sizeBytes);
  if (range === "unsatisfiable") {
    response.writeHead(416, { "content-range": `bytes */${bytes.sizeBytes}`, "content-length": 0 }).end();
    return;
  }
  const part = range === "whole" ? null : range;
  const length = part ? part.end - part.start : bytes.sizeBytes;
  const head = (): void => {
    response.setHeader("Content-Length", length);
    if (part) response.setHeader("Content-Range", `bytes ${part.start}-${part.end - 1}/${bytes.sizeBytes}`);
    response.writeHead(part ? 206 : 200);
  };
  if (request.method === "HEAD" || length === 0) {
    head();
    response.end();
    return;
  }
  await sendPieces(response, part ? bytes.read(part) : bytes.read(), head);
}

/** Sends what a source holds, as text or as a file. */
export function sendStored(
  {
    request,
    response,
    query,
  }: Pick<Call<unknown, { readonly inline?: string | undefined }>, "request" | "response" | "query">,
  stored: Pick<Bytes, "name" | "sizeBytes"> & { readonly bytes: Bytes["read"] },
): Promise<void> {
  const bytes = { ...stored, contentType: "text/plain", digest: null, read: stored.bytes };
  return sendBytes(request, response, bytes, query.inline === "1");
}

/** Sends a download whose length only its end tells: in chunks, never in ranges. */
export async function sendStream(
  request: IncomingMessage,
  response: ServerResponse,
  stream: Pick<Bytes, "name" | "contentType"> & { readonly pieces: AsyncIterable<Uint8Array> },
): Promise<void> {
  nameBytes(response, stream, false);
  if (request.method === "HEAD") return void response.writeHead(200).end();
  await sendPieces(response, stream.pieces, () => response.writeHead(200));
}

function nameBytes(
  response: ServerResponse,
  { name, contentType }: Pick<Bytes, "name" | "contentType">,
  inline: boolean,
): void {
  response.setHeader("Content-Security-Policy", SANDBOX_POLICY);
  response.setHeader("X-Frame-Options", "SAMEORIGIN");
  response.setHeader("Content-Disposition", `${inline ? "inline" : "attachment"}; ${fileNameOf(name)}`);
  response.setHeader("Content-Type", inline ? inlineType(contentType) : "application/octet-stream");
}

async function sendPieces(response: ServerResponse, bytes: AsyncIterable<Uint8Array>, head: () => void): Promise<void> {
  // The first piece is fetched before the status is sent, so that bytes which are gone or no longer match
  // their digest are an error with a sentence, not a download that breaks.
  const pieces = bytes[Symbol.asyncIterator]();
  const first = await pieces.next();
  try {
    head();
    await pipeline(Readable.from(following(first, pieces), { objectMode: false }), response);
  } catch (error) {
    // A reader that went away is no failure of ours.
    if (!response.destroyed) throw error;
  } finally {
    // One that left during the first piece has taken nothing: no stream would close what is open for it.
    await pieces.return?.();
  }
}

async function* following(
  first: IteratorResult<Uint8Array>,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for (let piece = first; !piece.done; piece = await rest.next()) yield piece.value;
}

/** `filename` in plain letters and `filename*` as RFC 5987 says; no line end, quote or path gets through. */
export function fileNameOf(name: string): string {
  const clean =
    Array.from(name.toWellFormed(), (char) => (isUnsafe(char) ? "_" : char))
      .join("")
      .replace(/^\.+/, "_")
      .slice(0, 200) || "bytes";
  const plain = clean.replace(/[^A-Za-z0-9._ -]/g, "_");
  const encoded = encodeURIComponent(clean.toWellFormed()).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `filename="${plain}"; filename*=UTF-8''${encoded}`;
}

// Control characters, what paths are made of, and marks that turn the reading direction (`gpj.exe` read backwards).
function isUnsafe(char: string): boolean {
  return /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\:*?"<>|]/u.test(char);
}

// What a browser may draw by itself. All other text is text, so that nothing of it runs, even in the sandbox.
const drawn = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/avif",
  "image/bmp",
  "image/svg+xml",
]);

function inlineType(contentType: string): string {
  const type = contentType.split(";")[0]?.trim().toLowerCase() ?? "";
  if (drawn.has(type)) return type;
  if (type === "text/html") return "text/html; charset=utf-8";
  return type.startsWith("text/") || type.includes("json") || type.includes("xml")
    ? "text/plain; charset=utf-8"
    : "application/octet-stream";
}

function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(",").some((one) => one.trim() === "*" || one.trim().replace(/^W\//, "") === etag);
}

/**
 * The range of a header as RFC 9110 says it (end exclusive), `whole` when there is none or there are several,
 * `unsatisfiable` when it lies outside.
 */
function parseRange(header: string | undefined, sizeBytes: number): ByteRange | "whole" | "unsatisfiable" {
  const match = header === undefined ? null : /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header.trim());
  if (!match || (match[1] === "" && match[2] === "")) return "whole";
  const [, first = "", last = ""] = match;
  if (first === "") {
    const length = Math.min(Number(last), sizeBytes);
    return length === 0 ? "unsatisfiable" : { start: sizeBytes - length, end: sizeBytes };
  }
  const start = Number(first);
  if (last !== "" && Number(last) < start) return "whole";
  if (start >= sizeBytes) return "unsatisfiable";
  return { start, end: last === "" ? sizeBytes : Math.min(Number(last) + 1, sizeBytes) };
}
