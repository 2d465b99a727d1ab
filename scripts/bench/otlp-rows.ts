// Rows about OpenTelemetry over HTTP: a hundred thousand spans of a thousand conversations in batches as an exporter sends them, four
// at once, and until each of their sessions is shown.
import { setTimeout as sleep } from "node:timers/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { startServer, type Server } from "./bench-server.ts";
import { mb, ms, verdict, type Row } from "./table.ts";

const SPANS = 100_000;
const SESSIONS = 1000;
/** Spans of a request: what a batch processor sends when it is not told otherwise. */
const BATCH = 512;
const AT_ONCE = 4;
const SHOWN_MS = 300_000;

export async function otlpRows(work: string): Promise<Row[]> {
  const server = await startServer(work, join(work, "archive"), { args: ["--no-pages"] });
  try {
    const made = await server.ask("POST", "/api/commands/token-create", { name: "otlp", scope: "telemetry" });
    const { token } = JSON.parse(made.text) as { token: string };
    const batches = Array.from({ length: Math.ceil(SPANS / BATCH) }, (_, i) => gzipSync(batch(i)));
    server.resetPeak();
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => send(server, token, batches, at)));
    const seconds = (performance.now() - startedAt) / 1000;
    const shown = await allShown(server);
    const shownMs = performance.now() - startedAt;
    const peak = server.peakBytes() ?? Number.POSITIVE_INFINITY;
    const perSecond = SPANS / seconds;
    return [
      {
        what: `OTLP: ${SPANS.toLocaleString("en")} spans of ${SESSIONS.toLocaleString("en")} sessions over HTTP, JSON in gzip, ${BATCH} a request, ${AT_ONCE} at once`,
        measured: `${Math.round(perSecond)} spans/s, ${mb(peak)} at most; all ${shown} sessions shown after ${ms(shownMs)}`,
        against: "",
        ratio: "",
        target: "≥ 5,000/s, ≤ 512 MB",
        verdict: verdict(perSecond >= 5000, peak <= 512 * 1024 * 1024, shown === SESSIONS),
      },
    ];
  } finally {
    await server.stop();
  }
}

async function send({ url }: Server, token: string, batches: readonly Uint8Array[], from: number): Promise<void> {
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    "content-encoding": "gzip",
  };
  for (let i = from; i < batches.length; i += AT_ONCE) {
    const answer = await fetch(`${url}/v1/traces`, { method: "POST", headers, body: new Uint8Array(batches[i]!) });
    const said = await answer.text();
    if (said !== "{}") throw new Error(`Batch ${i} was answered with ${answer.status}: ${said}`);
  }
}

/** How many sessions have all their calls. */
async function allShown(server: Server): Promise<number> {
  let shown = 0;
  for (const until = performance.now() + SHOWN_MS; shown < SESSIONS && performance.now() < until; await sleep(500)) {
    shown = 0;
    for (let offset = 0; offset < SESSIONS; offset += 500) {
      const { text } = await server.ask("GET", `/api/sessions?limit=500&offset=${offset}`);
      const { sessions } = JSON.parse(text) as { sessions: { calls: number }[] };
      shown += sessions.filter(({ calls }) => calls === PER_SESSION / 2).length;
    }
  }
  return shown;
}

const PER_SESSION = SPANS / SESSIONS;

function batch(n: number): string {
  const spans = Array.from({ length: Math.min(BATCH, SPANS - n * BATCH) }, (_, i) => spanOf(n * BATCH + i));
  const resource = { attributes: [text("service.name", "bench")] };
  return JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ scope: { name: "bench" }, spans }] }] });
}

const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
const whole = (key: string, value: number) => ({ key, value: { intValue: String(value) } });
const hex = (value: number, chars: number): string => value.toString(16).padStart(chars, "0");

/** Two kinds in turn: a model call that was sent its last result, and the tool that it calls. */
function spanOf(i: number) {
  const session = i % SESSIONS;
  const at = Math.floor(i / SESSIONS);
  const start = 1_767_323_045_000 + i;
  const isModel = at % 2 === 0;
  const call = `call_${session}_${at - (isModel ? 0 : 1)}`;
  const asked = [
    { role: "user", parts: [{ type: "text", content: `Question ${at} of ${session}: how high is the tide?` }] },
  ];
  const said = [{ role: "assistant", parts: [{ type: "tool_call", id: call, name: "tide", arguments: { hour: at } }] }];
  const attributes = isModel
    ? [
        text("gen_ai.operation.name", "chat"),
        text("gen_ai.request.model", "m1"),
        text("gen_ai.input.messages", JSON.stringify(asked)),
        text("gen_ai.output.messages", JSON.stringify(said)),
        whole("gen_ai.usage.input_tokens", 1000 + at),
        whole("gen_ai.usage.output_tokens", 20),
      ]
    : [
        text("gen_ai.operation.name", "execute_tool"),
        text("gen_ai.tool.name", "tide"),
        text("gen_ai.tool.call.id", call),
        text("gen_ai.tool.call.result", `The tide is ${at} feet high. `.repeat(10)),
      ];
  return {
    traceId: hex(session + 1, 32),
    spanId: hex(i + 1, 16),
    name: isModel ? "chat m1" : "execute_tool tide",
    startTimeUnixNano: `${start}000000`,
    endTimeUnixNano: `${start + 1}000000`,
    attributes: [...attributes, text("gen_ai.conversation.id", `bench-${session}`)],
  };
}
