import { expect, test } from "vitest";
import { cutSecretSpans } from "./cut-secrets.ts";
import { secretSpans } from "./redact.ts";

const found = (text: string) => cutSecretSpans(text).map(({ start, end }) => text.slice(start, end));

test("the beginning of a token at the end of a title, or before the mark of a cut, is a secret", () => {
  const token = `ghp_${"a1".repeat(18)}`;
  for (const length of [9, 14, 39]) {
    const title = `Use ${token}`.slice(0, length + 4);
    expect(secretSpans(title)).toEqual(length < 40 ? [] : expect.anything());
    expect(found(title)).toEqual([token.slice(0, length)]);
    expect(found(`${title}… in the next step`)).toEqual([token.slice(0, length)]);
    expect(found(`${title}...`)).toEqual([token.slice(0, length)]);
  }
  expect(found("Sign in with AKIA4XZ9")).toEqual(["AKIA4XZ9"]);
  expect(found("authorization: Bearer a8f3c")).toEqual(["a8f3c"]);
  expect(found("Fetch https://anna:s3cr…")).toEqual(["s3cr"]);
  expect(found("export DB_PASSWORD=h4rb")).toEqual(["h4rb"]);
});

test("words and numbers that only look like one are none", () => {
  for (const text of [
    "Install sk-learn",
    "Set npm_config",
    "See hf_token…",
    "Open http://localhost:3000",
    "the token = value",
    "Masked: [secret 1]",
    "password=***",
    "A ghp_… token is needed",
  ])
    expect([text, found(text)]).toEqual([text, []]);
});
