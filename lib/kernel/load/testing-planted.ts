// Sessions with one known culprit, or with none, to measure how often the detectors name it. The truth is what was planted;
// the detectors see what a session file would show, reconciled with prompts whose tokenizer they do not know.
import type { Culprit, DetectorId, SessionLoadFacts, ToolSchema } from "./culprits/culprit-types.ts";
import { DETECTORS } from "./culprits/culprit-types.ts";
import { fail } from "../errors.ts";
import { culpritsOf } from "./culprits/rank.ts";
import { dropsEarlierReasoning } from "./reasoning-rule.ts";
import { chanceFrom, type Chance } from "./testing-chance.ts";
import { SessionScript, type Setting, type Tool } from "./testing-session.ts";
import { workOf, type Work } from "./testing-work.ts";
import type { Rates } from "./ledger-types.ts";
import { completeRates } from "./rates.ts";

export type Planted = {
  readonly session: SessionLoadFacts;
  /** Null: a healthy session. */
  readonly detector: DetectorId | null;
  /** Events that were planted; empty where the culprit is no event. */
  readonly seqs: readonly number[];
};

const perMillion = (uncached: number, read: number, write: number, output: number): Rates =>
  completeRates({ uncached: uncached / 1e6, read: read / 1e6, write: write / 1e6, output: output / 1e6 });

const MODELS: readonly { readonly model: string; readonly loadLine: number; readonly rates: Rates | null }[] = [
  { model: "claude-opus-4-5", loadLine: 157_000, rates: perMillion(5, 0.5, 6.25, 25) },
  { model: "claude-sonnet-4-5", loadLine: 160_000, rates: perMillion(3, 0.3, 3.75, 15) },
  { model: "claude-opus-5", loadLine: 190_000, rates: perMillion(5, 0.5, 6.25, 25) },
  { model: "gpt-5.4", loadLine: 235_000, rates: perMillion(2.5, 0.25, 2.5, 15) },
  { model: "claude-opus-4-6", loadLine: 167_000, rates: null },
];

type Plant = {
  readonly calls: readonly [least: number, most: number];
  readonly setting?: (setting: Setting, chance: Chance) => Setting;
  /** Models that it can happen with. */
  readonly fits?: (model: (typeof MODELS)[number]) => boolean;
  /** Begins at the first call; else somewhere in the first third, where there is room. */
  readonly fromStart?: boolean;
  /**
   * Called before each call from where it begins, `since` counting them. It may make the call itself: then it answers what it
   * planted; null leaves the call to ordinary work.
   */
  readonly step: (script: SessionScript, work: Work, since: number, memory: Memory) => readonly number[] | null;
};

/** What a plant remembers between its steps. */
type Memory = { seqs: number[]; path: string; epoch: number; held: string[]; times: number };

const read = (path: string, tokens: number, usedFor: number | null, outputKey?: string): Tool => ({
  name: "Read",
  subject: path.slice(6),
  path,
  tokens,
  usedFor,
  ...(outputKey === undefined ? {} : { outputKey }),
});

const oversized: Plant["step"] = (script, work, since) => {
  if (since > 0) return null;
  const { chance } = script;
  const tokens = chance.whole(10_000, 40_000);
  const usedFor = chance.is(0.5) ? null : chance.whole(0, 12);
  const big: Tool = chance.is(0.5)
    ? read(work.freshPath(), tokens, usedFor)
    : { name: "Bash", subject: "npm test -- --verbose", command: "npm test -- --verbose", tokens, usedFor };
  return script.call([big]);
};

/** Files of some size, one a call, and none of them named again after a few calls. */
const stale: Plant["step"] = (script, work, since) => {
  // Three tenths of the line, so that it matters whatever the line is.
  if (since >= Math.round((0.3 * script.setting.loadLine) / 2600)) return null;
  const { chance } = script;
  return script.call([read(work.freshPath(), chance.whole(2200, 3000), chance.is(0.5) ? null : chance.whole(0, 3))]);
};

