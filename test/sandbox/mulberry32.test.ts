import { expect, test } from "vitest";
import { mulberry32 } from "../../src/sandbox/mulberry32.ts";

test.each([
  [0, [0.26642920868471265, 0.0003297457005828619, 0.2232720274478197]],
  [1, [0.6270739405881613, 0.002735721180215478, 0.5274470399599522]],
  [42, [0.6011037519201636, 0.44829055899754167, 0.8524657934904099]],
])("seed %i gives the published numbers", (seed, expected) => {
  const random = mulberry32(seed);
  expect([random(), random(), random()]).toEqual(expected);
});
