// The whole way of a summarizer: a signed-in browser sets it up at the doors, the real client asks a server on loopback.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { summarizerOf } from "#lib/archive/settings/summarizer-setting.ts";
import { dumpOf, inFolder, testHost, withArchive } from "#lib/archive/testing-archive.ts";
import { createToken } from "#lib/archive/settings/access-tokens.ts";
import { cookieName } from "#lib/http/gate.ts";
import { withDoors, type DoorServer } from "#lib/http/testing-http.ts";
import { assistant, trace } from "#lib/kernel/memory/testing-memory.ts";
import { modelSummarizers } from "#lib/models/index.ts";
import { answers, completion, GOOD, withModelServer, type ModelServer } from "#lib/models/testing-models.ts";
import { summarizerAnswer, triedSummarizer } from "#lib/wire/summarizer-schema.ts";
import { systemHost } from "./system-host.ts";

const KEY = "sk-test-4711-abcdefghijklmnop-wxyz";
const DOOR = "/api/settings/summarizer";

type Browser = (method: string, path: string, json?: unknown) => Promise<Response>;
type Ground = { archive: Archive; server: DoorServer; browser: Browser; dir: string };

const grounds = <T>(run: (ground: Ground) => Promise<T>): Promise<T> =>
  inFolder((dir) =>
    withArchive(
      dir,
      (archive) =>
        withDoors(archive, async (server) => {
          const secret = await server.credentials.exchange(server.credentials.newLaunchToken());
          const browser: Browser = (method, path, json) =>
            fetch(server.url + path, {
              method,
              headers: {
                cookie: `${cookieName(server.port)}=${secret}`,
                origin: server.url,
                ...(json === undefined ? {} : { "content-type": "application/json" }),
              },
              ...(json === undefined ? {} : { body: JSON.stringify(json) }),
            });
          return run({ archive, server, browser, dir });
        }),
      { ...testHost(), summarizers: modelSummarizers },
    ),
  );

const setTo = (model: ModelServer, more: object = {}) => ({
  kind: "openai",
  baseUrl: `${model.url}/v1`,
  model: "small-1",
  ...more,
});
const ready = answers(completion("ready"));

