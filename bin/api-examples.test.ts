// Every endpoint's example, sent to a server with real imports by the least credential that the endpoint takes: its status and
// its answer are as the document says.
import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { carryOn } from "#lib/archive/handover/carry-on.ts";
import { carryOnRequest } from "#lib/wire/carry-on-schema.ts";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import { storeArtifact } from "#lib/archive/artifacts/store-artifact.ts";
import { makeFolder } from "#lib/archive/memory/testing-directories.ts";
import { importSent } from "#lib/archive/memory/testing-sent.ts";
import { createToken } from "#lib/archive/settings/access-tokens.ts";
import { addWebhook } from "#lib/archive/settings/webhooks.ts";
import { inFolder, withArchive } from "#lib/archive/testing-archive.ts";
import { createChanges } from "#lib/http/changes.ts";
import type { Endpoint } from "#lib/http/endpoint.ts";
import { EXAMPLES, exampleOf, exampleUrl } from "#lib/http/examples/all-examples.ts";
import { NAMES, PIERS } from "#lib/http/examples/example.ts";
import { cookieName } from "#lib/http/gate.ts";
import { ENDPOINTS } from "#lib/http/routes.ts";
import { withDoors, type DoorServer } from "#lib/http/testing-http.ts";
import { followSending } from "./follow-sending.ts";
import { createImports } from "./server-imports.ts";
import { systemHost } from "./system-host.ts";

type Ground = { readonly server: DoorServer; readonly archive: Archive; readonly dir: string };

const keyOf = ({ method, path }: Endpoint): string => `${method} ${path}`;

test("every endpoint has one example, and no example is left over", () => {
  expect(Object.keys(EXAMPLES).sort()).toEqual(ENDPOINTS.map(keyOf).sort());
  expect(() => exampleOf({ method: "GET", path: "/api/nothing" })).toThrow("has no example");
});

test("every example is answered as the document says", { timeout: 120_000 }, () =>
  inFolder((dir) =>
    withArchive(
      join(dir, "archive"),
      async (archive) => {
        const imports = await createImports({ archive, changes: createChanges("0"), sources: [] });
        const unlike: string[] = [];
        try {
          await withDoors(
            archive,
            async (server) => {
              for (const endpoint of ENDPOINTS) {
                const problem = await problemOf(endpoint, { server, archive, dir });
                if (problem !== null) unlike.push(`${keyOf(endpoint)}: ${problem}`);
              }
            },
            imports,
            null,
            followSending(archive, createChanges("0")),
          );
        } finally {
          await imports.close();
        }
        expect(unlike).toEqual([]);
      },
      systemHost(),
    ),
  ),
);

/** What is unlike the document in the answer to an endpoint's example; null when nothing is. */
async function problemOf(endpoint: Endpoint, ground: Ground): Promise<string | null> {
  await makeSession(ground);
  const written = exampleOf(endpoint);
  const example = JSON.parse(await withRealNames(JSON.stringify(written), ground)) as typeof written;
  const { body, content, accept, status = 200 } = example;
  const type = content === undefined ? "application/json" : content.type;
  const sent = content === undefined ? body && JSON.stringify(body) : content.text;
  const stop = new AbortController();
  const response = await fetch(ground.server.url + exampleUrl(endpoint.path, example), {
    method: endpoint.method,
    headers: {
      ...(await credentialFor(endpoint, ground)),
      ...(accept !== undefined && { accept }),
      ...(sent !== undefined && { "content-type": type }),
    },
    ...(sent !== undefined && { body: sent as string }),
    signal: stop.signal,
  });
  if (response.headers.get("content-type")?.startsWith("text/event-stream") && endpoint.method === "GET") {
    stop.abort();
    return response.status === status ? null : `status ${response.status}`;
  }
  const text = await response.text();
  if (response.status !== status) return `status ${response.status}, not ${status}: ${text.slice(0, 500)}`;
  const { answer } = endpoint.schemas;
  if (answer === undefined || status >= 400) return text === "" ? "an empty answer" : null;
  const { error } = answer.safeParse(JSON.parse(text));
  return error === undefined ? null : error.message;
}

