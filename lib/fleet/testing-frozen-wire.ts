// A wire to a server that can be frozen: connections stay open, and nothing comes through.
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export type FrozenWire = {
  /** Here, in place of the server's own. */
  readonly port: number;
  freeze(isFrozen: boolean): void;
  close(): Promise<void>;
};

export async function frozenWire(
  real: { readonly host: string; readonly port: number },
  port = 0,
): Promise<FrozenWire> {
  const sockets = new Set<Socket>();
  let isFrozen = false;
  const server = createServer((near) => {
    const far = connect({ host: real.host, port: real.port });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("data", (bytes) => to.write(bytes));
      from.on("error", () => undefined);
      from.on("close", () => (sockets.delete(from), to.destroy()));
      if (isFrozen) from.pause();
    }
  });
  await new Promise<void>((done) => server.listen(port, "127.0.0.1", done));
  return {
    port: (server.address() as AddressInfo).port,
    freeze(is) {
      isFrozen = is;
      for (const socket of sockets)
        if (is) socket.pause();
        else socket.resume();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}
