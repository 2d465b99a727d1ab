// Names characters that would not show, inside rendered Markdown: <SafeText> for a tree of elements.
import { splitHidden } from "#lib/kernel/hidden-text.ts";

type Node = { type: string; value?: string; tagName?: string; properties?: Record<string, unknown>; children?: Node[] };

export function rehypeVisible() {
  return (tree: Node): void => show(tree);
}

function show(node: Node): void {
  if (!node.children) return;
  node.children = node.children.flatMap((child) => {
    show(child);
    // HTML is drawn as the text that it is, after this: it counts as text here.
    if ((child.type !== "text" && child.type !== "raw") || child.value === undefined) return [child];
    const parts = splitHidden(child.value);
    if (parts.length === 1 && parts[0]?.hidden === false) return [child];
    return parts.map((part): Node =>
      part.hidden
        ? {
            type: "element",
            tagName: "span",
            properties: { className: ["hidden-char"], title: "A character that would not show" },
            children: [{ type: "text", value: part.text }],
          }
        : { type: "text", value: part.text },
    );
  });
}
