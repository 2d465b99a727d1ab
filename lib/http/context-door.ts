// A rendered context as a download: the very request body, as a provider would be sent it.
import { anyContextPayload } from "#lib/archive/memory/plan-context.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { contextQuery } from "#lib/wire/memory-schema.ts";
import { sendBytes } from "./bytes.ts";
import { checked, sessionParams } from "./params.ts";
import type { Door } from "./server.ts";

export const contextDoor =
  (archive: Archive): Door =>
  async ({ request, response, params, query }) => {
    const { id } = checked(sessionParams, params, "path");
    const { inline, ...asked } = Object.fromEntries(query);
    const { name, json } = await anyContextPayload(archive, id, checked(contextQuery, asked, "query"));
    const whole = Buffer.from(json);
    const bytes = {
      name,
      sizeBytes: whole.length,
      contentType: "application/json",
      digest: null,
      read: async function* ({ start, end } = { start: 0, end: whole.length }) {
        yield whole.subarray(start, end);
      },
    };
    await sendBytes(request, response, bytes, inline === "1");
  };
