import { describe, expect, test } from "vitest";
import { createLoader } from "nuqs/server";
import type { FleetPerson, PersonRole } from "#lib/wire/fleet-people-schema.ts";
import { auditParsers, auditQuestion, isNarrowed } from "./fleet-state.ts";
import {
  actionWords,
  endingTokens,
  isNamed,
  limitsText,
  projectNames,
  roleChanges,
  roleTexts,
  tokenNames,
  usesOf,
  whoWords,
} from "./fleet-labels.ts";
import { projectProblem } from "./project-field.tsx";

const mary: FleetPerson = {
  ...{ email: "mary@example.com", name: "Mary", isAdmin: false, seenAt: null },
  roles: { quay: "writer", shop: "reader" },
};

describe("the roles of a draft", () => {
  test("are requested where they differ from those that somebody has", () => {
    expect(roleChanges(mary, { isAdmin: false, roles: { quay: "writer", shop: "reader", pier: null } })).toEqual([]);
    expect(roleChanges(mary, { isAdmin: false, roles: { quay: null, shop: "admin", pier: "reader" } })).toEqual([
      { email: "mary@example.com", project: "quay", role: null },
      { email: "mary@example.com", project: "shop", role: "admin" },
      { email: "mary@example.com", project: "pier", role: "reader" },
    ]);
  });

  test("of the fleet come last, and are not requested by an admin of a project", () => {
    expect(roleChanges(mary, { isAdmin: true, roles: { shop: "writer" } })).toEqual([
      { email: "mary@example.com", project: "shop", role: "writer" },
      { email: "mary@example.com", project: null, role: "admin" },
    ]);
    expect(roleChanges({ ...mary, isAdmin: true }, { isAdmin: false, roles: {} })).toEqual([
      { email: "mary@example.com", project: null, role: null },
    ]);
    expect(roleChanges({ ...mary, isAdmin: null }, { isAdmin: false, roles: {} })).toEqual([]);
  });

  test("of a project that is called as a property of every object are none before", () => {
    expect(
      roleChanges(mary, { isAdmin: false, roles: Object.fromEntries([["constructor", "reader" as const]]) }),
    ).toEqual([{ email: "mary@example.com", project: "constructor", role: "reader" }]);
  });

  test("are said with their project", () => {
    expect(roleTexts(mary)).toEqual(["quay writer", "shop reader"]);
    expect(roleTexts({ isAdmin: true, roles: {} })).toEqual(["admin of the fleet"]);
  });
});

test("who did something is said without the sign of how they came in", () => {
  expect(
    ["person:ann@example.com", "token:ft_00aa11bb22cc", "browser:1f", "command-line", "retention", "command"].map(
      whoWords,
    ),
  ).toEqual([
    ...["ann@example.com", "token ft_00aa11bb22cc", "a node’s own link", "a node’s command line"],
    ...["limits of the project", "command"],
  ]);
  expect(["read", "person", "token", "annul", "constructor"].map(actionWords)).toEqual([
    ...["read", "changed access", "changed tokens", "annul", "constructor"],
  ]);
});

test("tokens that go with a person are named, the first five of many", () => {
  const named = (count: number) => tokenNames(Array.from({ length: count }, (_, n) => ({ name: `t${n + 1}` })));
  expect([0, 1, 5, 7].map(named)).toEqual(["none", "t1", "t1, t2, t3, t4, t5", "t1, t2, t3, t4, t5 and 2 more"]);
});

test("taking a role ends the tokens in their name there", () => {
  const token = (project: string | null, more = {}) => ({
    person: mary.email,
    state: "live" as const,
    project,
    ...more,
  });
  const tokens = [
    ...[token("shop"), token("quay"), token(null), token("shop", { person: "bob@example.com" })],
    token("shop", { state: "revoked" as const }),
  ];
  const of = { ...mary, isAdmin: false, roles: { shop: "reader" as const } };
  const ending = (person: FleetPerson, isAdmin: boolean, roles: Record<string, PersonRole | null>) =>
    endingTokens(person, { isAdmin, roles }, tokens).map(({ project }) => project);
  expect(ending(of, false, { shop: null })).toEqual(["shop"]);
  expect(ending(of, false, { shop: "admin" })).toEqual([]);
  expect(ending(of, true, { shop: null })).toEqual([]);
  expect(ending({ ...of, isAdmin: true }, false, { shop: "reader" })).toEqual(["quay"]);
  expect(ending({ ...of, isAdmin: true }, false, { shop: null })).toEqual(["shop", "quay", null]);
});

test("an admin of the fleet is offered every project that anything names, others their own alone", () => {
  const named = {
    people: [mary],
    tokens: [{ project: "yard" }, { project: null }],
    limits: [{ project: "shop" }],
    spent: ["mill"],
  };
  expect(projectNames("all", named)).toEqual(["mill", "quay", "shop", "yard"]);
  expect(projectNames("all", {})).toEqual([]);
  expect(projectNames(["shop", "pier"], named)).toEqual(["pier", "shop"]);
});

test("a project's name is checked as the server does, once there is one", () => {
  expect(["", " ", "shop", "a.b_c-1"].map(projectProblem)).toEqual([null, null, null, null]);
  for (const wrong of ["Shop", "-a", "a/b", "*", "a".repeat(64)]) expect(projectProblem(wrong)).toContain("63");
});

test("a new token comes with the command that it is for", () => {
  const lines = (scope: "send" | "read" | "write") =>
    usesOf({ token: "plf_x", scope }, "https://plimsoll.example.com").flatMap((use) => use.lines);
  const send = ["export PLIMSOLL_SEND_TOKEN=plf_x", "npx plimsoll send --to https://plimsoll.example.com --dry-run"];
  const read = ['curl -sS -H "Authorization: Bearer plf_x" https://plimsoll.example.com/api/sessions'];
  expect([lines("send"), lines("read"), lines("write")]).toEqual([send, read, [...send, ...read]]);
});

test("limits are said as a person says them", () => {
  expect(
    [
      { days: 90, bytes: 50e9 },
      { days: 1, bytes: null },
      { days: null, bytes: null },
    ].map(limitsText),
  ).toEqual(["90 days, 50 GB", "1 day", "everything"]);
});

test("a row is found by a part of any of its words", () => {
  expect(isNamed(["build server", null], " SERV ")).toBe(true);
  expect(isNamed(["build server", null], "laptop")).toBe(false);
  expect(isNamed([null], "")).toBe(true);
});

test("the filters in the address of the page are the query of the log", async () => {
  const of = createLoader(auditParsers);
  const choices = await of(new URLSearchParams("who= ann &action=delete&days=7&project=shop"));
  expect(auditQuestion(choices)).toEqual({ who: "ann", action: "delete", days: "7", project: "shop" });
  // What no version knows is as if nothing was chosen.
  expect(auditQuestion(await of(new URLSearchParams("action=annul&days=8")))).toEqual({
    ...{ who: "", action: null, days: null, project: null },
  });
  expect([isNarrowed(choices), isNarrowed(await of(new URLSearchParams("")))]).toEqual([true, false]);
});
