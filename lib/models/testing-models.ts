// A server on loopback in the place of a model's: it keeps what it was asked, and answers as a test says.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type SeenRequest = {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
  readonly body: Record<string, unknown>;
};

export type Behave = (response: ServerResponse, request: SeenRequest, nth: number) => void;

export type ModelServer = { readonly url: string; readonly port: number; readonly requests: readonly SeenRequest[] };

export async function withModelServer<T>(behave: Behave, run: (server: ModelServer) => Promise<T>): Promise<T> {
  const requested: SeenRequest[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString("utf8");
    const one = {
      path: request.url ?? "",
      headers: request.headers,
      text,
      body: JSON.parse(text) as SeenRequest["body"],
    };
    requested.push(one);
    behave(response, one, requested.length);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  try {
    return await run({ url: `http://127.0.0.1:${port}`, port, requests: requested });
  } finally {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
}

/** The JSON answer of a status. */
export const answers =
  (value: unknown, status = 200, headers: Record<string, string> = {}): Behave =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
  };

export const completion = (content: unknown, more: object = {}, choice: object = {}): object => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  model: "small-1-0725",
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content, ...more }, ...choice }],
});

export const message = (text: string, more: object = {}): object => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "small-1-0725",
  content: [{ type: "text", text }],
  stop_reason: "end_turn",
  usage: { input_tokens: 10, output_tokens: 5 },
  ...more,
});

/** What a model should answer. */
export const GOOD = {
  episodic_summary: "The keel was painted twice.",
  critical_issues: [{ fact: "The pump leaks." }],
  unresolved_work: [],
  user_preferences: [{ fact: "Only green paint." }],
  durable_facts: [],
  important_artifacts: [{ fact: "hull.ts" }],
};
