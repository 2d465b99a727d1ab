import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { z } from "zod";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { inArchive } from "#lib/archive/testing-archive.ts";
import type { AppContext } from "./app-context.ts";
import { get, type Call } from "./endpoint.ts";

let server: Server;
afterEach(() => server.close());

/** Asks an endpoint that runs this, and goes away when it has begun; what its server is told at the end. */
async function leaving(archive: Archive, run: (call: Call) => Promise<never>): Promise<unknown> {
  const begun = Promise.withResolvers<void>();
  const endpoint = get("/api/x", {
    answer: z.never(),
    run: (call) => {
      begun.resolve();
      return run(call as Call);
    },
  });
  const ended = Promise.withResolvers<unknown>();
  server = createServer((incoming, response) => {
    const all = { request: incoming, response, params: {}, query: new URLSearchParams(), principal: null };
    endpoint.handle({ archive } as AppContext, { ...all, begin: () => undefined }).then(ended.resolve, ended.reject);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const requested = request({ port: (server.address() as AddressInfo).port, host: "127.0.0.1" }).end();
  requested.on("error", () => undefined);
  await begun.promise;
  requested.destroy();
  return ended.promise;
}

test("who went away is told nothing, and is no failure", () =>
  inArchive(async (archive) => {
    const stopped = vi.fn();
    await leaving(
      archive,
      ({ signal }) =>
        new Promise<never>((_, reject) =>
          signal.addEventListener("abort", () => {
            stopped();
            reject(signal.reason as Error);
          }),
        ),
    );
    expect(stopped).toHaveBeenCalledOnce();
    // A bug is one whoever waits for the answer.
    const fails = ({ signal }: Call): Promise<never> =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("a bug"))));
    await expect(leaving(archive, fails)).rejects.toThrow("a bug");
  }));
