// What `npm start -- …` and the environment say about the server.
import { isIP } from "node:net";
import { delimiter, resolve } from "node:path";
import { parseArgs } from "node:util";
import { fail, isAppError } from "#lib/kernel/errors.ts";

/** 4567, or the next free one of these. */
export const DEFAULT_PORT = 4567;
export const PORTS_TRIED = 32;

export type ServeOptions = {
  /** A port that was asked for must be free; 0 lets the system choose. */
  readonly port: { readonly wanted: number; readonly isGiven: boolean };
  readonly archive: string | null;
  /** Folders and files in place of the default sources; null for the default ones. */
  readonly sources: readonly string[] | null;
  readonly open: boolean;
  /** False: the endpoints alone, for agents; nothing has to be built. */
  readonly pages: boolean;
  readonly dev: boolean;
};

/** Reads the options, or fails with the sentence that the person needs. */
export function readServeOptions(argv: readonly string[], env: NodeJS.ProcessEnv): ServeOptions {
  const { values } = parse(argv);
  refuseOpenHost(values.host ?? env["PLIMSOLL_HOST"], "--host");
  // Some shells export HOST as the machine's name; only an address is somebody's wish.
  if (isIP(env["HOST"] ?? "") !== 0) refuseOpenHost(env["HOST"], "HOST");

  const request = values.port ?? env["PLIMSOLL_PORT"];
  const archive = values.archive ?? env["PLIMSOLL_ARCHIVE"];
  const sources = values.sources ?? (env["PLIMSOLL_SOURCES"] ? env["PLIMSOLL_SOURCES"].split(delimiter) : undefined);
  return {
    port:
      request === undefined || request === ""
        ? { wanted: DEFAULT_PORT, isGiven: false }
        : { wanted: portOf(request), isGiven: true },
    archive: archive ? resolve(archive) : null,
    sources: sources ? sources.filter((path) => path !== "").map((path) => resolve(path)) : null,
    open: values["no-open"] !== true && values["no-pages"] !== true && canOpen(env),
    pages: values["no-pages"] !== true,
    dev: values.dev === true,
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        port: { type: "string" },
        host: { type: "string" },
        archive: { type: "string" },
        sources: { type: "string", multiple: true },
        "no-open": { type: "boolean" },
        "no-pages": { type: "boolean" },
        dev: { type: "boolean" },
      },
    });
  } catch (error) {
    if (isAppError(error)) throw error;
    return fail(
      "invalid",
      `${error instanceof Error ? error.message.split(". ")[0] : "Unknown words"}. Known: --port N, --archive DIR, --sources PATH (repeatable), --no-open, --no-pages.`,
      error,
    );
  }
}

function portOf(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) fail("invalid", `"${text}" is not a port: a number from 0 to 65535.`);
  return port;
}

function refuseOpenHost(host: string | undefined, from: string): void {
  if (host === undefined || host === "" || host === "127.0.0.1" || host === "localhost") return;
  fail("unsupported", `${from} is ${host}, but Plimsoll listens on 127.0.0.1 only. Leave ${from} out.`);
}

function canOpen(env: NodeJS.ProcessEnv): boolean {
  if (env["CI"] || env["PLIMSOLL_NO_OPEN"] || env["SSH_CONNECTION"]) return false;
  if (process.platform === "darwin" || process.platform === "win32") return true;
  return Boolean(env["DISPLAY"] || env["WAYLAND_DISPLAY"]);
}
