// The server: opens the archive, listens on 127.0.0.1, and puts the gate in front of Next. It alone opens
// anything; code that Next bundles finds it in the slot. Started by bin/plimsoll.mjs.
import { randomBytes } from "node:crypto";
import { EventEmitter } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { join } from "node:path";
import { closeArchive, openArchive } from "#lib/archive/archive.ts";
import { defaultArchiveDir } from "#lib/archive/base/archive-folder.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { isNoRoom } from "#lib/archive/base/is-no-room.ts";
import { endFollowing } from "#lib/archive/load/followed-models.ts";
import { comparePrices, followPrices, keepPrices, resumeModels } from "#lib/archive/settings/model-settings.ts";
import { liveToken, tokenUses } from "#lib/archive/settings/access-tokens.ts";
import { markNode } from "#lib/fleet/node-archive.ts";
import type { NodeAddress } from "#lib/fleet/held/node-list.ts";
import { visibilityOf } from "#lib/http/bound.ts";
import { createChanges } from "#lib/http/changes.ts";
import { sendWebhooks } from "#lib/http/webhook-sender.ts";
import { warnOfLoad } from "#lib/http/load-warnings.ts";
import { openCredentials } from "#lib/http/credentials.ts";
import { withFleetCredentials } from "#lib/http/fleet-credentials.ts";
import { askServer, removeAddress, writeAddress } from "#lib/http/running-server.ts";
import { readAddress } from "#lib/http/server-address.ts";
import { createPlimsollServer, portOf } from "#lib/http/server.ts";
import { setAppContext } from "#lib/http/app-context.ts";
import type { AppContext } from "#lib/http/app-context.ts";
import { AppError, fail, isAppError } from "#lib/kernel/errors.ts";
import { createSearcher } from "./search-thread.ts";
import { followSending } from "./follow-sending.ts";
import { createImports } from "./server-imports.ts";
import { systemHost } from "./system-host.ts";
import { listen } from "./listen.ts";
import { openBrowser, removeOpenFile } from "./open-browser.ts";
import { projectDir } from "./default-paths.ts";
import { readServeOptions } from "./serve-options.ts";
import { closeOnSignals } from "./shutdown.ts";
import { watchSpool } from "./watch-spool.ts";

/** Until its words are read, what is wrong is the usage. */
let isRead = false;

async function serve(): Promise<void> {
  const options = readServeOptions(process.argv.slice(2), process.env);
  isRead = true;
  (process.env as Record<string, string>)["NODE_ENV"] = options.dev ? "development" : "production";
  process.env["NEXT_TELEMETRY_DISABLED"] = "1";
  if (options.pages && !options.dev && !existsSync(join(projectDir, ".next", "BUILD_ID"))) {
    fail("unsupported", "The pages are not built yet. Start with npm start, which builds them.");
  }
  const dir = options.archive ?? defaultArchiveDir(process.env);
  const archive = await openOrExplain(dir);

  const nonce = randomBytes(32).toString("hex");
  const changes = createChanges(randomBytes(4).toString("hex"));
  const imports = await createImports({ archive, changes, sources: options.sources });
  const searcher = createSearcher(archive);
  archive.searcher = searcher;
  warnOfLoad(archive, changes);
  const uses = tokenUses(archive);
  const credentials = openCredentials(dir, Date.now, {
    live: (token) => liveToken(archive, token),
    note: (id) => uses.note(id),
  });
  const newLink = (): string => `http://127.0.0.1:${portOf(server)}/?token=${credentials.newLaunchToken()}`;
  // What a node needs is loaded where this server is to be one: others start without it.
  const isNode = [process.env["PLIMSOLL_DATABASE"], process.env["PLIMSOLL_BUCKET"]].some((one) => (one ?? "") !== "");
  const node = isNode ? await (await import("./open-node.ts")).openNode(archive, imports) : null;
  const fleet = node?.fleet ?? null;
  markNode(dir, isNode);
  if (!isNode) await endFollowing(archive);
  const sending = followSending(archive, changes);
  const app: AppContext = { archive, imports, fleet, sending, changes, nonce, newLink };
  const publicUrl = publicUrlOf(process.env["PLIMSOLL_PUBLIC_URL"]);
  setAppContext(app);
  const pages = options.pages ? preparePages(options.dev) : noPages();
  const server: Server = createPlimsollServer({
    credentials: withFleetCredentials(credentials, fleet),
    visibility: visibilityOf(archive),
    answer: (endpoint, incoming) => endpoint.handle(app, incoming),
    next: async (request, response) => (await pages.ready)(request, response),
    dev: options.dev,
    publicUrl,
    ...(options.dev
      ? { upgrade: (request, socket, head) => void pages.sockets.emit("upgrade", request, socket, head) }
      : {}),
  });
  const port = await listen(server, options.port);
  const link = (id: string): string => new URL(`/sessions/${id}`, publicUrl ?? `http://127.0.0.1:${port}`).href;
  // Those of a node are of its fleet.
  const webhooks = fleet === null ? sendWebhooks(archive, changes, { link }) : null;
  const endSpool = watchSpool(archive, () => changes.publish({ type: "sessions" }));
  closeOnSignals(server, {
    endStreams: () => changes.close(),
    close: async () => {
      removeOpenFile(dir);
      await removeAddress(dir, nonce);
      await endSpool();
      await sending.close();
      await fleet?.close();
      await webhooks?.close();
      await uses.flush().catch(() => undefined);
      // What is written is waited for below.
      void keepPrices(archive);
      await imports.close();
      await searcher.close();
      await closeArchive(archive);
    },
  });
  await writeAddress(dir, { pid: process.pid, port, nonce, token: credentials.bearer }).catch((error: unknown) => {
    if (!isNoRoom(error)) throw error;
    console.error("The disk is full, so the command line cannot find this server. Free some space.");
  });

  const own = nodeAddress(port);
  const launch = newLink();
  console.log(
    `\n  Plimsoll shows ${dir}\n\n  Open  ${launch}\n\n  The link signs in one browser within 10 minutes. Press Ctrl-C to stop.\n`,
  );
  // Before it: what a node catalogues has the dollars of this release's prices.
  if (isNode) await comparePrices(archive);
  await node?.run(own, link);
  process.send?.({ ready: true, port, link: launch });
  // A link of its own, so that the printed one still works.
  if (options.open) await openBrowser(newLink(), dir);
  else removeOpenFile(dir);
  await pages.ready;
  imports.watch();
  sending.start();
  // A price table that is another, or a change of windows or prices whose figures were not all worked out when the server ended.
  void (isNode ? resumeModels(archive) : followPrices(archive));
}

