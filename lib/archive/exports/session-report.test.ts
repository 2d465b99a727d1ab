// The report of a session: its figures are those of the page, nothing in it is fetched or runs, and what was to be masked is
// nowhere in it.
import { exactly } from "#lib/kernel/exactly.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { answer, asks, jsonl, prompt as said, result, SESSION, used } from "#lib/formats/claude-code/testing-claude.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { exportRequest, exportReview } from "#lib/wire/export-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { importPaths } from "../import/import-paths.ts";
import { sessionLedger } from "../load/session-ledger.ts";
import { sessionLoad } from "../load/session-load.ts";
import { inArchive, put } from "../testing-archive.ts";
import { reportHtml } from "./report-html.ts";
import { beginningOf, mapTexts, reportParts } from "./report-parts.ts";
import { REPORT_COLORS } from "./report-style.ts";
import { reviewExport, writeExport } from "./write-export.ts";

const TOKEN = `ghp_${"k7".repeat(18)}`;
const HOSTILE = '</pre><script>alert(1)</script><img src="https://evil.example/x.png" onerror=alert(2)>\u202e\u0007';

type Written = { readonly prompt?: string; readonly outputs?: readonly string[]; readonly calls?: number };

/** A session of Claude Code whose first output stays to the end. */
const withSession = (
  { prompt = "Find the leak", outputs = [], calls = 12 }: Written,
  run: (archive: Archive, id: string) => Promise<void>,
): Promise<void> =>
  inArchive(async (archive, logs) => {
    let size = 20_000;
    const records = Array.from({ length: calls }, (_, i) => {
      const output = outputs[i] ?? (i === 0 ? "keel ".repeat(16_000) : "fine");
      const input = { file_path: `/home/sailor/hull-${i}.ts` };
      const made = [
        answer(`a${i}`, 2 * i + 1, `m${i}`, asks(`t${i}`, "Read", input), { usage: used(10, size - 10, 0, 50) }),
        result(`r${i}`, 2 * i + 2, `t${i}`, output),
      ];
      size += output.split(/\s+/).length + 100;
      return made;
    });
    const file = put(logs, `${SESSION}.jsonl`, jsonl(said("u", 0, prompt), ...records.flat()));
    await importPaths(archive, [file]);
    const id = archive.sqlite.prepare("SELECT id FROM sessions").pluck().get() as string;
    await run(archive, id);
  });

const html = async (archive: Archive, id: string, request: object = {}) => {
  const { pieces } = await writeExport(archive, id, exportRequest.parse({ format: "html", ...request }));
  return textOf(Readable.from(pieces));
};
const reviewed = (archive: Archive, id: string, request: object = {}) =>
  reviewExport(archive, id, { format: "html", ...request });

