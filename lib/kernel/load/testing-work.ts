// What a made-up agent does all day: ordinary reading, searching, editing and running, of ordinary sizes. Nothing in it is a
// culprit; what is one is planted beside it.
import type { Chance } from "./testing-chance.ts";
import type { SessionScript, Tool } from "./testing-session.ts";

const FOLDERS = ["server", "client", "store", "parse", "render", "jobs", "http", "model"];
const NAMES = ["index", "routes", "cache", "queue", "types", "worker", "session", "policy", "reader", "writer"];

export type Work = {
  /** One call of ordinary work. */
  step(): void;
  /** A file that was not read yet, by its path. */
  freshPath(): string;
};

export function workOf(script: SessionScript, { idle = false }: { idle?: boolean } = {}): Work {
  const { chance } = script;
  const edited = new Set<string>();
  const read = new Map<string, number>();
  let paths = 0;
  let left = 0;

  let epoch = 1;

  /** After a compaction two of the files that were being changed are read again: three would be the start of a thrash. */
  function forget(): void {
    epoch = script.epoch;
    for (const path of [...edited].slice(2)) edited.delete(path);
    read.clear();
  }

  const freshPath = (): string => {
    const n = paths++;
    const turn = Math.floor(n / (FOLDERS.length * NAMES.length));
    return `/repo/${FOLDERS[n % FOLDERS.length]}/${NAMES[Math.floor(n / FOLDERS.length) % NAMES.length]}${turn || ""}.ts`;
  };

  function tool(): Tool {
    const roll = chance.next();
    if (roll < 0.34) return readFile();
    if (roll < 0.52) return edit();
    if (roll < 0.74) return run();
    return search();
  }

  function readFile(): Tool {
    // A file that was changed is read again for a reason.
    const changed = [...edited][0];
    const path = changed !== undefined && chance.is(0.25) ? changed : freshPath();
    edited.delete(path);
    const tokens = chance.size(850, 0.6, 80, 3200);
    read.set(path, tokens);
    return { name: "Read", subject: path.slice(6), path, tokens, usedFor: usedFor(chance) };
  }

  function edit(): Tool {
    const path = read.size > 0 ? chance.pick([...read.keys()].slice(-8)) : freshPath();
    edited.add(path);
    return {
      name: "Edit",
      subject: path.slice(6),
      path,
      writes: true,
      tokens: chance.size(180, 0.5, 30, 900),
      usedFor: usedFor(chance),
    };
  }

  function run(): Tool {
    const isError = chance.is(0.15);
    const command = chance.pick(["npm test", "git diff", "npm run build", "git status", "ls -la src"]);
    return {
      name: "Bash",
      subject: command,
      command,
      isError,
      tokens: chance.size(260, 0.8, 15, 2200),
      usedFor: usedFor(chance),
    };
  }

  function search(): Tool {
    const word = `${chance.pick(NAMES)}${chance.whole(1, 900)}`;
    return { name: "Grep", subject: word, tokens: chance.size(240, 0.8, 10, 2000), usedFor: usedFor(chance) };
  }

  function step(): void {
    if (left === 0) {
      left = chance.whole(4, 24);
      // A person answers within the cache's five minutes, but where the session is to be idle.
      script.wait(idle ? 0.5 : chance.next() * 4);
      script.user(chance.whole(15, 380));
    }
    left--;
    if (script.isFull) script.compact();
    if (script.epoch !== epoch) forget();
    if (chance.is(0.08)) script.inject(chance.whole(40, 700));
    const count = left === 0 ? 0 : chance.is(0.2) ? chance.whole(2, 3) : 1;
    script.call(Array.from({ length: count }, tool), {
      thought: chance.is(0.5) ? chance.whole(250, 1600) : 0,
      words: chance.is(0.45) ? chance.whole(15, 180) : 0,
    });
  }

  return { step, freshPath };
}

/** Most results are spoken of for some calls; a few never are. */
const usedFor = (chance: Chance): number | null =>
  chance.is(0.2) ? null : Math.floor(-Math.log(1 - chance.next()) * 14);
