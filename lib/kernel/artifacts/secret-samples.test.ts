// Forty kinds of credentials as they stand in logs, each put together here at run time so that this file holds none; and what
// looks like one and is none.
import { expect, test } from "vitest";
import { maskOf, redactText } from "./redact.ts";

const mixed = "a1B2c3D4e5F6g7H8i9J0";
const long = `${mixed}${mixed}${mixed}`;
const hex = "0123456789abcdef0123456789abcdef";
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const wrapped = (text: string): string => base64(text).replaceAll(/(.{76})/g, "$1\n");

/** What must not be read any more, and the text around it. */
const SAMPLES: readonly (readonly [name: string, secret: string, text?: (secret: string) => string])[] = [
  ["Slack webhook", `T0A1B2C3D/B0A1B2C3D/${mixed}`, (one) => `https://hooks.slack.com/services/${one}`],
  ["Slack workflow", `T0A1B2C3D/1234567890/${mixed}`, (one) => `POST https://hooks.slack.com/triggers/${one} 200`],
  ["Slack bot token", `xoxb-${"1234567890-".repeat(2)}${mixed}`],
  ["Slack app token", `xapp-1-A0B1C2D3E-${hex}`],
  ["Twilio account", `AC${hex}`],
  ["Twilio key", `SK${hex}`, (one) => `from ${one} to 1`],
  ["Twilio auth token", hex, (one) => `TWILIO_AUTH_TOKEN=${one}`],
  [
    "Discord webhook",
    `${long}_${"x1".repeat(4)}`,
    (one) => `https://discord.com/api/webhooks/123456789012345678/${one}`,
  ],
  [
    "Discord webhook of a version",
    long,
    (one) => `https://discordapp.com/api/v10/webhooks/123456789012345678/${one}?wait=true`,
  ],
  ["Discord bot", `MTIz${mixed}.Gab1_c.${mixed}${mixed.slice(0, 10)}`],
  ["Telegram bot", `123456789:AA${mixed}${mixed.slice(0, 13)}`],
  [
    "Telegram bot in an address",
    `123456789:AA${mixed}${mixed.slice(0, 13)}`,
    (one) => `https://api.telegram.org/bot${one}/sendMessage`,
  ],
  ["Plimsoll token", `plm_${long.slice(0, 43)}`],
  ["Plimsoll token of a fleet", `plf_${long.slice(0, 43)}`],
  ["Plimsoll launch link", long.slice(0, 43), (one) => `Open  http://127.0.0.1:4567/?token=${one}`],
  ["base64 of a token", base64(`token: ghp_${mixed}${mixed}`)],
  [
    "base64 of a password",
    base64('{"user":"deploy","password":"c0rrect-h0rse"}'),
    (one) => `{"data":{"config.json":"${one}"}}`,
  ],
  [
    "base64 over several lines",
    wrapped(`aws_access_key_id = x\naws_secret_access_key = ${mixed}/${mixed}\nregion = eu-west-1\n# a comment\n`),
    (one) => `cat x | base64\n${one}\n$`,
  ],
  [
    "base64 of a private key",
    base64(`-----BEGIN PRIVATE KEY-----\n${mixed}\n-----END PRIVATE KEY-----\n`),
    (one) => `KEY_FILE: ${one}`,
  ],
  ["base64 for URLs", base64(`Authorization: Bearer ${long}?>`).replaceAll("+", "-").replaceAll("/", "_")],
  ["GitHub token", `ghp_${mixed}${mixed}`],
  ["GitLab token", `glpat-${mixed}`],
  ["Bitbucket token", `ATBB${mixed}${mixed.slice(0, 12)}`],
  ["Anthropic key", `sk-ant-api03-${mixed}-${mixed}`],
  ["OpenAI key", `sk-proj-${mixed}_${mixed}`],
  ["Groq key", `gsk_${mixed}${mixed}`],
  ["Hugging Face token", `hf_${mixed}${mixed}`],
  ["AWS access key", `AKIA${"A1B2C3D4E5F6G7H8"}`],
  ["AWS secret key", `${mixed}/+${mixed.slice(0, 18)}`, (one) => `export AWS_SECRET_ACCESS_KEY="${one}"`],
  ["Azure storage key", `${long}+/==`, (one) => `AccountName=x;AccountKey=${one};EndpointSuffix=core.windows.net`],
  ["Google key", `AIza${mixed}${mixed.slice(0, 15)}`],
  ["Stripe key", `sk_live_${mixed}`],
  ["Mailgun key", `key-${hex}`],
  ["SendGrid key", `SG.${mixed}.${mixed}${mixed}`],
  ["npm token", `npm_${mixed}${mixed.slice(0, 16)}`, (one) => `//packages.example/:_authToken=${one}`],
  ["Databricks token", `dapi${hex}`],
  ["web token", `eyJ${mixed}.eyJ${mixed}.${mixed}_-x`],
  ["password of curl", "s3cret-pass", (one) => `curl -u admin:${one} https://example.test`],
  ["password of .netrc", "s3cret-pass", (one) => `machine example.test login admin password ${one}\n`],
  ["password of a database", "s3cr;t", (one) => `postgres://admin:${one}@db.example.test:5432/x`],
  ["bearer header", long, (one) => `authorization: Bearer ${one}`],
  ["basic header", base64("user:pass"), (one) => `Authorization: Basic ${one}`],
  ["cookie", mixed, (one) => `Cookie: theme=x; session=${one}; a=1`],
  ["password in YAML", "correct7horse", (one) => `db:\n  password: ${one}\n`],
  ["key in JSON in JSON", mixed, (one) => JSON.stringify(`{"client_secret":"${one}"}`)],
];

