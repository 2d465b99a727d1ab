// Secrets are put together here at run time, so that this file holds none.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { processorMs } from "../testing-processor-time.ts";
import { maskOf, redactText } from "./redact.ts";
import { SECRET_RULES } from "./secret-patterns.ts";
import { SecretRegistry } from "./secret-registry.ts";

const mixed = "a1B2c3D4e5F6g7H8i9J0";
const hex = "0123456789abcdef";
const upper = "A1B2C3D4E5F6G7H8";
const jwt = `eyJ${hex}.eyJ${mixed}.${mixed}_-x`;
const redacted = (text: string): string => redactText(text).text;

describe("masks", () => {
  test("a short secret vanishes; of a long one the last four characters stay", () => {
    expect(maskOf("x".repeat(17))).toBe("***");
    expect(maskOf("abcdefghijklmn5678")).toBe("***…5678");
    expect(maskOf("😀".repeat(18))).toBe(`***…${"😀".repeat(4)}`);
    expect(maskOf("😀".repeat(17))).toBe("***");
  });

  test("a mask is told by its place, its kind and the length of what it stands for", () => {
    const token = `ghp_${mixed}${mixed}`;
    const { text, spans } = redactText(`a ${token} b password="hunter2-and-more" c`);
    expect(text).toBe('a ***…i9J0 b password="***" c'.replace("i9J0", token.slice(-4)));
    expect(spans.map(({ start, end, kind, length }) => [text.slice(start, end), kind, length])).toEqual([
      [`***…${token.slice(-4)}`, "known_token", 44],
      ["***", "assignment", 16],
    ]);
  });

  test("a text without secrets is the same text, and what was masked is not masked again", () => {
    expect(redactText("nothing here")).toEqual({ text: "nothing here", spans: [] });
    const once = redacted(`token=${mixed}, https://user:pass-word@host/, Authorization: Bearer ${jwt}`);
    expect(redactText(once)).toEqual({ text: once, spans: [] });
  });

  test("a rule that is skipped for its words would have found nothing", () => {
    const words = SECRET_RULES.flatMap(({ needs = [] }) => [...needs, ...needs.map((word) => word.toUpperCase())]);
    const pieces = [
      ...words,
      "-----BEGIN ",
      " PRIVATE KEY-----",
      "api_",
      "_Key",
      "eyJ",
      "PassWord",
      "passwort",
      " ",
      "=",
      ":",
    ];
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom(...pieces, mixed, jwt, '"', "'", "@", "u:"), fc.string()), { maxLength: 10 }),
        (parts) => {
          const text = parts.join("");
          const small = text.toLowerCase();
          for (const { needs, pattern } of SECRET_RULES)
            if (needs !== undefined && !needs.some((word) => small.includes(word)))
              expect([...text.matchAll(pattern)]).toEqual([]);
        },
      ),
      { numRuns: 3000 },
    );
  });

  test("every span covers its mask, and what stands between the spans is the text", () => {
    const secrets = [`ghp_${mixed}${mixed}`, `AKIA${upper}`, `password="${mixed}"`, jwt, `://u:${mixed}@`];
    const registry = new SecretRegistry();
    registry.add("known value");
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom(...secrets, "known value", "\n", '"', "=", " "), fc.string()), {
          maxLength: 8,
        }),
        (parts) => {
          const text = parts.join("");
          const { text: masked, spans } = redactText(text, { registry });
          let at = 0;
          let from = 0;
          for (const { start, end, length } of spans) {
            expect(masked.slice(at, start)).toBe(text.slice(from, from + start - at));
            from += start - at + length;
            at = end;
          }
          expect(masked.slice(at)).toBe(text.slice(from));
          expect(masked).not.toContain("known value");
        },
      ),
    );
  });
});

