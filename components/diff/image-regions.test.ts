import { expect, test } from "vitest";
import { imageRegions } from "./image-regions.ts";

const WIDTH = 100;
const image = (paint: (at: (x: number, y: number) => number, bytes: Uint8ClampedArray) => void = () => {}) => {
  const bytes = new Uint8ClampedArray(WIDTH * 80 * 4).fill(255);
  paint((x, y) => (y * WIDTH + x) * 4, bytes);
  return bytes;
};

test("equal images have no region", () => {
  expect(imageRegions(image(), image(), WIDTH)).toEqual({ pixels: 0, regions: [] });
});

test("pixels that differ are counted, and near ones are one region, from the top left", () => {
  const right = image((at, bytes) => {
    for (let x = 60; x < 90; x++) for (let y = 3; y < 6; y++) bytes[at(x, y)] = 0;
    bytes[at(2, 70) + 1] = 9;
  });
  expect(imageRegions(image(), right, WIDTH)).toEqual({
    pixels: 91,
    regions: [
      { x: 60, y: 3, width: 30, height: 3 },
      { x: 2, y: 70, width: 1, height: 1 },
    ],
  });
});

test("the last column and the first of the next row are not beside each other", () => {
  const right = image((at, bytes) => {
    bytes[at(99, 2)] = 0;
    bytes[at(0, 18)] = 0;
  });
  expect(imageRegions(image(), right, WIDTH).regions).toHaveLength(2);
});

test("transparent pixels are the same whatever their colour", () => {
  const clear = (red: number) =>
    image((at, bytes) => {
      bytes[at(5, 5)] = red;
      bytes[at(5, 5) + 3] = 0;
    });
  expect(imageRegions(clear(1), clear(200), WIDTH).pixels).toBe(0);
});
