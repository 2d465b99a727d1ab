// A provider and a proxy before it, for tests: real sockets on the loopback, files in a folder that is gone afterwards.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, request, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CAPTURE_ENDING, capturedExchange, type CapturedExchange } from "#lib/kernel/captured-record.ts";
import { captureFolder } from "./capture-files.ts";
import { startProxy, type RunningProxy } from "./start-proxy.ts";

export type TestProxy = {
  readonly dir: string;
  readonly proxy: RunningProxy;
  readonly port: number;
  readonly losses: string[];
  /** Sends a request through the proxy, and gives the answer while it comes. */
  send(path: string, options?: Sending): Promise<IncomingMessage>;
  /** The lines of all files, once the proxy has written them. */
  exchanges(): Promise<CapturedExchange[]>;
  /** All bytes that were written. */
  written(): string;
};

export type Sending = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly signal?: AbortSignal;
  readonly port?: number;
};

export async function withProxy(
  provider: RequestListener,
  run: (given: TestProxy & { readonly provider: number }) => Promise<void>,
): Promise<void> {
  const server = createServer(provider);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  try {
    await withProxyTo(`http://127.0.0.1:${port}`, (given) => run({ ...given, provider: port }));
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

export async function withProxyTo(url: string, run: (given: TestProxy) => Promise<void>): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), "plimsoll-proxy-"));
  const losses: string[] = [];
  const proxy = await startProxy({
    archiveDir: dir,
    upstreams: { anthropic: url, openai: `${url}/v1`, gemini: url },
    port: 0,
    command: null,
    onLoss: (reason) => losses.push(reason),
  });
  try {
    await run({
      dir,
      proxy,
      port: proxy.port,
      losses,
      send: (path, options) => send(options?.port ?? proxy.port, path, options),
      exchanges: async () => {
        await proxy.close();
        return linesOf(dir).flatMap((line) => capturedExchange.safeParse(line).data ?? []);
      },
      written: () =>
        filesOf(dir)
          .map((path) => readFileSync(path, "utf8"))
          .join(""),
    });
  } finally {
    await proxy.close().catch(() => undefined);
    rmSync(dir, { recursive: true, force: true });
  }
}

const filesOf = (dir: string): string[] =>
  readdirSync(captureFolder(dir))
    .toSorted()
    .map((name) => join(captureFolder(dir), name));

const linesOf = (dir: string): unknown[] =>
  filesOf(dir)
    .filter((path) => path.endsWith(CAPTURE_ENDING))
    .flatMap((path) => readFileSync(path, "utf8").trimEnd().split("\n"))
    .map((line) => JSON.parse(line) as unknown);

export function send(port: number, path: string, options: Sending = {}): Promise<IncomingMessage> {
  const { method = "POST", headers = {}, body = "", signal } = options;
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, method, headers, ...(signal && { signal }) }, resolve);
    sent.on("error", reject);
    // As bytes: a text would have the head written in its own encoding.
    sent.end(Buffer.from(body));
  });
}

export async function bytesOf(message: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Events of a stream of Anthropic's, synthetic. */
export const messageEvents = (id: string, text: string, usage: object = { input_tokens: 7 }): string[] =>
  [
    { type: "message_start", message: { id, type: "message", role: "assistant", model: "m", content: [], usage } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 3 } },
    { type: "message_stop" },
  ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
