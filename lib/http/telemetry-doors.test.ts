// OTLP/HTTP at the real server: JSON and protobuf, packed or not; what is refused, and how; who may send.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { PbfWriter } from "pbf";
import { expect, test } from "vitest";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { receivedTelemetry } from "#lib/archive/import/telemetry-counts.ts";
import type { StoredTelemetry } from "#lib/archive/import/telemetry-files.ts";
import { createToken } from "#lib/archive/settings/access-tokens.ts";
import { inArchive } from "#lib/archive/testing-archive.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { Imports } from "./app-context.ts";
import { decodeRequest } from "./otlp-protobuf.ts";
import { withDoors, type DoorServer } from "./testing-http.ts";

type Ground = {
  readonly server: DoorServer;
  readonly archive: Archive;
  readonly stored: StoredTelemetry[];
  readonly token: string;
};

const grounds = (run: (ground: Ground) => Promise<void>): Promise<void> =>
  inArchive(async (archive) => {
    const stored: StoredTelemetry[] = [];
    const imports = { telemetry: (one: StoredTelemetry) => void stored.push(one) } as unknown as Imports;
    const { token } = await createToken(archive, { scope: "telemetry", session: null });
    await withDoors(archive, (server) => run({ server, archive, stored, token }), imports);
  });

const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
const span = (spanId: string, ...attributes: object[]) => ({
  traceId: "a".repeat(32),
  spanId,
  name: "chat m",
  attributes,
});
const spans = (...list: object[]) => ({
  resourceSpans: [{ resource: { attributes: [text("service.name", "app")] }, scopeSpans: [{ spans: list }] }],
});
const CHAT = span("b".repeat(16), text("gen_ai.operation.name", "chat"), text("gen_ai.conversation.id", "c1"));

const post = async (
  { server, token }: Ground,
  path: string,
  body: string | Uint8Array,
  type = "application/json",
  headers = {},
) => {
  const response = await server.ask("POST", path, {
    token,
    body: typeof body === "string" ? body : new Uint8Array(body),
    headers: { "content-type": type, ...headers },
  });
  return {
    status: response.status,
    type: response.headers.get("content-type"),
    bytes: new Uint8Array(await response.arrayBuffer()),
  };
};
const jsonOf = ({ bytes }: { bytes: Uint8Array }): unknown => JSON.parse(new TextDecoder().decode(bytes));

const filesIn = (archive: Archive): string[] =>
  readdirSync(join(archive.dir, "telemetry"), { recursive: true, withFileTypes: true })
    .filter((one) => one.name.endsWith(".otlp.jsonl"))
    .map((one) => join(one.parentPath, one.name))
    .toSorted();

/** One span in protobuf: a resource, a scope, the span with two attributes. */
function binary(): Uint8Array {
  const attribute = (to: PbfWriter, field: number, key: string, value: string): void =>
    to.writeMessage(
      field,
      (_, kv) => {
        kv.writeStringField(1, key);
        kv.writeMessage(2, (_none, any) => any.writeStringField(1, value), null);
      },
      null,
    );
  const writer = new PbfWriter();
  writer.writeMessage(
    1,
    (_, resource) => {
      resource.writeMessage(1, (_none, about) => attribute(about, 1, "service.name", "app"), null);
      resource.writeMessage(
        2,
        (_none, scope) => {
          scope.writeMessage(
            2,
            (_no, one) => {
              one.writeBytesField(1, Buffer.from("a".repeat(32), "hex"));
              one.writeBytesField(2, Buffer.from("b".repeat(16), "hex"));
              one.writeStringField(5, "chat m");
              attribute(one, 9, "gen_ai.operation.name", "chat");
              attribute(one, 9, "gen_ai.conversation.id", "c1");
            },
            null,
          );
        },
        null,
      );
    },
    null,
  );
  return writer.finish();
}

