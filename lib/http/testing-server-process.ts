// The server that the client's tests meet (lib/client/testing-server.ts): says where it listens and its tokens, and ends with its
// standard input.
import { createToken } from "#lib/archive/settings/access-tokens.ts";
import { inArchive, testHost, withArchive } from "#lib/archive/testing-archive.ts";
import { compactionSettings } from "#lib/kernel/memory/settings.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { withDoors } from "./testing-http.ts";

const { TEST_ARCHIVE: dir } = process.env;
const host = { ...testHost(), compaction: compactionSettings(process.env) };

const serve = (archive: Archive): Promise<void> =>
  withDoors(archive, async ({ url }) => {
    const tokens = {
      read: (await createToken(archive, { scope: "read" })).token,
      write: (await createToken(archive, { scope: "write" })).token,
    };
    console.log(JSON.stringify({ url, tokens }));
    await new Promise((done) => process.stdin.on("end", done).resume());
  });

await (dir === undefined ? inArchive(serve) : withArchive(dir, serve, host));
