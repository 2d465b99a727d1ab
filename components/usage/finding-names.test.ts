import { expect, test } from "vitest";
import { findingNames } from "./finding-names.ts";

const of = (subject: string, detector = "oversized-output", kind = "tool") => ({
  ...{ id: `${kind}:${detector}:${subject}`, subject, detector, kind },
});
const named = (...rows: readonly ReturnType<typeof of>[]): readonly string[] => [...findingNames(rows).values()];

test("a file is named by its last two parts", () => {
  expect(
    named(of("Read /home/sailor/harbour/src/chart.ts"), of("exec_command rg"), of("Reasoning sent again")),
  ).toEqual(["Read src/chart.ts: large", "exec_command rg: large", "Reasoning sent again: large"]);
});

test("files whose last parts are the same are told apart by the folder in which they differ", () => {
  expect(
    named(
      of("Read /home/sailor/trees/north/lib/web/live/pier.ex"),
      of("Read /home/sailor/trees/south/lib/web/live/pier.ex"),
      of("Read /home/sailor/trees/south/lib/web/live/pier.ex", "re-read"),
    ),
  ).toEqual(["Read north/…/live/pier.ex: large", "Read south/…/live/pier.ex: large", "Read live/pier.ex: read again"]);
});

test("a folder right before the last two parts needs no gap", () => {
  expect(named(of("Read /quay/east/src/a.ts"), of("Read /quay/west/src/a.ts"))).toEqual([
    "Read east/src/a.ts: large",
    "Read west/src/a.ts: large",
  ]);
});

test("of two paths, one the end of the other, the longer one has its folder", () => {
  expect(named(of("Read src/a.ts"), of("Read /quay/src/a.ts"))).toEqual([
    "Read src/a.ts: large",
    "Read quay/src/a.ts: large",
  ]);
});

test("where one folder does not tell all of them apart, two do", () => {
  const four = ["east/a", "east/b", "west/a", "west/b"];
  expect(named(...four.map((path) => of(`Read /quay/${path}/src/x.ts`)))).toEqual(
    four.map((path) => `Read ${path}/src/x.ts: large`),
  );
  const far = ["east/one/a", "east/one/b", "west/one/a"];
  expect(named(...far.map((path) => of(`Read /quay/${path}/lib/src/x.ts`)))).toEqual(
    ["east/…/a", "east/…/b", "west/…/a"].map((path) => `Read ${path}/…/src/x.ts: large`),
  );
});

test("of three the folder is taken that tells most of them apart", () => {
  const three = ["/quay/east/one/lib/src/a.ts", "/quay/east/two/lib/src/a.ts", "/quay/west/six/lib/src/a.ts"];
  expect(named(...three.map((path) => of(`Read ${path}`)))).toEqual(
    ["one", "two", "six"].map((folder) => `Read ${folder}/…/src/a.ts: large`),
  );
});
