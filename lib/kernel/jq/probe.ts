// `_probe` in a program notes its input on stderr, cut to what is shown of it, and ends the branch: nothing else happens.
// The notes are JSON lines, and the shape of them is what jq says of the position.
import { ShapeReader } from "../shape-tree/read-shape.ts";
import type { ShapeNode } from "../shape-tree/describe.ts";

/** A shape tells keys apart up to 200, and takes more for a map. */
const KEYS = 201;
const ELEMENTS = 10;
/** As far as a shape reads a string for a secret. */
const CHARS = 161;

/** What else writes to stderr is silent. */
export const PROBE_DEFINITIONS = `def _probe:
  def cut($depth):
    if type == "string" then .[:${CHARS}]
    elif $depth == 0 and type == "array" then []
    elif $depth == 0 and type == "object" then {}
    elif type == "array" then [limit(${ELEMENTS}; .[]) | cut($depth - 1)]
    elif type == "object" then
      . as $all | reduce keys_unsorted[:${KEYS}][] as $k ({}; .[$k] = ($all[$k] | cut($depth - 1)))
    else . end;
  (cut(if type == "object" and length < ${KEYS} then 1 else 2 end) | tojson + "\\n" | stderr) as $_ | empty;
def debug: .; def debug(f): (f | empty), .; def stderr: .;`.replaceAll(/\s*\n\s*/g, " ");

/** The values that were noted; nothing where there were none. Lengths are those of what was cut. */
export function readProbe(notes: string): readonly ShapeNode[] {
  const reader = new ShapeReader("lines");
  reader.add(new TextEncoder().encode(notes));
  const { values, nodes } = reader.end(null);
  return values === 0 ? [] : nodes.map((node) => ({ ...node, lengths: null }));
}
