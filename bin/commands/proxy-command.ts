// The capture proxy, until it is interrupted.
import { DEFAULT_PORT } from "../serve-options.ts";
import { startProxy, type RunningProxy } from "#lib/proxy/start-proxy.ts";
import { PROVIDERS, upstreamsOf } from "#lib/proxy/upstreams.ts";
import { archiveDir } from "./archive-dir.ts";
import { count, counted, printJson } from "./print.ts";
import { numberOption, textOption, WrongWords, type Run, type Words } from "./args.ts";

/** Beside the server's ports. */
const PROXY_PORT = DEFAULT_PORT + 1000;

export const run: Run = async (words) => {
  const upstreams = upstreamsOf(process.env, namedUpstreams(words));
  const port = numberOption(words, "port", PROXY_PORT);
  if (port > 65_535) throw new WrongWords(`--port takes a number up to 65535, not ${port}.`);
  const proxy = await startProxy({ archiveDir: archiveDir(words), upstreams, port, command: null, onLoss: warnOfLoss });
  const address = `http://127.0.0.1:${proxy.port}`;
  if (words.options["json"] === true) printJson({ address, upstreams });
  else {
    console.log("Plimsoll records the requests that programs make through:\n");
    for (const one of PROVIDERS) console.log(`  ${`${address}/${one}`.padEnd(36)}  to ${upstreams[one]}`);
    console.log(
      "\nSet a program's base URL to one of them. Keys pass through and are not stored. Press Ctrl-C to stop.",
    );
  }
  await new Promise<void>((done) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => done());
  });
  await proxy.close();
  if (words.options["json"] !== true) console.log(`\n${summaryOf(proxy)}`);
};

export const namedUpstreams = (words: Words) =>
  Object.fromEntries(
    PROVIDERS.flatMap((one) => {
      const url = textOption(words, one);
      return url === undefined ? [] : [[one, url]];
    }),
  );

export const warnOfLoss = (reason: string): void =>
  console.error(`Plimsoll could not record a request (${reason}). The request itself went through.`);

export function summaryOf({ counts: { exchanges, cut, lost } }: RunningProxy): string {
  const parts = [
    `${counted(exchanges, "request")} recorded`,
    ...(cut > 0 ? [`${count(cut)} over 16 MB, recorded without the body`] : []),
    ...(lost > 0 ? [`${count(lost)} not recorded`] : []),
  ];
  return `${parts.join(", ")}.`;
}
