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
        `Port ${port.wanted} needs more rights than this user has. Choose one over 1023: npx plimsoll start --port 4600.`,
        problem,
      );
    }
    if (problem.code !== "EADDRINUSE") throw problem;
  }
  return port.isGiven
    ? fail("conflict", `Port ${port.wanted} is in use. Omit --port, or choose another.`)
    : fail(
        "conflict",
        `Ports ${DEFAULT_PORT} to ${DEFAULT_PORT + PORTS_TRIED - 1} are all in use. Take any free port: npx plimsoll start --port 0.`,
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
