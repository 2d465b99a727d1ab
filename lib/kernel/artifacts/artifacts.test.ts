// What a stored output is: its type, the size of an image. All of it is told of bytes that strangers made.
import { deflateSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { extensionOf, sniffBytes, sniffText, typeOfName, withExtension } from "./content-type.ts";
import { imageSize } from "./image-size.ts";

describe("content type", () => {
  test.each([
    ['{"a":1}', "application/json"],
    ["  [1, 2]\n", "application/json"],
    ['{\n  "a": [\n    1\n  ]\n}\n', "application/json"],
    ['{"a":1}\n{"a":2}\n', "application/x-ndjson"],
    ['{"a":1}\n', "application/json"],
    ["[INFO] started\n", "text/plain"],
    ["{ not json", "text/plain"],
    ["", "text/plain"],
    ["plain", "text/plain"],
    [`[${"1,".repeat(200_000)}1]`, "application/json"],
    [`[${"1,".repeat(200_000)}`, "text/plain"],
  ])("%.20s is %s", (text, type) => expect(sniffText(text)).toBe(type));

  test("a name stands for a type by its extension alone", () => {
    expect(["a.JSON", "b.md", "c.png", "d.unknown", "constructor", "x.__proto__", ""].map(typeOfName)).toEqual([
      "application/json",
      "text/markdown",
      "image/png",
      null,
      null,
      null,
      null,
    ]);
    expect(["text/plain", "application/json", "image/jpeg", "application/x-of-tomorrow"].map(extensionOf)).toEqual([
      "txt",
      "json",
      "jpg",
      "bin",
    ]);
  });

  test("a download has an ending, whatever its name says", () => {
    const named = (name: string, type = "text/plain") => withExtension(name, type);
    expect(["tides.csv", "a b.go", "run.tar.gz", "server.rs"].map((name) => named(name))).toEqual([
      "tides.csv",
      "a b.go",
      "run.tar.gz",
      "server.rs",
    ]);
    expect(named("cat log")).toBe("cat log.txt");
    expect(named("Makefile")).toBe("Makefile.txt");
    expect(named("report v3.0", "application/json")).toBe("report v3.0.json");
    expect(named("https://usegitai.com/docs", "text/markdown")).toBe("https://usegitai.com/docs.md");
    expect(named("https://usegitai.com", "text/html")).toBe("https://usegitai.com.html");
    expect(named("https://a.example/x.json", "application/json")).toBe("https://a.example/x.json");
    expect(named("...", "image/png")).toBe("bytes.png");
  });

  test("bytes are told by how they begin", () => {
    const begins = (text: string): string => sniffBytes(Uint8Array.from(Buffer.from(text, "latin1")));
    expect(begins("\x89PNG\r\n\x1a\n")).toBe("image/png");
    expect(begins("RIFF\0\0\0\0WEBPVP8 ")).toBe("image/webp");
    expect(begins("\x1f\x8b\x08")).toBe("application/gzip");
    expect(begins("")).toBe("application/octet-stream");
    expect(begins("\xff\xfe")).toBe("application/octet-stream");
  });

  test("any text has a type", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => sniffText(text).includes("/")));
  });
});

describe("image size", () => {
  const bytes = (...parts: (number[] | string)[]): Uint8Array => {
    const joined = parts.flatMap((part) => (typeof part === "string" ? [...Buffer.from(part, "latin1")] : part));
    return Uint8Array.from([...joined, ...Array<number>(Math.max(0, 40 - joined.length)).fill(0)]);
  };
  const u32 = (n: number): number[] => [n >>> 24, (n >> 16) & 255, (n >> 8) & 255, n & 255];

  test.each([
    ["PNG", bytes([0x89], "PNG\r\n\u001a\n", u32(13), "IHDR", u32(640), u32(480))],
    ["GIF", bytes("GIF89a", [0x80, 0x02, 0xe0, 0x01])],
    [
      "JPEG behind another segment",
      bytes([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc2, 0, 17, 8, 0x01, 0xe0, 0x02, 0x80]),
    ],
    ["WebP, lossy", bytes("RIFF", u32(0), "WEBPVP8 ", u32(0), [0, 0, 0, 0x9d, 0x01, 0x2a, 0x80, 0x02, 0xe0, 0x01])],
    ["WebP, lossless", bytes("RIFF", u32(0), "WEBPVP8L", u32(0), [0x2f, 0x7f, 0xc2, 0x77, 0x00])],
    ["WebP, extended", bytes("RIFF", u32(0), "WEBPVP8X", u32(0), [0, 0, 0, 0, 0x7f, 0x02, 0, 0xdf, 0x01, 0])],
  ])("%s: 640 × 480", (_, image) => expect(imageSize(image)).toEqual({ width: 640, height: 480 }));

  test("what is no image has none, and no bytes break it", () => {
    expect(imageSize(deflateSync("not an image at all, but long enough"))).toBeNull();
    expect(imageSize(new Uint8Array())).toBeNull();
    const starts = [
      [0x89, 0x50, 0x4e, 0x47],
      [0xff, 0xd8, 0xff],
      [0x47, 0x49, 0x46, 0x38],
      [...Buffer.from("RIFF0000WEBPVP8X")],
      [],
    ];
    fc.assert(
      fc.property(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 300 }), (start, rest) => {
        const size = imageSize(Uint8Array.from([...start, ...rest]));
        if (size !== null) expect(Number.isInteger(size.width) && Number.isInteger(size.height)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});
