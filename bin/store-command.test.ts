// Storing, sessions and tokens on the command line: with the lock in hand, and through the server that holds it.
import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { inFolder, withArchive } from "#lib/archive/testing-archive.ts";
import { writeAddress } from "#lib/http/running-server.ts";
import { NONCE, withDoors } from "#lib/http/testing-http.ts";
import { heldSession, storedArtifact } from "#lib/wire/held-schema.ts";
import { createdToken, tokenRow, tokensAnswer } from "#lib/wire/tokens-schema.ts";
import { entryOf } from "../scripts/bundle.mjs";

const program = entryOf("bin/plimsoll.ts");
const run = promisify(execFile);

type Said = { readonly code: number; readonly out: string; readonly err: string };

async function plimsoll(dir: string, ...words: string[]): Promise<Said> {
  const env = {
    PATH: process.env["PATH"],
    HOME: dir,
    PLIMSOLL_ARCHIVE: join(dir, "archive"),
    NODE_ENV: "test" as const,
  };
  try {
    const { stdout, stderr } = await run(process.execPath, [program, ...words], { env });
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout, err: stderr };
  }
}

/** Runs beside a server that holds the archive's lock. */
const besideServer = <T>(dir: string, work: () => Promise<T>): Promise<T> =>
  withArchive(join(dir, "archive"), (archive) => {
    return withDoors(archive, async (server) => {
      const { port, credentials } = server;
      await writeAddress(archive.dir, { pid: process.pid, port, nonce: NONCE, token: credentials.bearer });
      return work();
    });
  });

const alone = <T>(_: string, work: () => Promise<T>): Promise<T> => work();

test.each([
  ["with the lock in hand", alone],
  ["through the server that holds the lock", besideServer],
])("a file is stored %s, and is the file again", { timeout: 120_000 }, (_, ground) =>
  inFolder((dir) =>
    ground(dir, async () => {
      const file = join(dir, "a log.txt");
      writeFileSync(file, "one line\n".repeat(50_000));
      const made = await plimsoll(dir, "session", "create", "run-1", "--title", "A run", "--json");
      expect(heldSession.parse(JSON.parse(made.out))).toMatchObject({ nativeId: "plimsoll:run-1", created: true });

      const said = await plimsoll(dir, "store", "run-1", file, "--json");
      expect(said.err).toBe("");
      const stored = storedArtifact.parse(JSON.parse(said.out));
      expect(stored).toMatchObject({ name: "a log.txt", sizeBytes: 450_000, contentType: "text/plain" });
      expect(stored.digest).toBe(createHash("sha256").update(readFileSync(file)).digest("hex"));
      expect((await plimsoll(dir, "cat", stored.pointer)).out).toBe(readFileSync(file, "utf8"));

      const named = await plimsoll(
        dir,
        "store",
        "other",
        file,
        "--create",
        "--name",
        "../../etc/x",
        "--type",
        "text/x-log",
      );
      expect(named.out.trim()).toMatch(/^art:[0-9a-f-]{36}$/);
      expect(named.err).toContain("text/x-log");

      for (const [words, code] of [
        [["store", "nobody-knows", file], 1],
        [["store", "run-1", join(dir, "absent")], 1],
        [["store", "run-1", dir], 2],
        [["store", "run-1"], 2],
        [["session", "close", "run-1"], 2],
        [["session", "begin"], 2],
      ] as const)
        expect((await plimsoll(dir, ...words)).code, words.join(" ")).toBe(code);
      expect((await plimsoll(dir, "session", "close", "run-1", "3", "--json")).out.trim()).toBe(
        '{"turn":3,"closed":true}',
      );
    }),
  ),
);

test("standard input is stored as it comes", () =>
  inFolder(async (dir) => {
    const env = {
      PATH: process.env["PATH"],
      HOME: dir,
      PLIMSOLL_ARCHIVE: join(dir, "archive"),
      NODE_ENV: "test" as const,
    };
    const child = spawn(process.execPath, [program, "store", "new", "-", "--name", "piped", "--json"], { env });
    let out = "";
    child.stdout.on("data", (piece) => (out += String(piece)));
    child.stdin.end('{"rows":[1,2,3]}');
    expect(await new Promise((done) => child.once("close", done))).toBe(0);
    expect(storedArtifact.parse(JSON.parse(out))).toMatchObject({ name: "piped", contentType: "application/json" });
  }));

test.each([
  ["with the lock in hand", alone],
  ["through the server that holds the lock", besideServer],
])("a token is made, listed and revoked %s, and is nowhere in the archive", { timeout: 120_000 }, (_, ground) =>
  inFolder((dir) =>
    ground(dir, async () => {
      const { id } = heldSession.parse(JSON.parse((await plimsoll(dir, "session", "create", "run", "--json")).out));
      const words = ["--name", "reader", "--scope", "read", "--session", "run", "--days", "7", "--json"];
      const made = createdToken.parse(JSON.parse((await plimsoll(dir, "token", "create", ...words)).out));
      expect(made).toMatchObject({ name: "reader", scope: "read", session: id, state: "live", usedAt: null });
      expect(Date.parse(made.expiresAt ?? "") - Date.parse(made.createdAt)).toBe(7 * 86_400_000);
      const plain = await plimsoll(dir, "token", "create", "--days", "0");
      expect(plain.out).toMatch(/^plm_[\w-]{43}\n$/);
      expect(plain.err).toContain("never expires");

      const listed = tokensAnswer.parse(JSON.parse((await plimsoll(dir, "token", "list", "--json")).out));
      expect(listed.tokens.map((token) => token.name).sort()).toEqual(["agent", "reader"]);
      expect(JSON.stringify(listed)).not.toContain(made.token);
      for (const name of readdirSync(join(dir, "archive"), { recursive: true, encoding: "utf8" })) {
        const path = join(dir, "archive", name);
        if (statSync(path).isFile()) expect(readFileSync(path).includes(made.token), name).toBe(false);
      }

      const revoked = tokenRow.parse(JSON.parse((await plimsoll(dir, "token", "revoke", "reader", "--json")).out));
      expect(revoked).toMatchObject({ id: made.id, state: "revoked" });
      for (const [wrong, code] of [
        [["token", "revoke", "t_none"], 1],
        [["token", "revoke"], 2],
        [["token", "make"], 2],
        [["token", "create", "--scope", "all"], 2],
        [["token", "create", "--session", "nobody"], 1],
        [["token", "create", "--days", "x"], 2],
      ] as const)
        expect((await plimsoll(dir, ...wrong)).code, wrong.join(" ")).toBe(code);
    }),
  ),
);
