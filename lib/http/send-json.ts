import { STATUS_CODES, type ServerResponse } from "node:http";
import type { ProblemAnswer } from "#lib/wire/common-schema.ts";

/** JSON with its length. */
export const sendJson = (response: ServerResponse, status: number, value: unknown): void =>
  send(response, status, value, "application/json; charset=utf-8");

/** A refusal as problem details (RFC 9457). `error` is what clients of before read. */
export const sendProblem = (response: ServerResponse, status: number, error: ProblemAnswer["error"]): void =>
  send(response, status, problemOf(status, error), PROBLEM_TYPE);

const PROBLEM_TYPE = "application/problem+json";

export function problemOf(status: number, error: ProblemAnswer["error"]): ProblemAnswer {
  const { code, message } = error;
  return {
    type: `urn:plimsoll:problem:${code}`,
    title: STATUS_CODES[status] ?? "Error",
    status,
    detail: message,
    error,
  };
}

/** An answer that was given before, as it was kept; null where only its status was. */
export function sendKept(response: ServerResponse, status: number, answer: string | null): void {
  if (answer !== null)
    return sendText(response, status, answer, status < 400 ? "application/json; charset=utf-8" : PROBLEM_TYPE);
  response.writeHead(status, { "content-length": 0, "cache-control": "no-store" }).end();
}

const send = (response: ServerResponse, status: number, value: unknown, type: string): void =>
  sendText(response, status, JSON.stringify(value), type);

function sendText(response: ServerResponse, status: number, text: string, type: string): void {
  const body = Buffer.from(text);
  response.writeHead(status, { "content-type": type, "content-length": body.length, "cache-control": "no-store" });
  response.end(body);
}