async function credentialFor(
  { auth, scope: needed }: Endpoint,
  { server, archive }: Ground,
): Promise<Record<string, string>> {
  // One machine has no tokens of senders.
  const scope = needed === "send" ? "write" : needed;
  if (auth === "open") return {};
  if (auth === "bearer") return { authorization: `Bearer ${server.credentials.bearer}` };
  if (auth === "credential") return { authorization: `Bearer ${(await createToken(archive, { scope })).token}` };
  const secret = await server.credentials.exchange(server.credentials.newLaunchToken());
  return { cookie: `${cookieName(server.port)}=${secret}`, origin: server.url };
}

/** The session and the artifact of the examples, where an example before has not left them. */
async function makeSession({ server, archive }: Ground): Promise<void> {
  const { id, created } = await createSession(archive, { id: "harbour" });
  if (created) await answerOf(server, `/api/sessions/${id}/events`, EXAMPLES["POST /api/sessions/:id/events"]!.body);
  archive.sqlite
    .prepare(
      `INSERT OR IGNORE INTO session_findings (session_pk, n, fingerprint, detector, label, fix, tokens)
       SELECT pk, 0, ?, 'cache-break', 'Cache expired while idle', 'Reply within 5 minutes', 1 FROM sessions WHERE id = ?`,
    )
    .run(NAMES.finding, id);
  const { status } = await server.ask("HEAD", `/api/artifacts/${NAMES.artifact}/raw`);
  if (status !== 200) await storeArtifact(archive, { session: id, name: "piers" }, Buffer.from(PIERS));
}

async function answerOf(server: DoorServer, path: string, json: unknown): Promise<Record<string, unknown>> {
  const response = await server.ask("POST", path, { json });
  if (!response.ok) throw new Error(`POST ${path}: ${await response.text()}`);
  return (await response.json()) as Record<string, unknown>;
}

/** How what an example names is made; what is not here is there. */
const MAKE: Readonly<Partial<Record<keyof typeof NAMES, (ground: Ground) => Promise<unknown>>>> = {
  compaction: async ({ server }) =>
    (await answerOf(server, `/api/sessions/${NAMES.session}/compactions`, { tail: 0, dryRun: false }))["id"],
  continuation: async ({ archive, dir }) => {
    const session = await importSent(archive, logsIn(dir));
    const { written } = await carryOn(archive, session, carryOnRequest.parse({ mode: "fork", to: logsIn(dir) }));
    return written!.id;
  },
  memory: async ({ server }) =>
    (await answerOf(server, `/api/sessions/${NAMES.session}/memory`, EXAMPLES["POST /api/sessions/:id/memory"]!.body))[
      "id"
    ],
  program: async ({ server }) =>
    (await answerOf(server, "/api/playground/programs", EXAMPLES["POST /api/playground/programs"]!.body))["id"],
  token: async ({ archive }) => (await createToken(archive, {})).id,
  webhook: async ({ archive }) =>
    (await addWebhook(archive, { name: randomUUID(), url: "http://127.0.0.1:9/", kinds: ["near"] })).id,
  attached: async ({ server, dir }) => (await answerOf(server, "/api/attached", { path: folderIn(dir) }))["sessionId"],
  folder: async ({ dir }) => folderIn(dir),
  imported: async ({ archive, dir }) => importSent(archive, logsIn(dir)),
  file: async ({ archive, dir }) => {
    await importSent(archive, logsIn(dir));
    return join(logsIn(dir), "session.jsonl");
  },
  logs: async ({ dir }) => logsIn(dir),
};

function folderIn(dir: string): string {
  const path = join(dir, "agents", "made-up");
  makeFolder(path, 3);
  return path;
}

function logsIn(dir: string): string {
  const path = join(dir, "logs");
  mkdirSync(path, { recursive: true });
  return path;
}

async function withRealNames(text: string, ground: Ground): Promise<string> {
  let result = text;
  for (const [name, make] of Object.entries(MAKE)) {
    const written = NAMES[name as keyof typeof NAMES];
    if (result.includes(written)) result = result.replaceAll(written, String(await make(ground)));
  }
  return result;
}
