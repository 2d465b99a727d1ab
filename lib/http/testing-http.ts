// A whole server for tests, without Next: the real gate, endpoints and archive. What it answers is what the server answers, and
// every JSON answer is held against the schema of its endpoint; pages are not part of it.
import { connect } from "node:net";
import type { Server, ServerResponse } from "node:http";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { liveToken, tokenUses } from "#lib/archive/settings/access-tokens.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { fail } from "#lib/kernel/errors.ts";
import { visibilityOf } from "./bound.ts";
import { createChanges, type Changes } from "./changes.ts";
import { openCredentials } from "./credentials.ts";
import type { Credentials } from "./credentials.ts";
import type { Endpoint } from "./endpoint.ts";
import { withFleetCredentials } from "./fleet-credentials.ts";
import { createPlimsollServer, portOf } from "./server.ts";
import type { AppContext, Imports } from "./app-context.ts";

export type DoorServer = {
  readonly url: string;
  readonly port: number;
  readonly credentials: Credentials;
  readonly changes: Changes;
  /** Asks as the principal of a token; the command line's when none is named. */
  ask(method: string, path: string, init?: Ask): Promise<Response>;
  /** Sends these very bytes; all that comes back until the server closes or it is silent for 300 ms. */
  raw(text: string | Uint8Array): Promise<string>;
  flushUses(): Promise<void>;
  /** How many connections are open. */
  open(): Promise<number>;
};

export type Ask = {
  readonly token?: string;
  readonly json?: unknown;
  readonly body?: BodyInit;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
};

/** What proves the server to the command line. */
export const NONCE = "n".repeat(64);

/** Imports and sending are the server's: what is asked of them in a test of doors is refused. */
const absent = <T extends object>(door: string): T =>
  new Proxy({} as T, {
    get: (_, name) => async () => {
      fail("unsupported", `${door}.${String(name)} is not there in this test.`);
    },
  });

/** Runs with a server over an archive, on a port of its own. */
export async function withDoors<T>(
  archive: Archive,
  run: (server: DoorServer) => Promise<T>,
  imports: Imports = absent("imports"),
  fleet: AppContext["fleet"] = null,
  sending: AppContext["sending"] = absent("sending"),
): Promise<T> {
  const changes = createChanges("t");
  const uses = tokenUses(archive);
  const credentials = openCredentials(null, () => archive.host.now(), {
    live: (token) => liveToken(archive, token),
    note: (id) => uses.note(id),
  });
  const app = { archive, imports, fleet, sending, changes, nonce: NONCE, newLink: () => credentials.newLaunchToken() };
  const unlike: string[] = [];
  const server = createPlimsollServer({
    credentials: withFleetCredentials(credentials, fleet),
    visibility: visibilityOf(archive),
    answer: (endpoint, incoming) => {
      watchAnswer(endpoint, incoming.response, unlike);
      return endpoint.handle(app, incoming);
    },
    next: async (_, response) => void response.writeHead(200).end("page"),
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  try {
    const result = await run(clientOf(server, credentials, changes, () => uses.flush()));
    if (unlike.length > 0) throw new Error(`Answers unlike their schemas: ${unlike.join("; ")}`);
    return result;
  } finally {
    changes.close();
    await uses.flush();
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
}

/** Notes an answer that is not as the schema of its endpoint says. */
function watchAnswer({ method, path, schemas }: Endpoint, response: ServerResponse, unlike: string[]): void {
  const end = response.end.bind(response) as (chunk?: unknown) => ServerResponse;
  response.end = ((chunk?: unknown) => {
    if (schemas.answer !== undefined && response.statusCode < 300 && Buffer.isBuffer(chunk)) {
      const parsed = schemas.answer.safeParse(JSON.parse(chunk.toString("utf8")));
      if (!parsed.success) unlike.push(`${method} ${path}: ${parsed.error.message}`);
    }
    return end(chunk);
  }) as ServerResponse["end"];
}

function clientOf(
  server: Server,
  credentials: Credentials,
  changes: Changes,
  flushUses: () => Promise<void>,
): DoorServer {
  const port = portOf(server);
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    port,
    credentials,
    changes,
    flushUses,
    open: () =>
      new Promise((done, failed) => server.getConnections((error, count) => (error ? failed(error) : done(count)))),
    ask: (method, path, { token = credentials.bearer, json, body, headers, signal } = {}) =>
      fetch(url + path, {
        method,
        redirect: "manual",
        headers: {
          authorization: `Bearer ${token}`,
          ...(json === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(json === undefined ? {} : { body: typeof json === "string" ? json : JSON.stringify(json) }),
        ...(body === undefined ? {} : { body, duplex: "half" }),
        ...(signal === undefined ? {} : { signal }),
      } as RequestInit),
    raw: (text) =>
      new Promise((done) => {
        const socket = connect(port, "127.0.0.1", () => socket.write(text));
        let got = "";
        socket.setTimeout(300, () => socket.destroy());
        socket.on("data", (chunk) => (got += chunk.toString("latin1")));
        socket.on("error", () => done(got));
        socket.on("close", () => done(got));
      }),
  };
}

/** Asks by the official client of MCP, which is closed after. */
export async function withMcp<T>(
  url: string,
  token: string,
  run: (client: Client) => Promise<T>,
  mode: "legacy" | "auto" = "auto",
): Promise<T> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  try {
    return await run(client);
  } finally {
    await client.close();
  }
}