test("there are forty kinds and more", () => expect(SAMPLES.length).toBeGreaterThanOrEqual(40));

const texts = SAMPLES.map(([name, secret, around]) => ({
  name,
  secret,
  text: around?.(secret) ?? `found ${secret} here`,
}));

test.each(texts)("$name: at most four characters stay", ({ secret, text }) => {
  const { text: masked, spans } = redactText(text);
  expect(spans).not.toEqual([]);
  for (let at = 0; at + 5 <= secret.length; at++) expect(masked).not.toContain(secret.slice(at, at + 5));
  for (const { start, end } of spans)
    expect(masked.slice(start, end).replace(/[*…]/g, "").length).toBeLessThanOrEqual(4);
  // A mask is masked no more.
  expect(redactText(masked).spans).toEqual([]);
});

test("a mask never shows more than four characters", () => {
  for (const length of [1, 17, 18, 40, 5000])
    expect(maskOf("x1".repeat(length)).replace(/[*…]/g, "").length).toBeLessThanOrEqual(4);
});

test.each([
  "docker run -u 1000:1000 --user=501:20 image",
  "git push -u origin:feature-branch",
  `sha256-${base64("0123456789abcdef0123456789abcdef")}`,
  `integrity "sha512-${base64(long)}=="`,
  base64("The tide tables of the harbour, with no secret in them at all."),
  base64(JSON.stringify({ version: 3, sources: ["app/page.tsx"], mappings: "AAAA" })),
  `data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==`,
  "node_modules/@scope/package-name-that-is-long/dist/index_file/components",
  "AC0123456789abcdef is short",
  "https://api.slack.com/messaging/webhooks",
  "https://discord.com/channels/123456789012345678/123456789012345679",
  "2026-01-01T10:00:00 123456789:ok",
  "d41d8cd98f00b204e9800998ecf8427e-usage",
  "login: the password page",
  "const SOME_VERY_LONG_IDENTIFIER_NAME_FOR_TESTS = anotherRatherLongFunctionName();",
])("%s holds none", (text) => expect(redactText(text)).toEqual({ text, spans: [] }));
