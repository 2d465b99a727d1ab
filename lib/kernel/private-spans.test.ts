import fc from "fast-check";
import { expect, test } from "vitest";
import { privateSpans, usersIn } from "./private-spans.ts";

const found = (text: string, users?: ReadonlySet<string>) =>
  privateSpans(text, users).map(({ kind, start, end }) => `${kind}: ${text.slice(start, end)}`);

test("secrets, users of home paths, e-mail and other addresses are found", () => {
  const token = `ghp_${"a1".repeat(18)}`;
  expect(found(`export GH=${token}`)).toContain(`secret: ${token}`);
  expect(found("cat /home/sailor/log.txt C:\\Users\\Anna\\x /Users/mate/y")).toEqual([
    "user: sailor",
    "user: Anna",
    "user: mate",
  ]);
  expect(found("Write to anna.b+c@harbour.example, please.")).toEqual(["email: anna.b+c@harbour.example"]);
  expect(found("See https://harbour.example/a?b=1.")).toEqual(["address: https://harbour.example/a?b=1"]);
  expect(found("ping 10.1.2.3 and fe80::1:2ab and db.corp.internal")).toEqual([
    "address: 10.1.2.3",
    "address: fe80::1:2ab",
    "address: db.corp.internal",
  ]);
});

test("what names nobody is not found", () => {
  expect(
    found(
      "git@example.com:a/b package@1.2.3 127.0.0.1 http://localhost:3000 std::vec 12:34:56 settings.local.json 999.1.1.1",
    ),
  ).toEqual([]);
});

test("a user of a home path is found by the name alone too, but for accounts of machines", () => {
  const users = usersIn(["/home/sailor/a", "/home/ubuntu/b", "/Users/al/c"]);
  expect([...users]).toEqual(["sailor"]);
  expect(found("-home-sailor-harbour, Sailor, sailors, ubuntu", users)).toEqual(["user: sailor", "user: Sailor"]);
});

test("spans lie in the text, for any text", () => {
  const words = fc.constantFrom("/home/", "a@b.co", "://", "\\", ":", "10.0.0.1", "\u200b", " ", "é", "ghp_", "fe80::");
  fc.assert(
    fc.property(fc.array(fc.oneof(words, fc.string({ unit: "grapheme" }))), (parts) => {
      const text = parts.join("");
      for (const { start, end } of privateSpans(text, usersIn([text])))
        expect(0 <= start && start < end && end <= text.length).toBe(true);
    }),
  );
});

test("a user whose name has a hyphen, a dot or an underscore is found outside of paths, and by that name alone", () => {
  for (const name of ["jean-luc", "mary.read", "ann_bonny"]) {
    const users = usersIn([`/home/${name}/hold`]);
    const text = `${name} wrote it, not ${name.replace(/\W|_/, "x")}.`;
    expect(privateSpans(text, users).map(({ start, end, kind }) => [text.slice(start, end), kind])).toEqual([
      [name, "user"],
    ]);
  }
});
