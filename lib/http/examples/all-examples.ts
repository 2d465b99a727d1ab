// The example of every endpoint, and how it is sent.
import type { Endpoint } from "../endpoint.ts";
import { artifactExamples } from "./artifact-examples.ts";
import type { Example, Examples } from "./example.ts";
import { fleetExamples } from "./fleet-examples.ts";
import { serverExamples } from "./server-examples.ts";
import { sessionExamples } from "./session-examples.ts";
import { settingsExamples } from "./settings-examples.ts";

export const EXAMPLES: Examples = {
  ...serverExamples,
  ...sessionExamples,
  ...artifactExamples,
  ...settingsExamples,
  ...fleetExamples,
};

export function exampleOf({ method, path }: Pick<Endpoint, "method" | "path">): Example {
  const example = EXAMPLES[`${method} ${path}`];
  if (example === undefined) throw new Error(`${method} ${path} has no example. Add one in lib/http/examples.`);
  return example;
}

/** The address of an example, with its query. */
export function exampleUrl(path: string, { params = {}, query }: Example): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  return query === undefined ? filled : `${filled}?${new URLSearchParams(query).toString()}`;
}

/** The example as a command for a POSIX shell; null where nobody but a signed-in person may ask. */
export function exampleCurl({ method, path, auth }: Endpoint, example: Example): string | null {
  if (auth === "browser" || auth === "human") return null;
  const { body, content, accept } = example;
  const type = body === undefined ? content?.type : "application/json";
  const data = body === undefined ? content?.text : JSON.stringify(body);
  return [
    `curl${method === "GET" ? "" : ` -X ${method}`} "$PLIMSOLL_URL"${quoted(exampleUrl(path, example))}`,
    ...(auth === "open" ? [] : ['-H "Authorization: Bearer $PLIMSOLL_TOKEN"']),
    ...(accept === undefined ? [] : [`-H ${quoted(`Accept: ${accept}`)}`]),
    ...(type === undefined ? [] : [`-H ${quoted(`Content-Type: ${type}`)}`]),
    ...(data === undefined ? [] : [`--data-binary ${quoted(data)}`]),
  ].join(" \\\n  ");
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
