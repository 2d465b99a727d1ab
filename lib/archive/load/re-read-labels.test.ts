// Of the readings in real sessions that could be taken for a re-read, 66 were looked at by hand: the call, what it showed, what
// had shown it before, what had been changed between. `again`: at least half of its lines (or all of its bytes) were in the
// context that asked for it, or were until the compaction before, and no file that it shows had been changed since.
// The calls alone are named here; their sessions are those of ../shared/data.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { reReadsAfter } from "#lib/kernel/load/culprits/compaction-thrash.ts";
import { reReadsIn } from "#lib/kernel/load/culprits/re-read.ts";
import { frameOf } from "#lib/kernel/load/prompt-frame.ts";
import { findSession } from "../base/find-session.ts";
import { importPaths } from "../import/import-paths.ts";
import { rowRange } from "../base/row-keys.ts";
import { loadFactsOf } from "./load-facts.ts";
import { inArchive } from "../testing-archive.ts";

const DATA = join(import.meta.dirname, "..", "..", "..", "..", "shared", "data");
const SOURCES = [
  "claude-code/claude-code-viewer",
  "claude-code/entire-cli",
  "claude-code/oh-my-posh",
  "claude-code/spotter",
  "codex/agentv",
];

type Labels = { readonly again: readonly string[]; readonly other: readonly string[] };

const LABELS: Readonly<Record<string, Labels>> = {
  "claude-code:030df228-1b4b-482d-b343-0fc9c13a3d1a": {
    again: [],
    other: ["toolu_013TKt7hvHSkxvRKCLuM5Q1Q", "toolu_01WGbsec1SYiYNfgCt7Zpi6G", "toolu_01VWppJmhtnBHoBeq3SNFEqa"],
  },
  "claude-code:258c7280-ae70-4798-800f-63464d01a85d": {
    again: ["toolu_013RVeauPNsPNHB4WJZNU5pf"],
    other: ["toolu_01YZH2eVbJgc3hJvopcKpZYa", "toolu_01KKK1u5EqN2s4tMYEenU5fh"],
  },
  "claude-code:4931d45a-d447-44b4-8475-1e6fcfcc28bf": {
    again: ["toolu_016LJmdUM6EWZVU7Z1XcDxPL"],
    other: ["toolu_015J2v2WZ5e33o1QTa694fAN", "toolu_013RLsvu4fBJjXjyUcfu7TEX"],
  },
  "claude-code:493c22a8-b700-4b88-aab8-0fafb602c3be": {
    again: [],
    other: ["toolu_018NFrzZLBautVBXaAmKwqoE", "toolu_01XZE3Csgh6tsPA83PwLrqwy", "toolu_01YWtEEptuQji8mReN1ANg6B"],
  },
  "claude-code:4d5611e5-241a-462a-8d15-5122611a9569": {
    again: ["toolu_01CGvgJtH8QAaxE2kFAKVUGd"],
    other: ["toolu_012M99HY1qSmzgYFxXLocuVa", "toolu_01Tr176iYnf53EnMjPHFtKmD"],
  },
  "claude-code:6113e919-67d3-417b-b525-c63700228d19": {
    again: ["toolu_0112cB7spW8ujxsWWY2Hmxyv", "toolu_01MAaqW3WVqp2g8q7KLLtq5G"],
    other: ["toolu_01Grr4MfTmVzdyUMnN4ppgSB", "toolu_01Pm8ctRZkfUkHPUMtuEQa9f"],
  },
  "claude-code:6b6f4218-0b12-4d55-b930-462903683bea": {
    again: [],
    other: ["toolu_01QQ9ppfnGNzQCR2Kqz2x5op", "toolu_01BW7vQPKra31AfXBCFZCTzK"],
  },
  "claude-code:9e2434f3-c800-4ed9-b78e-e494ef59bd78": {
    again: [
      "toolu_01UmCVMDU4qiZWHynvvBuk3a",
      "toolu_017u81M2eKL3yuK6ipq7upRE",
      "toolu_01QP6MnHUgb7bMDb2FYw2WSJ",
      "toolu_01XkjF46SNc3D1HgDqkFuvz7",
      "toolu_01LMzvwxYjqBwWHqZxqCDTCo",
    ],
    other: ["toolu_01DxKN52Mieh6AacNPwVjorD", "toolu_01LPfzPrbicEet3MUAihAdhv", "toolu_01TfuyA9Lk74Y3EvX6Lt2yuw"],
  },
  "claude-code:b42aaf1f-96ad-4f7a-9f52-783eb0847649": {
    again: ["toolu_01D1j9WyH8va3jrWR59UkATK", "toolu_01VEDqyhPjzU4bzcBAfMKrf6"],
    other: [
      "toolu_01P362pm6fvFf5PCFdNhEKPk",
      "toolu_013kBRmzdcWU4sB85LAZwKWM",
      "toolu_01CukHqYJZr1Y3xw3hF4i5tg",
      "toolu_01KZ8n78gHY4cTSg6s2nxh5d",
      "toolu_015LBZKr8R42UZ1CU2QSDnhD",
    ],
  },
  "claude-code:e8106766-ab6a-43ed-8849-77d5114eaff1": {
    again: ["toolu_016SmVfqM2Bn9obUTsqytUED"],
    other: [],
  },
  "claude-code:fe5e1c67-53e7-4862-81ae-d0e013e3270b/2974f8a9": {
    again: ["toolu_015oEULbb9KoucuTFtNJeZVM"],
    other: [],
  },
  "codex:019ed99c-d00d-7613-b2e7-d2f512f78afd": {
    again: [
      "call_cOc7kPxmcr7wGGHEQA0FM0L5",
      "call_F035UZJcwp0ABJi4GTqfg5B4",
      "call_oQSZGJpZHxubA3ZEaD7T5cAP",
      "call_XQN9T1xF3FjCqJdY477CNYTT",
      "call_mcoY5nNzkeogmQFyHC1TuZ2T",
      "call_f6tTCrSzAfWtuOEzKLLrXxK1",
      "call_aPw1j1ykZ1MCBYh9O8EGCrqE",
      "call_jPvmD9B2lVXVGwYBlBn13ynI",
      "call_CcMcLdhmkZKPmwDNPg7cdkl1",
      "call_7MdJZlXPYmOwZXTrrDXW95eK",
    ],
    other: [
      "call_WXv7xhITzdgk8FL1hBjrUdXS",
      "call_C2l6q4LfgxnJt6Jy9bdGYFnf",
      "call_eNDkriQGZS8mgmswici9KbuL",
      "call_kptQNgzJNUadSUBdti7ZETl4",
      "call_TnNyin39O1RLYSt35Ae7NxNe",
      "call_IFwnwiTRjFYhqTjRYM1ZcoXx",
      "call_bw68OA3iOPU453t5q0PH0gMz",
      "call_fHFYw3za2D4jIqHq4WRwZCK1",
    ],
  },
  "codex:019eef3d-abd1-72e1-ab99-dcdb259027c5": {
    again: ["call_KeCPtT8TOx4l2u1Cd6jBBYfQ"],
    other: [],
  },
  "codex:019f03e0-321f-7eb2-83cc-b54ecd71be23": {
    again: [
      "call_9Hs2m8g84PrGdcY4BDqCah37",
      "call_PH2BXofG42ZNnEyLWAMYcLBi",
      "call_fnerHodapR9axiNzS4eQ4VuQ",
      "call_DAvf5aelgElMsziCOb0XlH2L",
      "call_TsOoHlY0DUyVBNpgdVCFnhrV",
    ],
    other: [
      "call_mpOg9bBeu9J3hY7MF4Ypsaju",
      "call_5N51sGIvrrT8IjeZtoqunRv3",
      "call_8Ulc0DZmzDpgaS7yvmyBjwHx",
      "call_VqWQL0KMIfv5G4a0l6Yl5C7X",
    ],
  },
};

