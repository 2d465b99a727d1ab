// What is read, and what reads: for the endpoint, and for the page that is made with the answer in it.
import { listSources } from "#lib/archive/sources/list-sources.ts";
import { KNOWN_FORMATS } from "#lib/archive/import/known-formats.ts";
import { listUnmatched } from "#lib/archive/import/unmatched.ts";
import { runningProxies } from "#lib/proxy/proxy-status.ts";
import type { SourcesAnswer } from "#lib/wire/sources-schema.ts";
import type { AppContext } from "./app-context.ts";

export async function sourcesNow(
  { archive, imports }: Pick<AppContext, "archive" | "imports">,
  query: Parameters<typeof listSources>[1],
): Promise<SourcesAnswer> {
  return {
    roots: await imports.roots(),
    proxies: runningProxies(archive.dir),
    telemetry: imports.received(),
    unmatched: listUnmatched(archive),
    formats: KNOWN_FORMATS,
    ...(await listSources(archive, query, await imports.folders())),
    import: imports.progress(),
  };
}
