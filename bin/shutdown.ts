// The end of the server: what is asked is answered within five seconds, then everything is closed. A second
// signal ends it now; both are safe, because the archive loses nothing when its process dies.
import type { Server } from "node:http";

const DRAIN_MS = 5000;
// The terminal signals the whole group and npm forwards the signal again: within this time it is one wish.
const SAME_SIGNAL_MS = 500;

/** Ends the process on SIGTERM, SIGINT, SIGHUP, or when the process that started it is gone. */
export function closeOnSignals(server: Server, parts: { endStreams: () => void; close: () => Promise<void> }): void {
  let endingSince: number | null = null;
  const end = (signal: string): void => {
    if (endingSince !== null) {
      if (Date.now() - endingSince > SAME_SIGNAL_MS) process.exit(130);
      return;
    }
    endingSince = Date.now();
    drain(server, parts).then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(`Plimsoll could not shut down cleanly after ${signal}:`, error);
        process.exit(1);
      },
    );
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => end(signal));
  if (process.channel) {
    process.on("disconnect", () => end("the end of its parent process"));
    process.channel.unref();
  }
}

async function drain(server: Server, parts: { endStreams: () => void; close: () => Promise<void> }): Promise<void> {
  const force = setTimeout(() => server.closeAllConnections(), DRAIN_MS - 500);
  const hard = setTimeout(() => process.exit(0), DRAIN_MS);
  const closed = new Promise<void>((done) => server.close(() => done()));
  parts.endStreams();
  server.closeIdleConnections();
  await closed;
  clearTimeout(force);
  await parts.close();
  clearTimeout(hard);
}
