// A gateway between nodes and bucket that misbehaves on demand: it refuses, is slow, or does what it is asked and ends before it says
// so.
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";

export type GatewayMood = "well" | "refuse" | "slow" | "late";

export type FaultyGateway = {
  readonly endpoint: string;
  /** What it does from now on. */
  mood: GatewayMood;
  /** Answers that it kept to itself, and requests that it refused. */
  readonly counts: { late: number; refused: number };
  close(): Promise<void>;
};

export async function faultyGateway(to: string, random: () => number): Promise<FaultyGateway> {
  const target = new URL(to);
  const counts = { late: 0, refused: 0 };
  const server = createServer((request, response) => {
    void pass(request, response).catch(() => response.destroy());
  });
  const gateway: FaultyGateway = {
    endpoint: "",
    mood: "well",
    counts,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { mood } = gateway;
    if (mood === "refuse" && random() < 0.8) {
      counts.refused++;
      if (random() < 0.5) return void request.socket.destroy();
      request.resume();
      return void response.writeHead(503).end();
    }
    if (mood === "slow") await setTimeout(200 + random() * 1300);
    // The Host is part of what was signed.
    const { method, url: path, headers } = request;
    const passed = ask({ host: target.hostname, port: target.port, method, path, headers });
    passed.once("error", () => response.destroy());
    passed.once("response", (answer) => {
      if (mood === "late" && method !== "GET" && random() < 0.6) {
        counts.late++;
        answer.resume();
        return void answer.once("end", () => request.socket.destroy());
      }
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(passed);
  }

  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as { port: number };
  return Object.assign(gateway, { endpoint: `http://127.0.0.1:${port}` });
}
