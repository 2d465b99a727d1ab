// A fleet as a person sets it up, by its commands alone: made, two nodes started, sessions sent from a laptop, listed by the node
// that did not take them in, and opened there.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { inFolder, put } from "#lib/archive/testing-archive.ts";
import { sessionRecords, testFleet } from "#lib/fleet/testing-fleet.ts";
import { entryOf } from "../scripts/bundle.mjs";

const found = await testFleet();
const ends: (() => Promise<unknown>)[] = [];
afterEach(() => Promise.all(ends.splice(0).map((end) => end())));

type Said = { readonly code: number | null; readonly out: string; readonly err: string };

function plimsoll(env: NodeJS.ProcessEnv, ...words: string[]): Promise<Said> {
  const child = spawn(process.execPath, [entryOf("bin/plimsoll.ts"), ...words], { env });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk) => (out += String(chunk)));
  child.stderr.on("data", (chunk) => (err += String(chunk)));
  return new Promise((done) => child.once("close", (code) => done({ code, out, err })));
}

type Node = { readonly url: string; ask(path: string): Promise<Response> };

/** A node with its endpoints alone; it ends with the test. */
async function startNode(env: NodeJS.ProcessEnv, archive: string): Promise<Node> {
  const words = [entryOf("bin/serve.ts"), "--no-pages", "--port", "0", "--archive", archive, "--sources", archive];
  const child = spawn(process.execPath, words, { env, stdio: ["ignore", "ignore", "pipe", "ipc"] });
  let said = "";
  child.stderr!.on("data", (chunk) => (said += String(chunk)));
  const ended = new Promise((done) => child.once("exit", done));
  ends.push(() => (child.kill("SIGTERM"), ended));
  const port = await new Promise<number>((done, failed) => {
    child.on("message", (message: { ready?: boolean; port: number }) => message.ready && done(message.port));
    void ended.then(() => failed(new Error(`The node ended: ${said}`)));
  });
  const url = `http://127.0.0.1:${port}`;
  const { token } = JSON.parse(readFileSync(join(archive, "endpoint.json"), "utf8")) as { token: string };
  return { url, ask: (path) => fetch(url + path, { headers: { authorization: `Bearer ${token}` } }) };
}

const skipped = "missing" in found ? ` (NOT RUN: ${found.missing})` : "";

