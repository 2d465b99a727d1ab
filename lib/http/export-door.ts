// A session as a file of our own format. Its length is known at its end alone, so it is sent in chunks: a failure on the way
// breaks the connection, and no client takes a part for the whole.
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { exportName, exportSession } from "#lib/archive/sessions/export-session.ts";
import { inPieces } from "#lib/kernel/in-pieces.ts";
import { sendStream } from "./bytes.ts";
import { checked, sessionParams } from "./params.ts";
import type { Door } from "./server.ts";

export const exportDoor =
  (archive: Archive): Door =>
  async ({ request, response, params }) => {
    const { id } = checked(sessionParams, params, "path");
    const name = exportName(archive, id);
    const pieces = inPieces(exportSession(archive, id));
    await sendStream(request, response, { name, contentType: "application/x-ndjson", pieces });
  };
