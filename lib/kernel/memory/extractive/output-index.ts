// The index of names that only outputs have said: those that bring the most for their characters, none twice. A path stands for
// its file name too, and for the shorter paths that end as it does.
import { entitiesIn } from "./entities.ts";
import { pick } from "./pick.ts";

/** Every name costs this many characters more than it has, so that the shortest do not take all of the room. */
const AROUND = 8;

/** Escapes and ranges (\\n\\n, a-z_) have the form of a name and name nothing. */
const WORD = /[A-Za-z0-9]{3}/;

/** Names, the most worth first, that take at most `room` characters with a space before each. None that is `there` already. */
export function outputIndex(weights: ReadonlyMap<string, number>, there: string, room: number): string[] {
  const names = [...weights.keys()].filter((name) => WORD.test(name) && !there.includes(name));
  const wanted = new Map(
    names.map((name) => [name, (weights.get(name)! * (name.length + 1)) / (name.length + 1 + AROUND)]),
  );
  const candidates = names.map((name, group) => ({
    cost: name.length + 1,
    opening: 0,
    group,
    names: namesWithin(name).filter((one) => wanted.has(one)),
    worth: 1,
    base: 0,
  }));
  return pick(candidates, wanted, new Map(), room).map((i) => names[i]!);
}

/** The name itself, and every other that can be read in it word for word. */
export function namesWithin(name: string): string[] {
  const within = new Set([name, ...entitiesIn(name).map((one) => one.name)]);
  for (let at = name.search(/[/\\]/); at >= 0 && at < name.length - 1; at = nextBreak(name, at + 1))
    within.add(name.slice(at + 1));
  return [...within];
}

function nextBreak(name: string, from: number): number {
  const offset = name.slice(from).search(/[/\\]/);
  return offset < 0 ? -1 : from + offset;
}
