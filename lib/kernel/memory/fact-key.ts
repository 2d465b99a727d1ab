// Which facts are the same, told again: by their words, without how often, how it ended and which way round. Of the same the
// newest is meant: a command that passes now no longer fails, an approach that was taken up again is no longer given up.

const TIMES = / ×\d+/g;
const COMMAND = /^(?:exit -?\d+|failed|no error|no result): /;
const FILE = /^(?:created|modified|deleted|read)(?:, the last time in vain)? (?=\S+$)/;
const CHOICE = /^chose (.*); gave up (.*)$/;

/** The same for facts that say the same, whatever they say of it. */
export function factKey(fact: string): string {
  const plain = fact.replace(TIMES, "").replace(/\s+/g, " ").trim();
  const choice = CHOICE.exec(plain);
  if (choice !== null) {
    const things = [choice[1]!, ...choice[2]!.split("; ")].map((thing) => thing.toLowerCase()).toSorted();
    return `choice ${things.join("; ")}`;
  }
  if (plain.startsWith("goal: ")) return plain.toLowerCase();
  const bare = plain.replace(COMMAND, "command ").replace(FILE, "file ");
  return bare
    .toLowerCase()
    .replace(/[\s"'`*_]+/g, " ")
    .replace(/[.!;,:\s]+$/, "")
    .trim();
}

/** Facts each once, in their order; of the same the last one given. */
export function distinctFacts<T extends { readonly fact: string }>(facts: readonly T[]): T[] {
  const last = new Map(facts.map((fact) => [factKey(fact.fact), fact]));
  return facts.filter((fact) => last.get(factKey(fact.fact)) === fact);
}
