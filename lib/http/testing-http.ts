// A whole server for tests, without Next: the real gate, byte doors and archive, and the route handlers of app/api as the
// functions that they are. What it answers is what the server answers; pages are not part of it.
import { readdirSync } from "node:fs";
import { connect } from "node:net";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { liveToken, tokenUses } from "#lib/archive/settings/access-tokens.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { fail } from "#lib/kernel/errors.ts";
import { sightsOf } from "./bound.ts";
import { createChanges, type Changes } from "./changes.ts";
import { openCredentials } from "./credentials.ts";
import type { Credentials } from "./credentials.ts";
import { createDoors } from "./doors.ts";
import { API_ROUTES, findRoute } from "./routes.ts";
import { createPlimsollServer, portOf } from "./server.ts";
import { fillSlot } from "./slot.ts";
import type { Imports } from "./slot.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

type Handler = (request: Request, context: { params: Promise<Record<string, string>> }) => Promise<Response>;

export type DoorServer = {
  readonly url: string;
  readonly port: number;
  readonly credentials: Credentials;
  readonly changes: Changes;
  /** Asks as the holder of a token; the command line's when none is named. */
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

/** Imports are another door's: what is asked of them in a test of doors is refused. */
const noImports = new Proxy({} as Imports, {
  get: (_, name) => async () => {
    fail("unsupported", `imports.${String(name)} is not there in this test.`);
  },
});

/** Runs with a server over an archive, on a port of its own. */
export async function withDoors<T>(
  archive: Archive,
  run: (server: DoorServer) => Promise<T>,
  imports: Imports = noImports,
): Promise<T> {
  const changes = createChanges("t");
  const slot = { archive, imports, changes };
  fillSlot(slot);
  const uses = tokenUses(archive);
  const credentials = openCredentials(null, () => archive.host.now(), {
    live: (token) => liveToken(archive, token),
    note: (id) => uses.note(id),
  });
  const handlers = await loadHandlers();
  const doors = createDoors({ slot, dir: archive.dir, credentials, nonce: NONCE, linkOf: (token) => token });
  const server = createPlimsollServer({
    credentials,
    doors,
    sight: sightsOf(archive),
    next: (request, response) => answer(handlers, request, response),
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  try {
    return await run(clientOf(server, credentials, changes, () => uses.flush()));
  } finally {
    changes.close();
    await uses.flush();
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
}

/** Every `METHOD path` below app that the table sends to Next, with its handler. */
async function loadHandlers(): Promise<ReadonlyMap<string, Handler>> {
  const loaded = new Map<string, Handler>();
  const files = readdirSync(join(root, "app", "api"), { recursive: true, encoding: "utf8" });
  await Promise.all(
    files
      .filter((file) => file.endsWith("route.ts"))
      .map(async (file) => {
        const path = `/${relative("", join("api", dirname(file)))}`.replace(/\[([^\]]+)\]/g, ":$1");
        if (!API_ROUTES.some((route) => route.path === path)) return;
        const exported = (await import(pathToFileURL(join(root, "app", "api", file)).href)) as Record<string, Handler>;
        for (const [method, handler] of Object.entries(exported)) loaded.set(`${method} ${path}`, handler);
      }),
  );
  return loaded;
}

async function answer(
  handlers: ReadonlyMap<string, Handler>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? "", "http://127.0.0.1");
  const found = findRoute(url.pathname, request.method);
  const method = request.method === "HEAD" ? "GET" : (request.method ?? "");
  const handler = found === null ? undefined : handlers.get(`${method} ${found.route.path}`);
  if (found === null || handler === undefined) return void response.writeHead(200).end("page");
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const headers = new Headers(
    Object.entries(request.headersDistinct).flatMap(([k, v]) => (v ?? []).map((one) => [k, one] as [string, string])),
  );
  // The server writes what it knows of the holder into `headers`, over what came in.
  for (const [name, value] of Object.entries(request.headers)) if (typeof value === "string") headers.set(name, value);
  const body = pieces.length === 0 ? {} : { body: Buffer.concat(pieces) };
  const got = await handler(new Request(url, { method, headers, ...body }), {
    params: Promise.resolve({ ...found.params }),
  });
  response.writeHead(got.status, Object.fromEntries(got.headers));
  response.end(Buffer.from(await got.arrayBuffer()));
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
