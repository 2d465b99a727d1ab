// Each block of rendered Markdown runs as its own words do; code runs from left to right, also between words that do not.
type Node = { tagName?: string; properties?: Record<string, unknown>; children?: Node[] };

const AUTO = new Set(["p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "blockquote", "th", "td"]);
const CODE = new Set(["pre", "code"]);

export function rehypeDirection() {
  return (tree: Node): void => direct(tree, false);
}

/** A block within a block runs as that one does: a browser asks no words that have a direction of their own. */
function direct(node: Node, isWithin: boolean): void {
  const { tagName = "", children = [] } = node;
  const isAuto = !isWithin && AUTO.has(tagName);
  if (isAuto) node.properties = { ...node.properties, dir: "auto" };
  if (CODE.has(tagName)) node.properties = { ...node.properties, dir: "ltr" };
  for (const child of children) direct(child, isWithin || isAuto);
}
