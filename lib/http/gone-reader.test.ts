// A client that goes away while its download is opened: what was opened for it is closed.
import { once } from "node:events";
import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { sendStream } from "./bytes.ts";

test("a client that leaves before the first piece leaves nothing open", async () => {
  let isClosed = false;
  const { promise: asked, resolve: begin } = Promise.withResolvers<void>();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    async function* pieces(): AsyncGenerator<Uint8Array> {
      try {
        begin();
        await once(response, "close");
        yield Buffer.from("first");
        yield Buffer.from("second");
      } finally {
        isClosed = true;
      }
    }
    void sendStream(request, response, { name: "x", contentType: "text/plain", pieces: pieces() }).then(end);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = get({ host: "127.0.0.1", port: (server.address() as AddressInfo).port });
  client.on("error", () => undefined);
  await asked;
  client.destroy();
  await ended;
  await new Promise((resume) => setImmediate(resume));
  server.close();
  expect(isClosed).toBe(true);
});
