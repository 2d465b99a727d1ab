// Agents at the doors of the real server: bytes in and out, a token that sees one session, and the command line beside it.
import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "@playwright/test";
import { artifactsAnswer, artifactView } from "../lib/wire/artifacts-schema.ts";
import { heldSession, outputAnswer, storedArtifact } from "../lib/wire/held-schema.ts";
import { createdToken } from "../lib/wire/tokens-schema.ts";
import { entryOf } from "../scripts/bundle.mjs";
import { startServer } from "./test-server.ts";
import type { TestServer } from "./test-server.ts";

let server: TestServer;
let dir = "";
const ids: Record<"mine" | "other", string> = { mine: "", other: "" };

test.beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "plimsoll-agents-"));
  server = await startServer();
  for (const name of ["mine", "other"] as const) {
    const made = await server.ask("POST", "/api/sessions", { id: name, title: `Run ${name}` });
    expect(made.status).toBe(201);
    ids[name] = heldSession.parse(await made.json()).id;
  }
});
test.afterAll(async () => {
  await server.stop();
  rmSync(dir, { recursive: true, force: true });
});

const send = (path: string, body: BodyInit, token = server.token): Promise<Response> =>
  fetch(server.url + path, { method: "POST", body, headers: { authorization: `Bearer ${token}` } });

async function stored(session: string, body: BodyInit, query = "") {
  const response = await send(`/api/sessions/${session}/artifacts${query}`, body);
  expect(response.status).toBe(201);
  return storedArtifact.parse(await response.json());
}

const plimsoll = promisify(execFile);
const command = async (...words: string[]): Promise<string> => {
  const env = {
    PATH: process.env["PATH"],
    HOME: dir,
    PLIMSOLL_ARCHIVE: server.archive,
    NODE_ENV: "production" as const,
  };
  return (await plimsoll(process.execPath, [entryOf("bin/plimsoll.ts"), ...words], { env })).stdout;
};

test("bytes come back as they went in, and an output becomes what the model is to see", async () => {
  const bytes = randomBytes(2_000_000);
  const { pointer, digest } = await stored(ids.mine, bytes, "?name=noise&tool=fetch");
  expect(digest).toBe(createHash("sha256").update(bytes).digest("hex"));
  const raw = await server.ask("GET", `/api/artifacts/${encodeURIComponent(pointer)}/raw`);
  expect(Buffer.from(await raw.arrayBuffer()).equals(bytes)).toBe(true);

  const output = await send(`/api/sessions/${ids.mine}/outputs?tool=bash&call=c1`, "a line of a log\n".repeat(5000));
  const answer = outputAnswer.parse(await output.json());
  expect(JSON.parse(answer.text)).toMatchObject({ artifact_id: answer.artifact?.artifactId, tool_name: "bash" });
  const read = await server.ask("POST", `/api/tools/artifact_read?session=${ids.mine}`, {
    artifact_id: answer.artifact?.artifactId,
    start_line: 1,
    end_line: 2,
  });
  expect(await read.json()).toMatchObject({ isError: false, text: expect.stringContaining("a line of a log") });
});

test("a token that is bound to a session sees this session alone, through every part of the server", async () => {
  const own = await stored(ids.mine, "what mine holds");
  const foreign = await stored(ids.other, "what other holds");
  const words = ["token", "create", "--session", "mine", "--json"];
  const { token, id } = createdToken.parse(JSON.parse(await command(...words)));
  const ask = (method: string, path: string, json?: unknown): Promise<Response> =>
    fetch(server.url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        "x-plimsoll-session": ids.other,
        ...(json === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
  const list = artifactsAnswer.parse(await (await ask("GET", "/api/artifacts?limit=500")).json());
  expect(new Set(list.artifacts.map((row) => row.sessionId))).toEqual(new Set([ids.mine]));
  const view = await ask("GET", `/api/artifacts/${own.digest}`);
  expect(artifactView.parse(await view.json()).pointer).toBe(own.pointer);
  for (const path of [
    `/api/artifacts/${encodeURIComponent(foreign.pointer)}`,
    `/api/artifacts/${foreign.digest}/raw`,
    `/api/artifacts?session=${ids.other}`,
    `/api/sessions/${ids.other}`,
    "/api/sessions",
    "/api/sources",
    "/api/changes",
  ]) {
    const refused = await ask("GET", path);
    expect([path, refused.status]).toEqual([path, 404]);
    expect(await refused.text()).not.toContain("other");
  }
  for (const session of ["", `?session=${ids.mine}`]) {
    const read = await ask("POST", `/api/tools/artifact_read${session}`, { artifact_id: foreign.pointer });
    expect(await read.json()).toMatchObject({ text: `[no artifact found for '${foreign.pointer}']`, isError: true });
    const ownRead = await ask("POST", `/api/tools/artifact_read${session}`, { artifact_id: own.pointer });
    expect(await ownRead.json()).toMatchObject({ text: "what mine holds", isError: false });
  }
  expect((await ask("GET", "/")).status).toBe(403);
  await command("token", "revoke", id);
  expect((await ask("GET", "/api/artifacts")).status).toBe(401);
});

test("the command line stores through the running server, and no secret stands where processes are listed", async () => {
  const file = join(dir, "notes.md");
  writeFileSync(file, "# Notes\n".repeat(20_000));
  const answer = storedArtifact.parse(JSON.parse(await command("store", "mine", file, "--json")));
  expect(answer).toMatchObject({ name: "notes.md", sizeBytes: 160_000, sessionId: ids.mine });
  expect(await command("cat", answer.pointer)).toBe(readFileSync(file, "utf8"));
  const { pid } = server.process;
  if (!existsSync(`/proc/${pid}/environ`)) return;
  for (const name of ["cmdline", "environ"])
    expect(readFileSync(`/proc/${pid}/${name}`, "utf8")).not.toContain(server.token);
});

test("a large put leaves the server as small as it was", async () => {
  test.skip(!existsSync("/proc/self/status"), "only Linux tells the peak of a process");
  const { pid } = server.process;
  const kilobytes = (): number => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  // What the first put of some size brings with it is not the size's. The engine collects pieces that were read when 64 MB of them
  // lie about, so a put of less may come before the first collection, and the next one after it.
  await stored(ids.mine, Buffer.alloc(150_000_000, "a line of a log\n"));
  const before = kilobytes();
  const piece = Buffer.alloc(1_000_000, "a line of a log\n");
  const status = await new Promise<number | undefined>((done, failed) => {
    const headers = { authorization: `Bearer ${server.token}` };
    const path = `/api/sessions/${ids.mine}/artifacts?name=large`;
    const sent = request(server.url + path, { method: "POST", headers }, (response) => {
      response.resume();
      response.on("end", () => done(response.statusCode));
    });
    sent.on("error", failed);
    let left = 300;
    const more = (): void => {
      while (left-- > 0) if (!sent.write(piece)) return void sent.once("drain", more);
      sent.end();
    };
    more();
  });
  expect(status).toBe(201);
  expect(kilobytes() - before).toBeLessThan(64 * 1024);
});
