// The shape of a stored text, from its bytes in pieces: what they are is said by whoever gives them.
import { JsonReader } from "../json-reader.ts";
import { describeTree, type ShapeNode } from "./describe.ts";
import { LinesReader } from "./lines-reader.ts";
import { TableReader } from "./table-reader.ts";
import { ShapeTree } from "./tree.ts";

export type ShapeKind = "json" | "lines" | "table";

/** Why reading ended before the text did. */
export type ShapeStop = "deadline" | "size" | "broken";

export type TextShape = {
  readonly kind: ShapeKind;
  /** Values that were read to their end: documents, lines, rows. */
  readonly values: number;
  /** Lines that are no JSON, rows of another length than the header. */
  readonly broken: number;
  /** The first of them, from 1. */
  readonly firstBroken: number | null;
  readonly readBytes: number;
  readonly stopped: ShapeStop | null;
  /** The byte at which a document stops being JSON. */
  readonly brokenAt: number | null;
  readonly repeatedKeys: number;
  /** Values that were not followed: too deep, or in places beyond the 2,000th. */
  readonly notFollowed: number;
  readonly isFull: boolean;
  readonly isTooDeep: boolean;
  readonly nodes: readonly ShapeNode[];
};

type Reader = {
  add(bytes: Uint8Array): void;
  end(isWhole: boolean): void;
  facts(): Pick<TextShape, "values" | "broken" | "firstBroken" | "brokenAt">;
};

export class ShapeReader {
  readonly #kind: ShapeKind;
  readonly #tree = new ShapeTree();
  readonly #reader: Reader;
  #readBytes = 0;

  constructor(kind: ShapeKind) {
    this.#kind = kind;
    this.#reader = { json: ofDocument, lines: ofLines, table: ofTable }[kind](this.#tree);
  }

  /** False when nothing further is of use: the document broke. */
  add(bytes: Uint8Array): boolean {
    // A byte order mark is of no value.
    const hasMark = this.#readBytes === 0 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
    this.#readBytes += bytes.length;
    this.#reader.add(hasMark ? bytes.subarray(3) : bytes);
    return this.#reader.facts().brokenAt === null;
  }

  end(stopped: Exclude<ShapeStop, "broken"> | null): TextShape {
    this.#reader.end(stopped === null);
    const facts = this.#reader.facts();
    const tree = this.#tree;
    return {
      kind: this.#kind,
      ...facts,
      readBytes: this.#readBytes,
      stopped: facts.brokenAt === null ? stopped : "broken",
      repeatedKeys: tree.repeatedKeys,
      notFollowed: tree.notFollowed,
      isFull: tree.isFull,
      isTooDeep: tree.isTooDeep,
      nodes: describeTree(tree),
    };
  }
}

function ofDocument(tree: ShapeTree): Reader {
  const reader = new JsonReader(tree);
  let brokenAt: number | null = null;
  return {
    add: (bytes) => {
      reader.add(bytes);
      brokenAt = reader.failedAt;
    },
    end: (isWhole) => {
      if (isWhole && !reader.end()) brokenAt = reader.failedAt;
      reader.closeAll();
    },
    facts: () => ({ values: reader.roots, broken: 0, firstBroken: null, brokenAt }),
  };
}

function ofLines(tree: ShapeTree): Reader {
  const reader = new LinesReader(tree);
  return {
    add: (bytes) => reader.add(bytes),
    end: (isWhole) => reader.end(isWhole),
    facts: () => ({
      values: reader.values,
      broken: reader.broken,
      firstBroken: reader.firstBroken,
      brokenAt: null,
    }),
  };
}

function ofTable(tree: ShapeTree): Reader {
  const reader = new TableReader(tree);
  return {
    add: (bytes) => reader.add(bytes),
    end: (isWhole) => reader.end(isWhole),
    facts: () => ({ values: reader.rows, broken: reader.uneven, firstBroken: reader.firstUneven, brokenAt: null }),
  };
}
