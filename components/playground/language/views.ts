// What an expression gives, as far as a shape tells: places of the shape, and arrays and objects that a program makes of
// them. A list of views is all that a value may be; null is what nobody knows.
import type { ShapeAnswer, ShapeNode } from "#lib/wire/shape.ts";

export type View =
  | { readonly kind: "place"; readonly at: number }
  | { readonly kind: "array"; readonly of: Views }
  | { readonly kind: "object"; readonly fields: ReadonlyMap<string, Views> }
  /** A string, a number, true: nothing lies below it. */
  | { readonly kind: "scalar" };
export type Views = readonly View[] | null;

export const SCALAR: Views = [{ kind: "scalar" }];

/** A key that may stand behind a dot. */
export type KeyView = { readonly key: string; readonly node: ShapeNode | null };

export class Shaped {
  readonly nodes: readonly ShapeNode[];
  readonly #children = new Map<number, number[]>();

  constructor(shape: Pick<ShapeAnswer, "nodes">) {
    this.nodes = shape.nodes;
    for (const [at, { parent }] of shape.nodes.entries()) {
      const list = this.#children.get(parent);
      if (list === undefined) this.#children.set(parent, [at]);
      else list.push(at);
    }
  }

  get root(): Views {
    return this.nodes.length === 0 ? null : [{ kind: "place", at: 0 }];
  }

  below(at: number): readonly number[] {
    return this.#children.get(at) ?? [];
  }

  key(views: Views, key: string): Views {
    return flat(views, (view) => {
      if (view.kind === "object") return view.fields.get(key) ?? [];
      if (view.kind !== "place") return [];
      return this.below(view.at)
        .filter(
          (at) => this.nodes[at]!.step === "value" || (this.nodes[at]!.step === "key" && this.nodes[at]!.key === key),
        )
        .map((at) => ({ kind: "place", at }));
    });
  }

  /** The values of arrays and objects. */
  each(views: Views): Views {
    return flat(views, (view) => {
      if (view.kind === "array") return view.of;
      if (view.kind === "object") return union([...view.fields.values()]);
      if (view.kind !== "place") return [];
      return this.below(view.at).map((at) => ({ kind: "place", at }));
    });
  }

  /** Only the values of arrays. */
  elements(views: Views): Views {
    return flat(views, (view) => {
      if (view.kind === "array") return view.of;
      if (view.kind !== "place") return [];
      return this.below(view.at)
        .filter((at) => this.nodes[at]!.step === "element")
        .map((at) => ({ kind: "place", at }));
    });
  }

  everything(views: Views): Views {
    const all = flat(views, (view) => {
      const below = this.each([view]);
      return below === null || below.length === 0 ? [view] : [view, ...(this.everything(below) ?? [])];
    });
    return all;
  }

  /** The keys that views have, each once. */
  keys(views: Views): readonly KeyView[] {
    const found = new Map<string, KeyView>();
    for (const view of views ?? []) {
      if (view.kind === "object")
        for (const [key, below] of view.fields) {
          const [first] = below ?? [];
          if (!found.has(key)) found.set(key, { key, node: first?.kind === "place" ? this.nodes[first.at]! : null });
        }
      if (view.kind !== "place") continue;
      for (const at of this.below(view.at)) {
        const node = this.nodes[at]!;
        if (node.step === "key" && !found.has(node.key)) found.set(node.key, { key: node.key, node });
      }
    }
    return [...found.values()];
  }

  /** Whether arrays, or maps, are among them; how long, where that is known. */
  hasElements(views: Views): boolean {
    return (views ?? []).some(
      (view) =>
        view.kind === "array" ||
        (view.kind === "place" && (this.nodes[view.at]!.lengths !== null || this.nodes[view.at]!.isMap)),
    );
  }
}

function flat(views: Views, step: (view: View) => Views): Views {
  return views === null ? null : union(views.map(step));
}

export function union(lists: readonly Views[]): Views {
  const places = new Set<number>();
  const all: View[] = [];
  for (const list of lists) {
    // What is not known adds nothing that could be named.
    for (const view of list ?? []) {
      if (view.kind === "place" && places.has(view.at)) continue;
      if (view.kind === "place") places.add(view.at);
      all.push(view);
    }
  }
  return all.length === 0 && lists.length > 0 && lists.every((list) => list === null) ? null : all.slice(0, 400);
}

export const arrayOf = (of: Views): Views => [{ kind: "array", of }];
export const objectOf = (fields: Readonly<Record<string, Views>>): Views => [
  { kind: "object", fields: new Map(Object.entries(fields)) },
];
