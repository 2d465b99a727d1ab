// A proxy that listens on the loopback and records into an archive.
import type { Server } from "node:http";
import { AppError } from "#lib/kernel/errors.ts";
import { CaptureFiles, type CaptureCounts } from "./capture-files.ts";
import { openStatus } from "./proxy-status.ts";
import { createProxy } from "./proxy-server.ts";
import type { Upstreams } from "./upstreams.ts";

export type RunningProxy = {
  readonly port: number;
  readonly counts: CaptureCounts;
  /** Ends open connections, and resolves when all that ended is written. */
  close(): Promise<void>;
};

export type ProxyOptions = {
  readonly archiveDir: string;
  readonly upstreams: Upstreams;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly command: string | null;
  /** Called once, when an exchange could not be recorded. */
  readonly onLoss: (reason: string) => void;
};

export async function startProxy({
  archiveDir,
  upstreams,
  port,
  command,
  onLoss,
}: ProxyOptions): Promise<RunningProxy> {
  const files = new CaptureFiles(archiveDir);
  const { counts } = files;
  const server = createProxy({
    upstreams,
    onExchange: (exchange) =>
      void files.add(exchange).then(() => {
        status.save();
        if (counts.lost === 1 && !isToldOfLoss) onLoss(counts.lastLoss ?? "unknown");
        isToldOfLoss ||= counts.lost > 0;
      }),
  });
  let isToldOfLoss = false;
  const listening = await listenOn(server, port);
  const status = openStatus(archiveDir, { port: listening, command, upstreams }, counts);
  status.save();
  return {
    port: listening,
    counts,
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
      await files.close();
      status.remove();
    },
  };
}

function listenOn(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        error.code === "EADDRINUSE"
          ? new AppError("conflict", `Port ${port} is in use. Choose another with --port, or omit it.`)
          : error,
      ),
    );
    server.listen({ host: "127.0.0.1", port, exclusive: true }, () =>
      resolve((server.address() as { port: number }).port),
    );
  });
}