describe.skipIf("missing" in found)(`a fleet by its commands${skipped}`, () => {
  test("made, sent to, listed, opened on the other node, watched", { timeout: 120_000 }, () =>
    inFolder(async (dir) => {
      const { database, bucket } = (found as Extract<typeof found, { address: object }>).address;
      const plain = { PATH: process.env["PATH"], HOME: join(dir, "home"), NODE_ENV: "production" } as const;
      const laptop = { ...plain, PLIMSOLL_ARCHIVE: join(dir, "laptop") };
      const fleet = { ...plain, PLIMSOLL_DATABASE: database, PLIMSOLL_BUCKET: bucket };
      mkdirSync(plain.HOME);

      expect(await plimsoll(plain, "fleet", "stats")).toMatchObject({
        code: 2,
        err: expect.stringMatching(/PLIMSOLL_DATABASE and PLIMSOLL_BUCKET/),
      });
      expect(await plimsoll(fleet, "fleet", "stats")).toMatchObject({
        code: 1,
        err: expect.stringMatching(/plimsoll fleet init/),
      });
      expect((await plimsoll(fleet, "fleet", "init")).err).toBe("");
      expect(await plimsoll(fleet, "fleet", "migrate")).toMatchObject({
        code: 0,
        out: expect.stringMatching(/already/),
      });
      expect(await plimsoll(fleet, "fleet", "init", "--admin", "ann@example.com")).toMatchObject({
        code: 0,
        out: expect.stringMatching(/ann@example\.com is an admin of all projects/),
      });
      const [one, two] = await Promise.all([startNode(fleet, join(dir, "one")), startNode(fleet, join(dir, "two"))]);
      expect((await two.ask("/api/ready")).status).toBe(200);

      const id = "0a1b2c3d-0000-4000-8000-000000000009";
      const text = sessionRecords(id, "/home/user/shop", ["mend the mooring line", "and the buoy"])
        .map((record) => `${JSON.stringify(record)}\n`)
        .join("");
      const logs = join(dir, "logs", "projects", "-home-user-shop");
      put(logs, `${id}.jsonl`, text);
      const created = await plimsoll({ ...fleet, PLIMSOLL_ARCHIVE: join(dir, "one") }, "token", "create", "--json");
      const { token } = JSON.parse(created.out) as { token: string };
      const sending = { ...laptop, PLIMSOLL_SEND_TO: one.url, PLIMSOLL_SEND_TOKEN: token };
      const send = (...words: string[]): Promise<Said> =>
        plimsoll(sending, "send", logs, "--project", "shop", ...words);
      expect(await send("--dry-run")).toMatchObject({ code: 0, err: "", out: expect.stringMatching(/1 would send/) });
      expect(await plimsoll(fleet, "fleet", "stats", "--json").then(({ out }) => JSON.parse(out))).toMatchObject({
        objects: { count: 0 },
      });
      expect(
        await plimsoll({ ...sending, PLIMSOLL_SEND_TO: `${sending.PLIMSOLL_SEND_TO}/sessions` }, "send", logs),
      ).toMatchObject({
        code: 2,
        err: expect.stringContaining(`has the path /sessions. Leave it out: ${sending.PLIMSOLL_SEND_TO}`),
      });
      const wrong = await plimsoll({ ...sending, PLIMSOLL_SEND_TOKEN: `plm_${"x".repeat(43)}` }, "send", logs);
      expect(wrong.code).toBe(1);
      expect(await send()).toMatchObject({ code: 0, err: "", out: expect.stringMatching(/1 sent/) });
      expect(await send()).toMatchObject({ code: 0, out: expect.stringMatching(/1 unchanged/) });

      // A token of one project says where to.
      const quay = await plimsoll(fleet, "fleet", "token", "create", "--project", "quay", "--json");
      const ofQuay = { ...sending, PLIMSOLL_SEND_TOKEN: (JSON.parse(quay.out) as { token: string }).token };
      const other = join(dir, "quay-logs");
      const quayId = "0a1b2c3d-0000-4000-8000-000000000008";
      const records = sessionRecords(quayId, "/home/user/quay", ["paint the quay"]);
      put(other, `${quayId}.jsonl`, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
      expect(await plimsoll(ofQuay, "send", other, "--dry-run")).toMatchObject({
        ...{ code: 0, err: "" },
        out: expect.stringMatching(/1 would send: .*, project quay\n$/),
      });
      expect(JSON.parse((await plimsoll(ofQuay, "send", other, "--json")).out)).toMatchObject({
        ...{ project: "quay", results: [{ title: "paint the quay", state: "sent" }] },
      });
      expect(await plimsoll({ ...ofQuay, PLIMSOLL_SEND_PROJECT: "shop" }, "send", other)).toMatchObject({
        ...{ code: 1, out: "" },
        err: expect.stringMatching(/You may not send to the project shop/),
      });

      type Listed = { total: number; sessions: { id: string; title: string; turns: number }[] };
      const list = async (): Promise<Listed> => (await two.ask("/api/sessions?q=mooring")).json() as Promise<Listed>;
      await vi.waitFor(async () => expect((await list()).total).toBe(1), { timeout: 30_000, interval: 200 });
      const [session] = (await list()).sessions;
      expect(session).toMatchObject({ title: "mend the mooring line", turns: 2 });
      const raw = await two.ask(`/api/sessions/${session!.id}/events/1/raw`);
      expect([raw.status, await raw.text()]).toEqual([200, text.split("\n")[0]]);

      const metrics = await (await one.ask("/metrics")).text();
      expect(metrics).toMatch(/^plimsoll_database_up 1$/m);
      expect(await plimsoll(fleet, "fleet", "check")).toMatchObject({ code: 0, err: "" });
      expect((await plimsoll(fleet, "fleet", "stats")).out).toMatch(/shop\s+1\s+1/);

      const ofSession = (...words: string[]): Promise<Said> => plimsoll(fleet, "fleet", ...words);
      expect(await ofSession("delete", session!.id)).toMatchObject({
        code: 2,
        err: expect.stringMatching(/--dry-run/),
      });
      expect((await ofSession("delete", session!.id, "--dry-run")).out).toMatch(/mooring line\nWould delete 1 session/);
      const reason = ["--yes", "--reason", "a password"];
      expect((await ofSession("delete", session!.id, ...reason)).out).toMatch(/Deleted 1 session of shop/);
      expect((await list()).total).toBe(0);
      await vi.waitFor(async () => expect((await two.ask(`/api/sessions/${session!.id}`)).status).toBe(404), {
        timeout: 30_000,
        interval: 100,
      });
      expect((await ofSession("deleted", "--project", "shop")).out).toMatch(/mooring line.*a password +yes/);
      put(
        logs,
        `${id}.jsonl`,
        `${text}${JSON.stringify({ type: "summary", summary: "Moorings", leafUuid: `${id}-a1` })}\n`,
      );
      expect(await send()).toMatchObject({
        code: 0,
        err: "",
        out: expect.stringMatching(/was deleted on .*1 deleted/s),
      });
      expect((await ofSession("restore", session!.id)).out).toMatch(/^Restored/);
      await vi.waitFor(async () => expect((await list()).total).toBe(1), { timeout: 30_000, interval: 200 });
      expect(await ofSession("restore", session!.id)).toMatchObject({
        code: 1,
        err: expect.stringMatching(/fleet deleted/),
      });
      expect((await ofSession("retention", "set", "--project", "shop", "--bytes", "1B", "--dry-run")).out).toMatch(
        /^Would delete 1 session, .* of shop$/m,
      );
      expect((await ofSession("retention", "list")).out).toMatch(/^No project has limits/);
      expect(
        (await ofSession("retention", "set", "--project", "shop", "--days", "3650", "--bytes", "1.5GB")).out,
      ).toMatch(/the last 3,650 days, at most 1.5 GB\. Nodes apply it within 10 minutes\.$/m);
      expect((await ofSession("retention", "list")).out).toMatch(/^shop: keeps/);
      expect((await ofSession("retention", "remove", "--project", "shop")).out).toMatch(/keeps everything/);
      expect((await ofSession("budget", "list")).out).toBe("No budgets. Set one: plimsoll fleet budget set day 20\n");
      expect((await ofSession("budget", "set", "month", "20", "--project", "shop")).out).toMatch(
        /^month +\$20\.00 .* under +shop$/m,
      );
      expect(await ofSession("budget", "set", "total", "20")).toMatchObject({
        code: 2,
        err: expect.stringMatching(/--project NAME/),
      });
      expect(await ofSession("budget", "set", "month", "20", "--project", "shpo")).toMatchObject({
        code: 0,
        err: "No session of shpo yet. Nearest of 2 projects: shop, quay.\n",
      });
      expect((await ofSession("budget", "remove", "month", "--project", "shpo")).code).toBe(0);
      expect((await ofSession("budget", "remove", "month", "--project", "shop")).out).toMatch(/^No budgets/);
      const hook = (...words: string[]): Promise<Said> => ofSession("webhook", ...words);
      const [name, address] = ["money", "http://127.0.0.1:9/hook"];
      expect((await hook("list")).out).toBe("No webhooks. Add one: plimsoll fleet webhook add NAME URL\n");
      expect((await hook("add", name, address, "--on", "budget")).out).toMatch(/^whsec_/);
      expect((await hook("test", name)).err).toMatch(/^Not delivered\. Not reached \(/);
      expect((await hook("change", name, "--enabled", "no")).err).toMatch(/^money is off: budget to/);
      const ofNode = { ...plain, PLIMSOLL_ARCHIVE: join(dir, "two") };
      expect((await plimsoll(ofNode, "webhook", "add", name, address)).err).toMatch(/Use plimsoll fleet webhook/);
      expect((await plimsoll(ofNode, "webhook", "list")).err).toMatch(/Use plimsoll fleet webhook/);
      expect((await hook("log", name)).out).toMatch(/test +– +failed/);
      expect((await hook("remove", name)).out).toBe("Removed money.\n");
      // What only the database knows is asked and changed while the bucket is away.
      const bucketless = { ...fleet, PLIMSOLL_BUCKET: bucket.replace(/@[^/]+/, "@127.0.0.1:9") };
      expect(await plimsoll(bucketless, "fleet", "token", "list")).toMatchObject({ code: 0, err: "" });
      expect(await plimsoll(bucketless, "fleet", "check")).toMatchObject({
        code: 1,
        err: expect.stringMatching(/does not answer .*lists, search and cached sessions work/),
      });
      expect((await ofSession("sweep")).out).toMatch(/Removed 0 objects/);
      expect(await plimsoll({ ...fleet, PLIMSOLL_GRACE_DAYS: "0" }, "fleet", "sweep")).toMatchObject({
        code: 2,
        err: expect.stringMatching(/1 to 3650/),
      });
      const rows = JSON.parse((await ofSession("audit", "--project", "shop", "--json")).out) as {
        rows: { action: string; detail: string }[];
      };
      expect(rows.rows.map(({ action }) => action).filter((action) => action !== "read")).toEqual([
        ...["delete", "retention", "retention", "restore", "delete"],
      ]);
      expect(rows.rows[0]!.detail).toBe("budget of $20.00, month");
      const ofMary = ["person", "set", "mary@example.com", "--project", "yard", "--role", "writer"];
      expect((await ofSession(...ofMary)).out).toMatch(/is writer of yard/);
      const ofHers = ["--project", "yard", "--person", "mary@example.com", "--name", "laptop", "--json"];
      const hers = JSON.parse((await ofSession("token", "create", ...ofHers)).out) as { id: string; token: string };
      expect((await ofSession("person", "remove", "mary@example.com")).out).toBe(
        "Removed mary@example.com, and revoked 1 token in their name: senders that use it stop. Nodes know it within 5 seconds.\n",
      );
      const ended = (await ofSession("token", "list", "--json")).out;
      expect(JSON.parse(ended)).toMatchObject({
        tokens: expect.arrayContaining([expect.objectContaining({ id: hers.id, state: "revoked" })]) as object[],
      });
      expect((await ofSession("audit", "--limit", "9", "--json")).out).not.toContain(hers.token.slice(4));
      const noted = JSON.parse((await ofSession("audit", "--limit", "4", "--json")).out) as {
        rows: { action: string; who: string; project: string; detail: string }[];
      };
      expect(noted.rows.map(({ action, who, project, detail }) => [action, who, project, detail])).toEqual([
        ["person", "command-line", "*", "mary@example.com: removed, with 1 token"],
        [
          "token",
          "command-line",
          "yard",
          expect.stringContaining(`"laptop" revoked: ${hers.id}, scope send, for mary@example.com, until `),
        ],
        ["token", "command-line", "yard", expect.stringContaining(`"laptop" created: ${hers.id}`)],
        ["person", "command-line", "yard", "mary@example.com: writer"],
      ]);
      expect(
        await ofSession("check", "--json").then(({ code, out }) => [code, JSON.parse(out) as object]),
      ).toMatchObject([0, { missing: [], problems: [], failed: [] }]);
    }),
  );
});