test("JSON and protobuf, plain and packed, are one span in one file", () =>
  grounds(async (ground) => {
    const json = JSON.stringify(spans(CHAT));
    expect(await post(ground, "/v1/traces", json)).toMatchObject({
      status: 200,
      type: "application/json",
      bytes: new TextEncoder().encode("{}"),
    });
    expect(
      (await post(ground, "/v1/traces", gzipSync(json), "application/json", { "content-encoding": "gzip" })).status,
    ).toBe(200);
    expect(await post(ground, "/v1/traces", binary(), "application/x-protobuf")).toMatchObject({
      status: 200,
      type: "application/x-protobuf",
      bytes: new Uint8Array(),
    });
    expect(
      (await post(ground, "/v1/traces", gzipSync(binary()), "application/x-protobuf", { "content-encoding": "gzip" }))
        .status,
    ).toBe(200);
    const [file, ...others] = filesIn(ground.archive);
    expect(others).toEqual([]);
    expect(file).toMatch(/telemetry\/sessions\/c1\.otlp\.jsonl$/);
    const lines = readFileSync(file!, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown);
    expect(lines).toHaveLength(4);
    expect(new Set(lines.map((line) => JSON.stringify(line))).size).toBe(1);
    expect(lines[2]).toEqual({
      resourceSpans: [
        { resource: { attributes: [text("service.name", "app")] }, scopeSpans: [{ scope: {}, spans: [CHAT] }] },
      ],
    });
    expect(receivedTelemetry(ground.archive)).toMatchObject([{ service: "app", records: 4 }]);
    expect(ground.stored.every(({ kept, files }) => kept === 1 && files[0]!.name === "otlp:c1")).toBe(true);
  }));

test("spans without ids are refused and the others are stored; the answer counts them", () =>
  grounds(async (ground) => {
    const request = spans(CHAT, { name: "no ids", attributes: [text("gen_ai.operation.name", "chat")] });
    const answer = jsonOf(await post(ground, "/v1/traces", JSON.stringify(request)));
    expect(answer).toEqual({
      partialSuccess: { rejectedSpans: "1", errorMessage: "1 record: A span needs a traceId and a spanId." },
    });
    expect(ground.stored[0]).toMatchObject({ kept: 1, refused: 1 });
  }));

test("of a span about no model only its position is stored, and a log of no session is not", () =>
  grounds(async (ground) => {
    await post(
      ground,
      "/v1/traces",
      JSON.stringify(spans(span("e".repeat(16), text("http.request.header.cookie", "secret")))),
    );
    const answer = await post(
      ground,
      "/v1/logs",
      JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: [{ body: { stringValue: "secret" } }] }] }] }),
    );
    expect(jsonOf(answer)).toEqual({
      partialSuccess: { rejectedLogRecords: "0", errorMessage: "1 log record not stored: no session." },
    });
    const all = filesIn(ground.archive)
      .map((path) => readFileSync(path, "utf8"))
      .join("");
    expect(all).toContain("e".repeat(16));
    expect(all).not.toContain("secret");
    expect(
      ground.stored.map(({ kept, ignored, files }) => [kept, ignored, files.some(({ isShown }) => isShown)]),
    ).toEqual([
      [1, 0, false],
      [0, 1, false],
    ]);
  }));

test("a conversation that is named late takes its trace with it", () =>
  grounds(async (ground) => {
    const nameless = { ...CHAT, spanId: "1".repeat(16), attributes: [text("gen_ai.operation.name", "chat")] };
    await post(ground, "/v1/traces", JSON.stringify(spans(nameless)));
    expect(filesIn(ground.archive)[0]).toMatch(/traces\/a{32}/);
    await post(ground, "/v1/traces", JSON.stringify(spans(CHAT)));
    await post(ground, "/v1/traces", JSON.stringify(spans({ ...nameless, spanId: "2".repeat(16) })));
    const files = filesIn(ground.archive);
    expect(files.map((path) => path.slice(path.indexOf("telemetry")))).toEqual(["telemetry/sessions/c1.otlp.jsonl"]);
    expect(readFileSync(files[0]!, "utf8").trim().split("\n")).toHaveLength(3);
    expect(ground.stored[1]!.moved).toHaveLength(1);
  }));