const readAgain: Plant["step"] = (script, work, since, memory) => {
  const { chance } = script;
  if (since === 0) {
    memory.path = work.freshPath();
    memory.times = chance.whole(6, 14);
    script.call([read(memory.path, 2600, 3, memory.path)]);
    return [];
  }
  if (since % 3 !== 0 || memory.times-- <= 0) return null;
  return script.call([read(memory.path, 2600, 3, memory.path)]);
};

const fanned: Plant["step"] = (script, _work, since) => {
  if (since >= 6) return null;
  const { chance } = script;
  const grep = (i: number): Tool => ({
    name: "Grep",
    subject: `handler${since * 10 + i}`,
    tokens: chance.whole(700, 1500),
    usedFor: chance.is(0.4) ? null : chance.whole(0, 20),
  });
  return script.call(Array.from({ length: chance.whole(4, 5) }, (_, i) => grep(i)));
};

/** Instructions come again with each epoch. */
const remembered: Plant["step"] = (script, _work, since, memory) => {
  if (since === 0) memory.times = script.chance.whole(7000, 20_000);
  if (memory.epoch === script.epoch) return null;
  memory.epoch = script.epoch;
  const seq = script.say({ category: "memory", itemClass: "note", label: "CLAUDE.md", tokens: memory.times });
  memory.seqs.push(seq);
  return null;
};

const thinking: Plant["step"] = (script, work, since) => {
  void since;
  const { chance } = script;
  const tool: Tool = {
    name: "Edit",
    subject: "parse/index.ts",
    path: "/repo/parse/index.ts",
    writes: true,
    tokens: 160,
    usedFor: 4,
  };
  if (chance.is(0.3)) {
    work.step();
    return [];
  }
  script.call([tool], { thought: chance.whole(4500, 12_000) });
  return [];
};

const broken: Plant["step"] = (script, _work, since, memory) => {
  const { chance } = script;
  if (since === 0) {
    memory.times = chance.whole(4, 6);
    memory.path = chance.pick(["idle", "model", "prefix"]);
    memory.epoch = chance.whole(6, 12);
  }
  // A cache that is lost while it is small costs little.
  if (since % memory.epoch !== memory.epoch - 1 || script.prompt < 0.2 * script.setting.loadLine) return null;
  if (memory.times-- <= 0) return null;
  if (memory.path === "idle") {
    script.wait(chance.whole(12, 50));
    script.loseCache();
  } else if (memory.path === "prefix") script.loseCache(Math.floor(script.setting.prefix / 2));
  else script.switchModel(script.model === script.setting.model ? OTHERS[script.model]! : script.setting.model);
  return null;
};

/** Another model of the same tokenizer. */
const OTHERS: Readonly<Record<string, string>> = {
  "claude-opus-4-5": "claude-haiku-4-5",
  "claude-sonnet-4-5": "claude-haiku-4-5",
  "claude-opus-5": "claude-sonnet-5",
  "gpt-5.4": "gpt-5.3-codex",
};

/** What a compaction cut is read again at once: six files each time, or much is attached again and the next comes soon. */
const thrashed: Plant["step"] = (script, work, since, memory) => {
  const { chance } = script;
  if (since === 0) memory.held = Array.from({ length: 7 }, () => work.freshPath());
  if (since < memory.held.length || memory.times > 0) {
    const path = memory.held[since < memory.held.length ? since : --memory.times]!;
    const seqs = script.call([read(path, chance.whole(2200, 3000), chance.whole(2, 20))]);
    return script.epoch > 1 ? seqs : [];
  }
  if (memory.epoch !== script.epoch) {
    if (script.epoch > 1) memory.times = memory.held.length;
    memory.epoch = script.epoch;
  }
  return null;
};

const retried: Plant["step"] = (script, _work, since, memory) => {
  const { chance } = script;
  if (since === 0) memory.times = chance.whole(8, 16);
  if (since >= memory.times) return null;
  const command = "npm run e2e";
  return script.call([
    {
      name: "Bash",
      subject: command,
      command,
      isError: true,
      tokens: chance.whole(1800, 2600),
      usedFor: chance.whole(0, 2),
    },
  ]);
};

