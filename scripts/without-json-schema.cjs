// Pages check answers with zod, and make no JSON Schema. Its schemas bring what would make one all the same: 6 kB of the 250 that the first
// page may send. In a browser each function of those modules gives another, which says so when it is called.
const EXPORT = /^export (?:const|function) (\w+)/gm;

module.exports = function withoutJsonSchema(source) {
  const names = [...source.matchAll(EXPORT)].map(([, name]) => name);
  return [
    'const absent = () => () => { throw new Error("JSON Schema is not made in a browser."); };',
    ...names.map((name) => `export const ${name} = absent;`),
    ...(names.includes("processSchema") ? ["export { absent as process };"] : []),
  ].join("\n");
};
