// A receiver of webhooks on the loopback, and a session of Claude Code (synthetic) that grows.
import { appendFileSync, mkdirSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname } from "node:path";
import { randomUUID } from "node:crypto";

export type Received = {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: { readonly type: string; readonly timestamp: string; readonly data: Record<string, unknown> };
};

export type Receiver = {
  readonly port: number;
  readonly url: string;
  readonly received: Received[];
  /** How it answers from now on: 204 unless told. */
  answer: (response: ServerResponse) => void;
  /** Resolves when so many came, and fails when they do not. */
  has(count: number): Promise<Received[]>;
  close(): Promise<void>;
};

export const taken = (response: ServerResponse): void => void response.writeHead(204).end();

export async function openReceiver(port = 0): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      received.push({ headers: request.headers, text, body: JSON.parse(text) as Received["body"] });
      receiver.answer(response);
    });
  });
  await new Promise<void>((done) => server.listen(port, "127.0.0.1", done));
  const at = (server.address() as AddressInfo).port;
  const receiver: Receiver = {
    port: at,
    url: `http://127.0.0.1:${at}/hook?key=pier-7`,
    received,
    answer: taken,
    has: async (count) => {
      await until(
        () => received.length >= count,
        () => `${received.length} of ${count} messages came`,
      );
      return received;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  return receiver;
}

/** Answers wait, and have this status, until what it gives is called. */
export function holdAnswers(receiver: Receiver, status: number): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  receiver.answer = (response) => void promise.then(() => response.writeHead(status).end());
  return resolve;
}

/** Waits for what takes as long as the machine lets it; fails after so many seconds. */
export async function until(
  is: () => boolean,
  what: () => string = () => "it did not happen",
  seconds = 20,
): Promise<void> {
  for (let i = 0; i < seconds * 50; i++) {
    if (is()) return;
    await new Promise((resume) => setTimeout(resume, 20));
  }
  throw new Error(what());
}

/** Long enough for what must not happen to have happened. */
export const aMoment = (): Promise<void> => new Promise((resume) => setTimeout(resume, 150));

/** A session file that a test appends to; `at`: of its records, milliseconds since 1970. */
export function growingSession(
  path: string,
  title = "Chart the reef",
  begunAt = Date.now() - 1000,
): (record: object, at?: number) => void {
  mkdirSync(dirname(path), { recursive: true });
  const session = randomUUID();
  const append = (record: object, at = Date.now()): void =>
    appendFileSync(
      path,
      `${JSON.stringify({
        uuid: randomUUID(),
        parentUuid: null,
        sessionId: session,
        isSidechain: false,
        userType: "external",
        version: "2.1.219",
        timestamp: new Date(at).toISOString(),
        ...record,
      })}\n`,
    );
  append({ type: "user", message: { role: "user", content: title } }, begunAt);
  return append;
}

/** An answer that was sent so many tokens, of a load line of 167,000. */
export const answered = (tokens: number): object => ({
  type: "assistant",
  message: {
    id: `msg_${randomUUID()}`,
    role: "assistant",
    model: "claude-opus-5",
    content: [{ type: "text", text: "On." }],
    stop_reason: "end_turn",
    usage: { input_tokens: tokens, output_tokens: 5 },
  },
});

export const tooLong = {
  type: "assistant",
  isApiErrorMessage: true,
  message: {
    id: "msg_refused",
    role: "assistant",
    model: "<synthetic>",
    content: [{ type: "text", text: "Prompt is too long" }],
    usage: { input_tokens: 0, output_tokens: 0 },
  },
};

export const compacted = {
  type: "system",
  subtype: "compact_boundary",
  content: "Conversation compacted",
  compactMetadata: { trigger: "auto", preTokens: 155_000 },
};