const PLANTS: Readonly<Record<DetectorId, Plant>> = {
  "oversized-output": { calls: [60, 260], step: oversized },
  "stale-result": { calls: [160, 300], step: stale },
  "re-read": { calls: [80, 260], step: readAgain },
  "fan-out": { calls: [60, 260], step: fanned },
  "unused-schemas": {
    calls: [60, 400],
    setting: (setting, chance) => withServer(setting, chance.whole(12, 40), 420),
    step: () => null,
  },
  "memory-file": { calls: [60, 400], fromStart: true, step: remembered },
  reasoning: { calls: [80, 260], fits: ({ model }) => !dropsEarlierReasoning(model), step: thinking },
  "cache-break": { calls: [70, 260], fits: ({ rates }) => rates !== null, step: broken },
  "compaction-thrash": {
    calls: [260, 400],
    setting: (setting, chance) =>
      chance.is(0.5) ? { ...setting, attached: Math.round(setting.loadLine * (0.58 + 0.06 * chance.next())) } : setting,
    fromStart: true,
    step: thrashed,
  },
  "retry-loop": { calls: [60, 260], step: retried },
};

function withServer(setting: Setting, tools: number, tokens: number): Setting {
  const schemas = Array.from({ length: tools }, (_, i): ToolSchema => ({
    name: `mcp__tracker__tool_${i}`,
    server: "tracker",
    tokens,
    calls: 0,
    seq: null,
  }));
  return { ...setting, prefix: setting.prefix + tools * tokens, schemas: [...setting.schemas, ...schemas] };
}

function settingOf(chance: Chance, fits: Plant["fits"] = () => true): Setting {
  const { model, loadLine, rates } = chance.pick(MODELS.filter(fits));
  const own = ["Read", "Edit", "Bash", "Grep"].map((name) => ({
    name,
    server: null,
    tokens: 900,
    calls: 20,
    seq: null,
  }));
  // Some tools of the agent itself are never called: nothing stands out in that.
  const spare = ["WebSearch", "NotebookEdit"].map((name) => ({ name, server: null, tokens: 350, calls: 0, seq: null }));
  const request = ["find", "open"].map((name) => ({
    name: `mcp__wiki__${name}`,
    server: "wiki",
    tokens: 400,
    calls: 2,
    seq: null,
  }));
  return {
    model,
    loadLine,
    rates,
    prefix: chance.whole(14_000, 28_000),
    attached: chance.whole(0, 9000),
    full: 0.9 + 0.08 * chance.next(),
    schemas: [...own, ...spare, ...request],
  };
}

/** Calls that must be left for harm to be done: what a compaction or the end takes soon is no culprit. */
const STAYS: Readonly<Partial<Record<DetectorId, number>>> = { "stale-result": 80 };
const STAYS_ELSE = 40;
const ATTEMPTS = 50;

/** One session, with a culprit of the kind or, with null, with none. */
export function planted(detector: DetectorId | null, seed: number): Planted {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const one = play(detector, seed + attempt * 1_000_003);
    if (detector === null || didHarm(one, detector)) return one;
  }
  return fail("invalid", `No session of seed ${seed} lets ${detector} do harm. Try another seed.`);
}

/** `left`: what the plant still had to do when the session ended. */
type Played = Planted & { readonly begun: number; readonly left: number };

function didHarm({ session, seqs, begun, left }: Played, detector: DetectorId): boolean {
  const { calls, items } = session.ledger;
  if (detector === "compaction-thrash") return session.compactions.length >= 2;
  if (detector === "cache-break" && left > 0) return false;
  const least = STAYS[detector] ?? STAYS_ELSE;
  if (begun < 0 || calls.length - begun < least) return false;
  const of = new Set(seqs);
  const carried = items.filter(({ seq }) => seq !== null && of.has(seq));
  // Half of them for so long: of reads one after the other the last one does little.
  return carried.filter(({ from, to }) => to - from >= least).length >= carried.length / 2;
}