test("what is wrong with a body is said in its own encoding", () =>
  grounds(async (ground) => {
    const bomb = gzipSync(Buffer.alloc(LIMITS.telemetryUnpackedBytes + 1));
    for (const [status, body, type, headers] of [
      [400, "{", "application/json", {}],
      [400, '{"spans":[]}', "application/json", {}],
      [400, "[[", "application/x-protobuf", {}],
      [400, "no gzip", "application/json", { "content-encoding": "gzip" }],
      [413, bomb, "application/json", { "content-encoding": "gzip" }],
      [413, bomb, "application/x-protobuf", { "content-encoding": "gzip" }],
      [415, "x", "text/plain", {}],
      [415, "x", "application/json", { "content-encoding": "br" }],
    ] as const) {
      const answer = await post(ground, "/v1/traces", body, type, headers);
      expect(answer.status, `${type} ${String(body).slice(0, 20)}`).toBe(status);
      if (type === "application/x-protobuf") expect(answer.type).toBe(type);
      else
        expect(jsonOf(answer)).toSatisfy(
          (said: { message?: string; error?: object }) => (said.message ?? said.error) !== undefined,
        );
    }
    expect(ground.stored).toEqual([]);
    // An exporter with nothing to tell.
    expect((await post(ground, "/v1/metrics", "{}")).status).toBe(200);
    expect((await post(ground, "/v1/logs", "", "application/x-protobuf")).status).toBe(200);
  }));

test("a token for telemetry sends it and sees nothing; one that may only look does not send", () =>
  grounds(async (ground) => {
    const { server, archive } = ground;
    const body = JSON.stringify(spans(CHAT));
    const send = async (token: string) => (await post({ ...ground, token }, "/v1/traces", body)).status;
    const reader = await createToken(archive, { scope: "read", session: null });
    const writer = await createToken(archive, { scope: "write", session: null });
    expect([
      await send(ground.token),
      await send(writer.token),
      await send(reader.token),
      await send("plm_wrong"),
    ]).toEqual([200, 200, 403, 401]);
    expect((await server.ask("GET", "/api/sessions", { token: ground.token })).status).toBe(403);
    expect((await server.ask("POST", "/mcp", { token: ground.token, json: {} })).status).toBe(403);
  }));

test("any bytes as protobuf end in a request or in an error", () => {
  const good = Buffer.from(binary());
  const wounded = fc
    .tuple(fc.nat(good.length - 1), fc.uint8Array({ maxLength: 12 }))
    .map(([at, bytes]) =>
      Buffer.concat([good.subarray(0, at), bytes, good.subarray(Math.min(good.length, at + bytes.length))]),
    );
  fc.assert(
    fc.property(fc.oneof(wounded, fc.uint8Array({ maxLength: 64 })), (bytes) => {
      for (const signal of ["traces", "logs", "metrics"] as const)
        try {
          expect(decodeRequest(signal, bytes)).toBeTypeOf("object");
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
        }
    }),
    { numRuns: 2000 },
  );
  // A value inside a value, 5,000 times.
  const inside = (field: number, bytes: Uint8Array): Uint8Array => {
    const writer = new PbfWriter();
    writer.writeBytesField(field, bytes);
    return writer.finish();
  };
  let deep: Uint8Array = new Uint8Array();
  for (let i = 0; i < 5000; i++) deep = inside(5, inside(1, deep));
  for (const field of [2, 1, 1, 1]) deep = inside(field, deep);
  expect(() => decodeRequest("traces", deep)).toThrow("messages nested deeper than 100");
});
