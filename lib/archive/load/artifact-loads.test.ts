// What an artifact weighs: one figure, in the list and on its own page. Records are synthetic.
import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { answer, asks, prompt, result } from "#lib/formats/claude-code/testing-claude.ts";
import { artifactsQuery } from "#lib/wire/artifacts-schema.ts";
import { listArtifacts } from "../sessions/list-artifacts.ts";
import { showArtifact } from "../sessions/show-artifact.ts";
import { withRecords } from "../testing-archive.ts";
import { judgeSession } from "./compute-verdict.ts";

/** The head of a PNG of 1,112 × 2,532 px, and bytes enough to be kept as an artifact. */
const PNG = Buffer.concat([
  Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"),
  Buffer.from([0, 0, 0x04, 0x58, 0, 0, 0x09, 0xe4, 8, 2, 0, 0, 0, 0, 0, 0, 0]),
  randomBytes(6000),
]);
const usage = (read: number) => ({
  ...{ input_tokens: 10, cache_read_input_tokens: read, cache_creation_input_tokens: 100, output_tokens: 5 },
});

test("an image weighs on its page what the list says: its event, on the scale of the reported prompts", () =>
  withRecords(
    {
      "a.jsonl": [
        prompt("u1", 1, "look at the picture"),
        answer("a1", 2, "1", asks("t1", "Read", { file_path: "/p.png" }), { usage: usage(9000) }),
        result("r1", 3, "t1", [
          { type: "text", text: "one image" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: PNG.toString("base64") } },
        ]),
        answer("a2", 4, "2", { type: "text", text: "a wall" }, { usage: usage(10_700) }),
      ],
    },
    async (archive) => {
      const [session] = archive.sqlite.prepare("SELECT pk FROM sessions").all() as { pk: number }[];
      await judgeSession(archive, session!.pk);
      const { artifacts } = await listArtifacts(archive, artifactsQuery.parse({}));
      expect(artifacts.map(({ contentType }) => contentType)).toEqual(["image/png"]);
      const [{ pointer, load }] = artifacts as [(typeof artifacts)[number]];
      expect(load!.tokens).toBeGreaterThan(1000);
      const page = await showArtifact(archive, pointer);
      expect([page.tokens, page.tokensOrigin]).toEqual([load!.tokens, load!.origin]);
    },
  ));
