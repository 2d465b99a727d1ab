// The real OpenTelemetry SDK and the AI SDK, as docs/telemetry.md sets them up, against a scripted model and a running server: what
// the session shows is what the model was sent and charged.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { OpenTelemetry } from "@ai-sdk/otel";
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { BatchSpanProcessor, NodeTracerProvider, type SpanExporter } from "@opentelemetry/sdk-trace-node";
import { generateText, isStepCount, tool } from "ai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { createdToken } from "#lib/wire/tokens-schema.ts";
import { sessionsAnswer, sessionSummary } from "#lib/wire/sessions-schema.ts";
import { eventsAnswer } from "#lib/wire/events-schema.ts";
import { startServer, type Server } from "./bench/bench-server.ts";
import { startModel } from "./agents/scripted-model.ts";
import type { KeptRequest } from "./agents/script-types.ts";

let work: string;
let server: Server;
let token: string;
beforeAll(async () => {
  work = mkdtempSync(join(tmpdir(), "plimsoll-telemetry-"));
  server = await startServer(work, join(work, "archive"), { args: ["--no-pages"] });
  const made = await server.ask("POST", "/api/commands/token-create", { name: "sdk", scope: "telemetry" });
  ({ token } = createdToken.parse(JSON.parse(made.text)));
}, 60_000);
afterAll(async () => {
  await server.stop();
  rmSync(work, { recursive: true, force: true });
});

const exporterOptions = (compression: "gzip" | "none") => ({
  url: `${server.url}/v1/traces`,
  headers: { Authorization: `Bearer ${token}` },
  compression: compression as never,
});

const EXPORTERS: readonly [string, () => SpanExporter][] = [
  ["http/json", () => new JsonExporter(exporterOptions("none"))],
  ["http/json, gzip", () => new JsonExporter(exporterOptions("gzip"))],
  ["http/protobuf", () => new ProtobufExporter(exporterOptions("none"))],
  ["http/protobuf, gzip", () => new ProtobufExporter(exporterOptions("gzip"))],
];

test.each(EXPORTERS)("AI SDK over %s: one session, with its calls, tools and tokens", async (name, exporter) => {
  const kept: KeptRequest[] = [];
  const steps = [{ text: "Let me look.", tools: [{ name: "tide", input: { port: name } }] }, { text: "High at noon." }];
  const model = await startModel({ lanes: { main: steps } }, (request) => kept.push(request));
  const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter())] });
  try {
    const scripted = createOpenAICompatible({ name: "scripted", baseURL: `${model.url}/v1`, includeUsage: true });
    const { text } = await generateText({
      model: scripted("m1"),
      prompt: `When is high tide over ${name}?`,
      stopWhen: isStepCount(5),
      tools: {
        tide: tool({
          inputSchema: z.object({ port: z.string() }),
          execute: async ({ port }) => `12:04 high at ${port}`,
        }),
      },
      telemetry: { functionId: "tides", integrations: [new OpenTelemetry({ tracer: provider.getTracer("test") })] },
    });
    expect(text).toBe("High at noon.");
  } finally {
    await provider.shutdown();
    await model.close();
  }
  const session = await sessionOf(`When is high tide over ${name}?`);
  const { events } = eventsAnswer.parse(
    JSON.parse((await server.ask("GET", `/api/sessions/${session.id}/events`)).text),
  );
  expect(events.map(({ body }) => body.type).filter((type) => type !== "meta")).toEqual([
    "user",
    "assistant",
    "tool_call",
    "tool_result",
    "assistant",
  ]);
  expect(JSON.stringify(events)).toContain(`12:04 high at ${name}`);
  const charged = kept.map(({ answer }) => answer!.usage);
  const sum = (of: (usage: (typeof charged)[number]) => number): number =>
    charged.reduce((all, one) => all + of(one), 0);
  expect(session.modelCalls.own).toBe(2);
  expect(session.usage).toMatchObject({
    inputUncached: sum(({ uncached }) => uncached),
    cacheRead: sum(({ cacheRead }) => cacheRead),
    output: sum(({ output }) => output),
  });
});

/** Telemetry is read a second after the last of it came. */
async function sessionOf(title: string) {
  for (const until = Date.now() + 15_000; Date.now() < until; await sleep(200)) {
    const { sessions } = sessionsAnswer.parse(JSON.parse((await server.ask("GET", "/api/sessions")).text));
    const found = sessions.find((one) => one.title === title);
    if (found === undefined) continue;
    const session = sessionSummary.parse(JSON.parse((await server.ask("GET", `/api/sessions/${found.id}`)).text));
    if (session.modelCalls.own === 2) return session;
  }
  throw new Error(`No session "${title}" came.`);
}
