// Binds 127.0.0.1, on the port that was asked for or the next free one.
import type { Server } from "node:http";
import { fail } from "#lib/kernel/errors.ts";
import { DEFAULT_PORT, PORTS_TRIED } from "./serve-options.ts";
import type { ServeOptions } from "./serve-options.ts";

/** The port that the server listens on now. */
export async function listen(server: Server, port: ServeOptions["port"]): Promise<number> {
  const tries = port.isGiven ? 1 : PORTS_TRIED;
  for (let i = 0; i < tries; i += 1) {
    const problem = await bind(server, port.wanted + i);
    if (problem === null) {
      const address = server.address();
      return typeof address === "object" && address !== null ? address.port : port.wanted + i;
    }
    if (problem.code === "EACCES") {
      fail(
        "conflict",
        `Port ${port.wanted} may not be used by this user. Choose one from 1024 on: npm start -- --port 4600.`,
        problem,
      );
    }
    if (problem.code !== "EADDRINUSE") throw problem;
  }
  return port.isGiven
    ? fail("conflict", `Port ${port.wanted} is taken by another program. Leave --port out, or choose another.`)
    : fail(
        "conflict",
        `Ports ${DEFAULT_PORT} to ${DEFAULT_PORT + PORTS_TRIED - 1} are all taken. Choose one: npm start -- --port 0 takes any.`,
      );
}

function bind(server: Server, port: number): Promise<NodeJS.ErrnoException | null> {
  return new Promise((done) => {
    const failed = (error: NodeJS.ErrnoException): void => done(error);
    server.once("error", failed);
    server.listen({ host: "127.0.0.1", port, exclusive: true }, () => {
      server.off("error", failed);
      done(null);
    });
  });
}
