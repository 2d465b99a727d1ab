// Commands over the archive of a node: what is of its fleet is not said to be absent.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inFolder, withArchive } from "#lib/archive/testing-archive.ts";
import { markNode } from "#lib/fleet/node-archive.ts";
import { entryOf } from "../scripts/bundle.mjs";

const REFUSED = [
  ["webhook list", /Use plimsoll fleet webhook/],
  ["webhook add money http://127.0.0.1:9/hook", /Use plimsoll fleet webhook/],
  ["webhook log money", /Use plimsoll fleet webhook/],
  ["budget", /Use plimsoll fleet budget/],
  ["budget set day 20", /Use plimsoll fleet budget/],
  ["search --saved", /The page Search has them/],
  ["search --saved tides", /The page Search has them/],
  ["search tides --save tides", /The page Search has them/],
  ["search --drop tides", /The page Search has them/],
] as const;
const LISTED = ["sessions", "usage", "findings", "artifacts", "search tides"];

test("a node's archive leads to its fleet; one of a machine lists its own", { timeout: 120_000 }, () =>
  inFolder(async (dir) => {
    const archive = join(dir, "node");
    await withArchive(archive, async () => undefined);
    const env = { PATH: process.env["PATH"], HOME: dir, PLIMSOLL_ARCHIVE: archive, NODE_ENV: "test" as const };
    const plimsoll = (words: string): { status: number | null; out: string; err: string } => {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [entryOf("bin/plimsoll.ts"), ...words.split(" ")],
        { env, encoding: "utf8" },
      );
      return { status, out: stdout, err: stderr };
    };
    markNode(archive, true);
    for (const [words, where] of REFUSED)
      expect([words, plimsoll(words)]).toEqual([words, { status: 1, out: "", err: expect.stringMatching(where) }]);
    const part = /^This archive is a node's cache: the fleet may have more than is listed\.\n/;
    for (const words of LISTED)
      expect([words, plimsoll(words)]).toMatchObject([words, { status: 0, err: expect.stringMatching(part) }]);
    markNode(archive, false);
    expect(plimsoll("webhook list")).toEqual({ status: 0, out: expect.stringMatching(/^No webhooks/), err: "" });
    expect(plimsoll("budget")).toMatchObject({ status: 0, err: "" });
    expect(plimsoll("sessions")).toMatchObject({ status: 0, err: "" });
  }),
);