describe("what is found", () => {
  const samples: readonly (readonly [name: string, secret: string, around: (secret: string) => string])[] = [
    ...Object.entries({
      "GitHub token": `ghp_${mixed}${mixed}`,
      "GitHub fine-grained token": `github_pat_${mixed}_${mixed}${mixed}`,
      "GitLab token": `glpat-${mixed}`,
      "Anthropic key": `sk-ant-api03-${mixed}-${mixed}`,
      "OpenAI key": `sk-${mixed}${mixed}`,
      "OpenAI project key": `sk-proj-${mixed}_${mixed}`,
      "AWS access key": `AKIA${upper}`,
      "Slack token": `xoxb-${"1234567890-".repeat(2)}${mixed}`,
      "Stripe key": `sk_live_${mixed}`,
      "Google key": `AIza${mixed}${mixed.slice(0, 15)}`,
      "npm token": `npm_${mixed}${mixed.slice(0, 16)}`,
      "Hugging Face token": `hf_${mixed}${mixed}`,
      "SendGrid key": `SG.${mixed}.${mixed}${mixed}`,
      "Vault token": `hvs.${mixed}${mixed}`,
      "web token": jwt,
    }).flatMap(([name, secret]): (readonly [string, string, (secret: string) => string])[] => [
      [name, secret, (one) => `found ${one} here`],
      [`${name} in JSON in JSON`, secret, (one) => JSON.stringify(JSON.stringify({ line: `first\n${one}` }))],
    ]),
    ["environment line", `${mixed}/+x`, (one) => `AWS_SECRET_ACCESS_KEY=${one}\nNEXT=1`],
    ["password in YAML", "correct7horse", (one) => `db:\n  password: ${one}\n`],
    ["key in JSON", mixed, (one) => `{"apiKey": "${one}"}`],
    ["key in JSON in JSON", mixed, (one) => JSON.stringify(`{"client_secret":"${one}"}`)],
    ["token in code", "tok!en-value", (one) => `const accessToken = '${one}';`],
    ["bearer header", `${mixed}${mixed}`, (one) => `authorization: Bearer ${one}`],
    ["basic header", "dXNlcjpwYXNz", (one) => `curl -H "Authorization: Basic ${one}" x`],
    ["password in a URL", "s3cr;t", (one) => `postgres://admin:${one}@db.example.test:5432/x`],
    ["cookie", mixed, (one) => `Cookie: theme=x; session=${one}; a=1`],
    ["set cookie", mixed, (one) => `set-cookie: sid=${one}; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT`],
  ];

  test.each(samples)("%s", (_, secret, around) => {
    const text = around(secret);
    const masked = redacted(text);
    expect(text).toContain(secret);
    expect(masked).not.toContain(secret);
    // What stands around it stays.
    const [before = "", after = ""] = text.split(secret);
    expect(masked.startsWith(before) && masked.endsWith(after)).toBe(true);
  });

  test("the body of a private key is left out, its first and last line stay", () => {
    for (const [kind, lineEnd] of [
      ["RSA PRIVATE KEY", "\n"],
      ["OPENSSH PRIVATE KEY", "\r\n"],
      ["PRIVATE KEY", "\\n"],
    ] as const) {
      const body = Array.from({ length: 9 }, () => mixed.repeat(3)).join(lineEnd);
      const pem = `a -----BEGIN ${kind}-----${lineEnd}${body}${lineEnd}-----END ${kind}----- b`;
      expect(redacted(pem)).toBe(`a -----BEGIN ${kind}-----…-----END ${kind}----- b`);
      // Without its end, too.
      expect(redacted(pem.slice(0, 150))).toBe(`a -----BEGIN ${kind}-----…`);
    }
    const certificate = `-----BEGIN CERTIFICATE-----\n${mixed}\n-----END CERTIFICATE-----`;
    expect(redacted(certificate)).toBe(certificate);
  });

  test.each([
    "const token = nextToken(input);",
    "token: string;",
    "password: z.string().min(8),",
    'type Token = "identifier" | "keyword";',
    "export const SECRET_RULES: readonly SecretRule[] = [];",
    "max_tokens: 4096,",
    "total_tokens=1234567890",
    "input_tokens: 12345.67",
    "api_key = os.environ['API_KEY_1']",
    'api_key: "${API_KEY_2}"',
    "password=********",
    "a-task-runner-configuration-name-that-is-long",
    "https://example.test:8080/a@b",
    "git@github.example:owner/name.git",
    "see https://docs.example.test/path?x=1",
    "The bearer of this letter is entitled to it.",
    "tokenizer: o200k_base",
    "secret: undefined",
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  ])("%s has none", (text) => expect(redactText(text)).toEqual({ text, spans: [] }));
});