/** Where the other nodes reach this one: behind a proxy it says so. Its gate takes its own Host alone. */
function nodeAddress(port: number): NodeAddress {
  const own = `http://127.0.0.1:${port}`;
  const address = process.env["PLIMSOLL_NODE_ADDRESS"] || own;
  if (!/^https?:$/.test(URL.parse(address)?.protocol ?? ""))
    fail(
      "invalid",
      `PLIMSOLL_NODE_ADDRESS is "${address.slice(0, 80)}". Give an address like https://node-1.example.com.`,
    );
  return { address, host: `127.0.0.1:${port}` };
}

/** Where browsers find a node, when a proxy stands before it. */
function publicUrlOf(text = ""): URL | null {
  if (text === "") return null;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.pathname !== "/" || url.search !== "")
    fail(
      "invalid",
      `PLIMSOLL_PUBLIC_URL is "${text.slice(0, 80)}". Give an address like https://plimsoll.example.com.`,
    );
  return url;
}

/** Next, starting beside us: requests that come before it is ready wait for it. */
function preparePages(dev: boolean) {
  // Next would take upgrade requests from the server itself, past the gate; it is given this to listen to instead.
  const sockets = new EventEmitter();
  if (!dev) {
    // As Next's own standalone server does: the settings of the build. Reading next.config.mjs would load what builds pages.
    const built = readFileSync(join(projectDir, ".next", "required-server-files.json"), "utf8");
    process.env["__NEXT_PRIVATE_STANDALONE_CONFIG"] = JSON.stringify((JSON.parse(built) as { config: object }).config);
  }
  // Next is CommonJS; as a namespace import its function would hide behind `default`. A package brings it beside the pages.
  const next = createRequire(join(projectDir, ".next", "package.json"))("next") as typeof import("next").default;
  const app = next({
    dev,
    dir: projectDir,
    hostname: "127.0.0.1",
    // Only for addresses that Next writes itself, and it is given the Host of every request.
    port: 80,
    httpServer: sockets as unknown as Server,
    quiet: !dev,
  });
  const ready = app
    .prepare()
    .then((): ((request: IncomingMessage, response: ServerResponse) => Promise<void>) => app.getRequestHandler());
  ready.catch(() => undefined);
  return { ready, sockets };
}

/** In place of the pages. */
function noPages(): ReturnType<typeof preparePages> {
  const refuse = async (_: IncomingMessage, response: ServerResponse): Promise<void> =>
    void response
      .writeHead(404, { "content-type": "text/plain" })
      .end("Started with --no-pages: only /api is available.\n");
  return { ready: Promise.resolve(refuse), sockets: new EventEmitter() };
}

async function openOrExplain(dir: string): Promise<Archive> {
  try {
    return await openArchive({ dir, host: systemHost() });
  } catch (error) {
    if (isAppError(error)) {
      if (error.code !== "conflict") throw error;
      const running = await readAddress(dir);
      const link = await linkOfRunning(dir);
      if (running === null || link === null) throw error;
      const text = `Plimsoll already shows this archive (process ${running.pid}, port ${running.port}). A new link to it: ${link}`;
      throw new AppError("conflict", text, { cause: error });
    }
    const code = (error as NodeJS.ErrnoException).code ?? "";
    const reason = reasons[code];
    if (reason === undefined) throw error;
    throw new AppError(
      "unsupported",
      `The archive folder ${dir} ${reason}. Choose another: npx plimsoll start --archive DIR.`,
      {
        cause: error,
      },
    );
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: "is not writable for this user",
  EPERM: "is not writable for this user",
  EROFS: "is on a read-only file system",
  ENOTDIR: "is not a folder",
  EEXIST: "is not a folder",
  ENOSPC: "is on a full disk",
  SQLITE_CANTOPEN: "is not writable for this user",
  SQLITE_READONLY: "is read-only",
};

async function linkOfRunning(dir: string): Promise<string | null> {
  try {
    const request = await askServer(dir, "/api/launch", {});
    const link = (request?.answer as { link?: unknown } | undefined)?.link;
    return typeof link === "string" ? link : null;
  } catch {
    // It holds the archive but does not answer (it is ending, or stopped): the lock's own sentence says enough.
    return null;
  }
}

try {
  await serve();
} catch (error) {
  // A sentence for what a person can do something about; the stack for what only we can.
  console.error(isAppError(error) ? error.message : error);
  process.exit(!isRead && isAppError(error) && error.code === "invalid" ? 2 : 1);
}
