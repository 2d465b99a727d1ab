// Is a stream one JSON document, or JSON lines, and what is its shape? It looks no deeper than a shape tells: the root, the
// values of a root object, arrays in arrays there, and the number of keys of the objects that lie in them. UTF-8 is checked
// elsewhere (text-scan.ts).
import { JsonReader } from "../json-reader.ts";
import { ARRAY, BOOLEAN, NULL, NUMBER, OBJECT, STRING, type ValueSink, type Kind, type Token } from "../json-sink.ts";
import { hashOfToken, textOf } from "../json-token.ts";
import { KeySet } from "./key-set.ts";
import { SHAPE_KEYS, ShapeCounter, shapeOfKeys, type Shape } from "./shape-counter.ts";

/** An open array or object that a shape tells of. */
type Frame = {
  isArray: boolean;
  /** Where it is counted itself. */
  counter: ShapeCounter;
  /** Where its values are counted: null for those that a shape does not tell. */
  values: ShapeCounter | null;
  length: number;
  readonly keys: KeySet;
};

type RootKey = { readonly name: string; counter: ShapeCounter };

export class JsonShape implements ValueSink {
  readonly #reader = new JsonReader(this);
  /** False as soon as the bytes can be neither. */
  isAlive = true;
  #depth = 0;
  /** The frames are the outermost levels: what is open deeper than this has none. */
  #open = 0;
  readonly #frames: Frame[] = [];
  readonly #root = new ShapeCounter();
  readonly #rootKeys = new Map<number, RootKey>();
  #rootKeyCount = 0;
  #firstIsObject = false;
  /** Line ends that had come when the last document began, and when it ended. */
  #beganAt = 0;
  #endedAt = -1;
  #spansLines = false;

  add(bytes: Uint8Array): void {
    this.#reader.add(bytes);
    this.isAlive &&= this.#reader.failedAt === null;
  }

  /** What the stream was, when it has ended. */
  finish(): { readonly isLines: boolean; readonly shape: Shape } | null {
    const { roots } = this.#reader;
    if (!this.#reader.end() || !this.isAlive || roots === 0) return null;
    if (roots > 1) return { isLines: true, shape: `jsonl(${roots}) of ${this.#root.describe()}` };
    return { isLines: false, shape: this.#document() };
  }

  begin(isArray: boolean): void {
    const depth = this.#depth++;
    if (depth === 0) this.#beginDocument(isArray);
    if (depth !== this.#open) return;
    const counter = this.#note(isArray ? ARRAY : OBJECT);
    if (counter !== null) this.#push(counter, isArray);
  }

  end(): void {
    const depth = this.#depth--;
    if (depth === this.#open) {
      const { isArray, counter, length, keys } = this.#frames[--this.#open]!;
      if (isArray) counter.endArray(length);
      else counter.endObject(keys.size);
      if (depth === 1 && this.#reader.roots === 1) this.#rootKeyCount = keys.size;
    }
    if (depth === 1) this.#endDocument();
  }

  key(token: Token): void {
    if (this.#depth !== this.#open) return;
    const frame = this.#frames[this.#open - 1]!;
    const hash = hashOfToken(token);
    const isNew = frame.keys.add(hash);
    if (this.#open > 1 || this.#reader.roots > 0) return;
    // The last of equal keys holds, in the place of the first: as every reader of JSON has it.
    const known = this.#rootKeys.get(hash);
    frame.values = null;
    if (known !== undefined) frame.values = known.counter = new ShapeCounter();
    else if (isNew && this.#rootKeys.size < SHAPE_KEYS) {
      frame.values = new ShapeCounter();
      this.#rootKeys.set(hash, { name: textOf(token).text, counter: frame.values });
    }
  }

  string(): void {
    this.#scalar(STRING);
  }

  number(): void {
    this.#scalar(NUMBER);
  }

  word(text: string): void {
    this.#scalar(text === "null" ? NULL : BOOLEAN);
  }

  #scalar(kind: Kind): void {
    if (this.#depth !== this.#open) return;
    if (this.#depth === 0) this.isAlive = false;
    else this.#note(kind);
  }

  /** A second document must begin on a line of its own, … */
  #beginDocument(isArray: boolean): void {
    const { roots, lineEnds } = this.#reader;
    if (roots === 0) this.#firstIsObject = !isArray;
    else if (this.#spansLines || lineEnds === this.#endedAt) this.isAlive = false;
    this.#beganAt = lineEnds;
  }

  /** … and each must lie on one line. */
  #endDocument(): void {
    const { roots, lineEnds } = this.#reader;
    this.#endedAt = lineEnds;
    this.#spansLines ||= lineEnds !== this.#beganAt;
    if (this.#spansLines && roots > 1) this.isAlive = false;
  }

  #document(): Shape {
    if (!this.#firstIsObject) return this.#root.describe();
    const keys = [...this.#rootKeys.values()].map(({ name, counter }) => [name, counter.describe()] as const);
    return shapeOfKeys(keys, this.#rootKeyCount);
  }

  /** Counts a value of the innermost frame, and says where; null when its kind is not told. */
  #note(kind: Kind): ShapeCounter | null {
    let counter: ShapeCounter | null = this.#root;
    if (this.#open > 0) {
      const frame = this.#frames[this.#open - 1]!;
      frame.length++;
      counter = frame.values;
    }
    counter?.note(kind);
    return counter;
  }

  #push(counter: ShapeCounter, isArray: boolean): void {
    const values = isArray ? counter.elements() : null;
    const used = this.#frames[this.#open];
    if (used === undefined) this.#frames.push({ isArray, counter, values, length: 0, keys: new KeySet() });
    else {
      used.isArray = isArray;
      used.counter = counter;
      used.values = values;
      used.length = 0;
      used.keys.clear();
    }
    this.#open++;
  }
}