test("a person sets a model up, tries it, and its key is never told again", () =>
  withModelServer(ready, (model) =>
    grounds(async ({ browser, dir }) => {
      expect(summarizerAnswer.parse(await (await browser("GET", DOOR)).json())).toMatchObject({ kind: "off" });
      const saved = await browser("PUT", DOOR, setTo(model, { apiKey: KEY }));
      expect(saved.status).toBe(200);
      const result = await saved.text();
      expect(summarizerAnswer.parse(JSON.parse(result))).toMatchObject({ kind: "openai", key: { last4: "wxyz" } });
      const tried = triedSummarizer.parse(await (await browser("POST", `${DOOR}/try`, {})).json());
      expect(tried).toMatchObject({ said: "ready", sentTo: `${model.url}/v1/chat/completions` });
      expect(model.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`]);
      for (const text of [result, await (await browser("GET", DOOR)).text(), JSON.stringify(tried)])
        expect(text).not.toContain(KEY.slice(0, -4));
      expect(readFileSync(join(dir, "summarizer.key"), "utf8")).toContain(KEY);
    }),
  ));

test("another base URL is asked without the key of the one before", () =>
  withModelServer(ready, (good) =>
    withModelServer(ready, (canary) =>
      grounds(async ({ browser }) => {
        await browser("PUT", DOOR, setTo(good, { apiKey: KEY }));
        const moved = summarizerAnswer.parse(await (await browser("PUT", DOOR, setTo(canary))).json());
        expect(moved.key).toEqual({ isSet: false, last4: null });
        expect((await browser("POST", `${DOOR}/try`, {})).status).toBe(200);
        expect(canary.requests.length).toBe(1);
        expect(JSON.stringify(canary.requests)).not.toContain(KEY);
        expect(canary.requests[0]!.headers.authorization).toBeUndefined();
        expect(good.requests).toEqual([]);
      }),
    ),
  ));

test("nobody is asked before a model is set up, nor after it is switched off", () =>
  withModelServer(ready, (model) =>
    grounds(async ({ browser, archive }) => {
      expect((await browser("POST", `${DOOR}/try`, {})).status).toBe(409);
      await browser("PUT", DOOR, setTo(model, { apiKey: KEY }));
      await browser("PUT", DOOR, setTo(model, { kind: "off" }));
      const refused = await browser("POST", `${DOOR}/try`, {});
      expect([refused.status, await refused.json()]).toMatchObject([409, { error: { code: "conflict" } }]);
      expect(summarizerOf(archive)).toBeNull();
      expect(model.requests).toEqual([]);
    }),
  ));

test("an agent's token, and the command line's, neither read nor change where transcripts go", () =>
  withModelServer(ready, (model) =>
    grounds(async ({ server, archive, browser }) => {
      const { token } = await createToken(archive, { scope: "admin" });
      for (const asking of [{ token }, {}])
        for (const [method, path, json] of [
          ["GET", DOOR],
          ["PUT", DOOR, setTo(model)],
          ["POST", `${DOOR}/try`, {}],
        ] as const)
          expect((await server.ask(method, path, { ...asking, ...(json ? { json } : {}) })).status).toBe(403);
      expect(await (await browser("GET", DOOR)).json()).toMatchObject({ kind: "off" });
      expect(model.requests).toEqual([]);
    }),
  ));

describe("a model that fails", () => {
  test.each([
    ["refuses the key", answers({ error: { message: "no" } }, 401), 400, /did not accept the key/],
    ["answers garbage", answers({}), 422, /does not fit this kind/],
    ["redirects", answers({}, 302, { location: "http://169.254.169.254/" }), 400, /not followed/],
    ["is busy", answers({}, 429), 422, /no more requests/],
  ])("and %s is told to the person, and changes nothing", (_, behave, status, words) =>
    withModelServer(behave, (model) =>
      grounds(async ({ browser, archive }) => {
        await browser("PUT", DOOR, setTo(model, { apiKey: KEY }));
        const before = [dumpOf(archive), await (await browser("GET", DOOR)).text()];
        const tried = await browser("POST", `${DOOR}/try`, {});
        const { error } = (await tried.json()) as { error: { message: string } };
        expect([tried.status, model.requests.length]).toEqual([status, 1]);
        expect(error.message).toMatch(words);
        expect(error.message).not.toContain(KEY);
        expect([dumpOf(archive), await (await browser("GET", DOOR)).text()]).toEqual(before);
      }),
    ),
  );

  test.each([
    [{ baseUrl: "http://models.example/v1" }, /Plain http works only/],
    [{ baseUrl: "http://169.254.169.254/" }, /not an allowed address/],
    [{ model: "" }, /Name the model/],
    [{ apiKey: "a b" }, /apiKey/],
  ])("to be set, %j, is refused with its field and its reason", (wrong, words) =>
    withModelServer(ready, (model) =>
      grounds(async ({ browser }) => {
        const refused = await browser("PUT", DOOR, setTo(model, wrong));
        expect(refused.status).toBe(400);
        expect(((await refused.json()) as { error: { message: string } }).error.message).toMatch(words);
      }),
    ),
  );
});

test("what the server is given makes the same client, and sends the turns that were cut", () =>
  withModelServer(answers(completion(JSON.stringify(GOOD))), async (model) => {
    const { summarizers } = systemHost();
    const summarizer = summarizers!.of({ kind: "openai", baseUrl: model.url, model: "small-1", apiKey: null });
    const cut = [trace(1, 1, { content: "Paint the keel" }), assistant(1, 2, "Painted")];
    const { summary } = await summarizer.summarize(cut, { unit: "turn", turnIds: ["turn_0001"] });
    expect(summary).toBe(GOOD.episodic_summary);
    expect(model.requests[0]!.text).toContain("Paint the keel");
  }));
