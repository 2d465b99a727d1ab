// A way from a namespace to one server outside of it: a socket file is seen on both sides. Nothing else can be reached through it.
import { connect, createServer, type Server } from "node:net";

export type Relay = { readonly port: number; readonly socket: string };

/** Inside: listens on the server's port, so that its address is the same on both sides. */
export const relayFromPort = ({ port, socket }: Relay): Promise<Server> =>
  relay({ port, host: "127.0.0.1" }, { path: socket });

/** Outside: hands on what comes through the socket. */
export const relayToPort = ({ port, socket }: Relay): Promise<Server> =>
  relay({ path: socket }, { port, host: "127.0.0.1" });

type Address = { readonly path: string } | { readonly port: number; readonly host: string };

function relay(from: Address, to: Address): Promise<Server> {
  const server = createServer((incoming) => {
    const outgoing = connect(to);
    incoming.pipe(outgoing).pipe(incoming);
    for (const one of [incoming, outgoing]) one.on("error", () => (incoming.destroy(), outgoing.destroy()));
  });
  return new Promise((done, failed) => {
    server.once("error", failed);
    server.listen(from, () => done(server));
  });
}
