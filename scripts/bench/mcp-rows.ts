// Rows about MCP over HTTP: ten thousand calls of two clients, fifty at once, each bound to a session of its own.
import { Agent, request } from "node:http";
import { join } from "node:path";
import { startServer, type Server } from "./bench-server.ts";
import { ms, verdict, type Row } from "./table.ts";

const CALLS = 10_000;
const AT_ONCE = 50;
const CLIENTS = ["ebb", "flow"] as const;

type Client = { readonly name: string; readonly token: string; readonly artifact: string };

export async function mcpRows(work: string): Promise<Row[]> {
  const server = await startServer(work, join(work, "archive"));
  try {
    const clients = await Promise.all(CLIENTS.map((name) => makeClient(server, name)));
    await runCalls(server, clients, 500);
    const { seconds, took, wrong } = await runCalls(server, clients, CALLS);
    const each = took.toSorted((a, b) => a - b);
    const p99 = each[Math.floor(each.length * 0.99)]!;
    const perSecond = CALLS / seconds;
    return [
      {
        what: `MCP: ${CALLS.toLocaleString("en")} artifact_read of 8 kB over HTTP, ${AT_ONCE} at once, two bound clients`,
        measured: `${Math.round(perSecond)} calls/s, p99 ${ms(p99)}; ${wrong} answers of another client`,
        against: "",
        ratio: "",
        target: "≥ 500/s, p99 ≤ 150 ms, 0",
        verdict: verdict(perSecond >= 500, p99 <= 150, wrong === 0),
      },
    ];
  } finally {
    await server.stop();
  }
}

async function makeClient(server: Server, name: string): Promise<Client> {
  const post = async (path: string, body: object) => JSON.parse((await server.ask("POST", path, body)).text) as unknown;
  const { id } = (await post("/api/sessions", { id: name })) as { id: string };
  const stored = { name: "log", value: `${name} `.repeat(8192 / (name.length + 1)) };
  const { text } = (await post(`/api/tools/artifact_store?session=${id}`, stored)) as { text: string };
  const { artifact_id } = JSON.parse(text) as { artifact_id: string };
  const { token } = (await post("/api/commands/token-create", { scope: "read", session: id })) as { token: string };
  return { name, token, artifact: artifact_id };
}

async function runCalls(server: Server, clients: readonly Client[], calls: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const took: number[] = [];
  let wrong = 0;
  let at = 0;
  const worker = async (): Promise<void> => {
    while (at < calls) {
      const client = clients[at++ % clients.length]!;
      const from = performance.now();
      const text = await callTool(server, agent, client);
      took.push(performance.now() - from);
      if (
        !text.includes(`${client.name} ${client.name} `) ||
        clients.some((one) => one !== client && text.includes(one.name))
      )
        wrong++;
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  agent.destroy();
  return { seconds: (performance.now() - startedAt) / 1000, took, wrong };
}

function callTool({ url }: Server, agent: Agent, { token, artifact }: Client): Promise<string> {
  const params = { name: "artifact_read", arguments: { artifact_id: artifact } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/mcp`, { method: "POST", agent, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (piece: string) => (text += piece));
      answer.on("end", () => resolve(text));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