/** What a browser would run or fetch. */
const ACTIVE =
  /<script|<iframe|<object|<embed|<link|<base|<img|<image|\son\w+=|\b(?:src|href|srcset|action)=|@import|url\((?!#)/i;
/** The page without the text between its tags, which is text whatever it says. */
const markupOf = (page: string): string => (page.match(/<[^>]*>/g) ?? []).join("\n");

describe("a report", () => {
  test("has the figures of the page", () =>
    withSession({}, async (archive, id) => {
      const page = await html(archive, id);
      const [ledger, load] = [await sessionLedger(archive, id), await sessionLoad(archive, id)];
      expect(ledger.culprits.length).toBeGreaterThan(0);
      for (const { lifetimeTokens } of ledger.culprits) expect(page).toContain(exactly(lifetimeTokens));
      const peak = Math.max(...load.calls.map(({ prompt }) => prompt));
      const rows = [...page.matchAll(/<td class="right">~?([\d,−-]+)<\/td><td>(?:reported|counted|estimated)<\/td>/g)];
      const tokens = rows.map(([, figure]) => Number(figure!.replaceAll(",", "")));
      expect(tokens.length).toBe(9);
      expect(tokens.slice(0, 8).reduce((sum, one) => sum + one, 0)).toBe(peak);
      expect(tokens[8]).toBe(peak);
      for (const { text } of ledger.verdictClauses.filter(({ strong }) => strong))
        expect(page).toContain(text.replaceAll("<", "&lt;"));
    }));

  test("shows a hostile session as text, in both forms", () =>
    withSession({ prompt: HOSTILE, outputs: [HOSTILE.repeat(3) + "keel ".repeat(16_000)] }, async (archive, id) => {
      const page = await html(archive, id);
      expect(markupOf(page)).not.toMatch(ACTIVE);
      expect(page).not.toMatch(/<script/i);
      expect(page).toContain("&lt;script&gt;alert(1)");
      expect(page).toContain('<span class="hidden">U+202E</span>');
      expect(page).not.toMatch(/[\u202e\u0007]/);
      expect(page).toContain(`content="default-src 'none'; style-src 'sha256-`);
      const markdown = await html(archive, id, { format: "report-markdown" });
      expect(markdown).not.toMatch(/[\u202e\u0007]/);
      expect(markdown.split("```text")[0]).not.toMatch(/(?<!\\)<script/);
    }));

  test("of any words has the same markup as one of plain words", () =>
    withSession({}, async (archive, id) => {
      const parts = await reportParts(archive, id, {});
      const notes = { writtenAt: "2026-01-01 00:00 UTC", masked: "Nothing was masked." };
      const tags = (page: string) => (page.match(/<\/?(?!span)[a-z0-9]+/g) ?? []).join(" ");
      const plain = tags(
        reportHtml(
          mapTexts(parts, () => "word"),
          notes,
        ),
      );
      const bits = fc.constantFrom(
        "<",
        ">",
        '"',
        "'",
        "&",
        "</style>",
        "</title>",
        "<!--",
        "]]>",
        "\u0000",
        "\u202e",
        "url(",
        "\ud800",
      );
      fc.assert(
        fc.property(fc.array(fc.oneof(bits, fc.string({ unit: "binary" })), { minLength: 1 }), (words) => {
          const page = reportHtml(
            mapTexts(parts, () => `word${words.join("")}`),
            notes,
          );
          expect(tags(page)).toBe(plain);
          expect(markupOf(page)).not.toMatch(ACTIVE);
        }),
        { numRuns: 60 },
      );
    }));

  test("of the worst words is under 3 MB", () =>
    withSession({ calls: 60 }, async (archive, id) => {
      const events = Array.from({ length: LIMITS.reportEvents }, (_, i) => i + 1);
      const parts = await reportParts(archive, id, { events });
      const call = parts.load.calls[0]!;
      const calls = Array.from({ length: 50_000 }, (_, i) => ({
        ...call,
        call: i + 1,
        prompt: 1000 + ((i * 7919) % 90_001),
      }));
      const worst = mapTexts({ ...parts, load: { ...parts.load, calls, compactions: [] } }, (text, where) =>
        "\u0007".repeat(where.startsWith("Event") ? LIMITS.reportEventChars : Math.max(text.length, 200)),
      );
      const page = reportHtml(worst, { writtenAt: "now", masked: "" });
      expect(Buffer.byteLength(page)).toBeLessThan(3_000_000);
      expect(page).toContain("A column stands for up to 56 calls");
    }));

  test("has the colours of the pages", () => {
    const tokens = readFileSync(join(import.meta.dirname, "../../../app/tokens.css"), "utf8");
    for (const [name, [light, dark]] of Object.entries(REPORT_COLORS))
      expect(tokens).toContain(`--${name}: light-dark(${light}, ${dark});`);
  });
});

describe("before a report", () => {
  const SECRET = {
    prompt: `Use ${TOKEN}, mail anna@harbour.example`,
    outputs: [`token ${TOKEN} of ada in /home/sailor/x\n${"keel ".repeat(16_000)}`],
  };

  test("findings are listed with their places, and a secret is masked unless it is accepted", () =>
    withSession(SECRET, async (archive, id) => {
      const review = await reviewed(archive, id);
      expect(exportReview.parse(review)).toEqual(review);
      const secret = review.findings.find(({ kind }) => kind === "secret")!;
      expect(secret).toMatchObject({ value: TOKEN, rule: "known_token" });
      expect(secret.places.map(({ where }) => where)).toContain("Title");
      expect(review.findings.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["user", "email"]));
      for (const format of ["html", "report-markdown"]) {
        const text = await html(archive, id, { format });
        expect(text).not.toContain(TOKEN);
        expect(text).toContain("anna@harbour.example");
        expect(text).toMatch(/Masked: 1 secret, in \d+ places\./);
        expect(await html(archive, id, { format, accept: [secret.id] })).toContain(TOKEN);
        expect(await html(archive, id, { format, mask: "none" })).toContain(TOKEN);
        const all = await html(archive, id, { format, mask: "all" });
        expect(all).not.toMatch(/anna@|sailor|\bada\b|ghp_/);
      }
    }));

  test("what is decided singly holds whatever the mask says", () =>
    withSession(SECRET, async (archive, id) => {
      const { findings } = await reviewed(archive, id);
      const email = findings.find(({ kind }) => kind === "email")!;
      const text = await html(archive, id, { mask: "none", hide: [email.id] });
      expect(text).not.toContain("anna@");
      expect(text).toContain(TOKEN);
      expect(text).toContain("Masked: 1 e-mail address");
    }));

  test("every text of the session is reviewed: with all masked none of them stays", () =>
    withSession({}, async (archive, id) => {
      const parts = await reportParts(archive, id, {});
      const notes = { writtenAt: "now", masked: "" };
      // A word of the session's own that no mask reached would still be in the page.
      const page = reportHtml(
        mapTexts(parts, () => "x"),
        notes,
      );
      expect(page).not.toMatch(/sailor|hull|keel|leak/i);
    }));

  test("an excerpt ends before a secret that would be cut", () => {
    const before = "a".repeat(LIMITS.reportEventChars - 20);
    expect(beginningOf(`${before} ${TOKEN} and more`)).toBe(`${before} `);
    expect(beginningOf("line\n".repeat(100)).split("\n").length).toBe(LIMITS.reportEventLines);
    expect(beginningOf("short")).toBe("short");
  });

  test("events are chosen, and one that is not there is refused", () =>
    withSession({}, async (archive, id) => {
      const { events } = await reviewed(archive, id, { events: [2, 3] });
      expect(events.map(({ seq }) => seq)).toEqual([2, 3]);
      expect((await reviewed(archive, id, { events: [] })).events).toEqual([]);
      await expect(reviewed(archive, id, { events: [99_999] })).rejects.toMatchObject({ code: "not_found" });
    }));
});