function play(detector: DetectorId | null, seed: number): Played {
  const chance = chanceFrom(seed);
  const plant = detector === null ? null : PLANTS[detector];
  const plain = settingOf(chance, plant?.fits);
  const script = new SessionScript(plant?.setting?.(plain, chance) ?? plain, chance);
  const work = workOf(script);
  const total = plant === null ? chance.whole(60, 400) : chance.whole(...plant.calls);
  const start = plant === null || plant.fromStart === true ? 0 : chance.whole(4, Math.max(5, Math.floor(total / 3)));
  const memory: Memory = { seqs: [], path: "", epoch: 0, held: [], times: 0 };
  let begun = -1;
  while (script.at < total) {
    if (script.isFull) script.compact();
    const hasRoom = script.prompt < 0.45 * script.setting.loadLine;
    if (begun < 0 && plant !== null && script.at >= start && (hasRoom || plant.fromStart === true)) begun = script.at;
    const before = script.at;
    const seqs = begun < 0 || plant === null ? null : plant.step(script, work, script.at - begun, memory);
    if (seqs !== null) memory.seqs.push(...seqs);
    if (script.at === before) work.step();
  }
  const session = script.end();
  // Of a compaction that comes too often the compaction itself is to blame as well as what came back.
  const cuts = detector === "compaction-thrash" ? session.compactions.map(({ seq }) => seq) : [];
  return { session, detector, seqs: [...memory.seqs, ...cuts], begun, left: memory.times };
}

/** True when a culprit is the planted one: its detector, and one of its events where events were planted. */
export const isPlanted = (culprit: Culprit, { detector, seqs }: Planted): boolean =>
  culprit.detector === detector && (seqs.length === 0 || culprit.seqs.some((seq) => seqs.includes(seq)));

export type PlantedRates = {
  readonly planted: number;
  readonly top1: number;
  readonly top3: number;
  readonly healthy: number;
  /** Healthy sessions in which nothing was named. */
  readonly quiet: number;
  readonly byDetector: Readonly<Record<DetectorId, { planted: number; top1: number; top3: number }>>;
  /** Seeds of the sessions that went wrong, with what was named first. */
  readonly misses: readonly {
    readonly detector: DetectorId | null;
    readonly seed: number;
    readonly named: readonly string[];
  }[];
};

/** How often the answer is right, over so many sessions: as many of each detector, four fourteenths healthy. */
export function plantedRates(sessions: number, seed: number): PlantedRates {
  const kinds = [...DETECTORS, ...HEALTHY];
  const byDetector = Object.fromEntries(
    DETECTORS.map((detector) => [detector, { planted: 0, top1: 0, top3: 0 }]),
  ) as PlantedRates["byDetector"];
  const misses: PlantedRates["misses"][number][] = [];
  let [healthy, quiet] = [0, 0];
  for (let i = 0; i < sessions; i++) {
    const detector = kinds[i % kinds.length]!;
    const one = planted(detector, seed + i);
    const culprits = culpritsOf(one.session);
    const rank = culprits.findIndex((culprit) => isPlanted(culprit, one));
    if (detector === null) {
      healthy++;
      if (culprits.length === 0) quiet++;
    } else {
      const rates = byDetector[detector];
      rates.planted++;
      if (rank === 0) rates.top1++;
      if (rank >= 0 && rank < 3) rates.top3++;
    }
    if (detector === null ? culprits.length > 0 : rank !== 0)
      misses.push({
        detector,
        seed: seed + i,
        named: culprits.slice(0, 3).map(({ detector, label }) => `${detector}: ${label}`),
      });
  }
  const sum = (key: "planted" | "top1" | "top3"): number =>
    DETECTORS.reduce((all, detector) => all + byDetector[detector][key], 0);
  const all = sum("planted");
  return {
    planted: all,
    top1: sum("top1") / all,
    top3: sum("top3") / all,
    healthy,
    quiet: quiet / healthy,
    byDetector,
    misses,
  };
}

const HEALTHY = [null, null, null, null] as const;