describe("known values", () => {
  test("a value is found as it is, percent-encoded, and escaped as in JSON", () => {
    const value = 'pass "word"/ü é+1';
    const registry = new SecretRegistry();
    expect(registry.add(value)).toBe(true);
    for (const form of [
      value,
      encodeURIComponent(value),
      encodeURIComponent(value).replaceAll("%20", "+"),
      JSON.stringify(value),
    ]) {
      const { text, spans } = redactText(`x=${form}&y`, { registry });
      expect(spans).toMatchObject([{ kind: "exact_value" }]);
      expect(text).not.toContain("word");
      expect(text.startsWith("x=") && text.endsWith("&y")).toBe(true);
    }
  });

  test("values of fewer than six characters are not kept", () => {
    const registry = new SecretRegistry();
    expect(registry.add("12345")).toBe(false);
    expect(registry.add("123456")).toBe(true);
    expect(redactText("12345 123456", { registry }).text).toBe("12345 ***");
  });

  test("of more than 512 the one that was not met for longest is forgotten", () => {
    const registry = new SecretRegistry();
    for (let i = 0; i < 512; i++) registry.add(`value-${i}.`);
    expect(redactText("value-0.", { registry }).text).toBe("***");
    registry.add("value-512.");
    expect(registry.size).toBe(512);
    expect(
      ["value-0.", "value-1.", "value-2.", "value-512."].map((text) => redactText(text, { registry }).text),
    ).toEqual(["***", "value-1.", "***", "***"]);
  });

  test("of values that begin alike the longest is masked, wherever they stand", () => {
    const values = fc.uniqueArray(fc.string({ unit: fc.constantFrom("a", "b"), minLength: 6, maxLength: 10 }), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(values, fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 60 }), (known, text) => {
        const registry = new SecretRegistry();
        for (const value of known) registry.add(value);
        const expected: { start: number; end: number }[] = [];
        for (let at = 0; at < text.length; at++) {
          const longest = known
            .filter((value) => text.startsWith(value, at))
            .toSorted((a, b) => b.length - a.length)[0];
          if (longest === undefined) continue;
          expected.push({ start: at, end: at + longest.length });
          at += longest.length - 1;
        }
        expect(registry.find(text)).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("time", () => {
  const size = 1_000_000;
  const registry = new SecretRegistry();
  for (let i = 0; i < 512; i++) registry.add(`secret value ${i}`);
  test.each([
    ...[
      "eyJ-",
      "eyJaaaaaaaa.",
      "ghp_",
      "sk-",
      "token",
      "token=",
      'token="',
      "api_key:::",
      "://a:",
      "-----BEGIN PRIVATE KEY-----\nA",
    ],
    ...[
      "authorization: ",
      "bearer ",
      "cookie: a=bbbbbbbbbb; ",
      "\\",
      " ",
      "-",
      "a",
      "secret value x",
      "AAAA1",
      "password=\\\\\\",
      "c2VjcmV0IGlzIG5vdCB",
      "c2VjcmV0IGlzIG5vdCBoZXJl\\n",
      " -u a:",
      "login a password ",
    ],
  ])("a megabyte of %j takes less than two seconds", (piece) => {
    const text = piece.repeat(Math.ceil(size / piece.length));
    // 20 to 150 ms here; quadratic patterns take minutes.
    expect(processorMs(() => redactText(text, { registry }))).toBeLessThan(2000);
  });
});
