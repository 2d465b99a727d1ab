import { STATUS_CODES, type ServerResponse } from "node:http";
import type { ProblemAnswer } from "#lib/wire/common-schema.ts";

/** JSON with its length. */
export const sendJson = (response: ServerResponse, status: number, value: unknown): void =>
  send(response, status, value, "application/json; charset=utf-8");

/** A refusal as problem details (RFC 9457). `error` is what clients of before read. */
export function sendProblem(response: ServerResponse, status: number, error: ProblemAnswer["error"]): void {
  const { code, message } = error;
  const problem: ProblemAnswer = {
    type: `urn:plimsoll:problem:${code}`,
    title: STATUS_CODES[status] ?? "Error",
    status,
    detail: message,
    error,
  };
  send(response, status, problem, "application/problem+json");
}

function send(response: ServerResponse, status: number, value: unknown, type: string): void {
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(status, { "content-type": type, "content-length": body.length, "cache-control": "no-store" });
  response.end(body);
}