const isHere = SOURCES.every((source) => existsSync(join(DATA, source)));
if (!isHere) console.warn(`SKIPPED: the labels of re-reads need the collected sessions in ${DATA}.`);

test.skipIf(!isHere)("what is named a re-read is one in 95 of 100, of 66 that were labelled by hand", () =>
  inArchive(async (archive) => {
    for (const source of SOURCES) await importPaths(archive, [join(DATA, source)]);
    const wrong: string[] = [];
    const missed: string[] = [];
    let right = 0;
    const idOf = archive.sqlite.prepare("SELECT tool_call_id FROM events WHERE id = ?").pluck();
    for (const [session, { again, other }] of Object.entries(LABELS)) {
      const pk = findSession(archive, session);
      const facts = await loadFactsOf(archive, pk);
      const found = [...reReadsIn(facts), ...frameOf(facts).cuts.flatMap((cut) => reReadsAfter(facts, cut))];
      const named = new Set(found.map(({ output }) => idOf.get(rowRange(pk)[0] + output.seq) as string));
      const known = new Set(
        archive.sqlite
          .prepare("SELECT tool_call_id FROM events WHERE id BETWEEN ? AND ?")
          .pluck()
          .all(...rowRange(pk)),
      );
      for (const call of [...again, ...other]) expect(known.has(call), call).toBe(true);
      right += again.filter((call) => named.has(call)).length;
      missed.push(...again.filter((call) => !named.has(call)));
      wrong.push(...other.filter((call) => named.has(call)));
    }
    const precision = right / (right + wrong.length);
    const recall = right / (right + missed.length);
    console.info(
      `re-reads: ${right + wrong.length} of 66 named, ${right} rightly (${(precision * 100).toFixed(1)} %), ` +
        `${(recall * 100).toFixed(1)} % of the ${right + missed.length} true ones found`,
    );
    expect(right + wrong.length).toBeGreaterThanOrEqual(25);
    expect(precision, `named and none: ${wrong.join(", ")}`).toBeGreaterThanOrEqual(0.95);
    expect(recall, `missed: ${missed.join(", ")}`).toBeGreaterThanOrEqual(0.85);
  }),
);
