import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { DiskError } from "../../src/model/errors.ts";
import { createHashedFile } from "../../src/results/hashed-file.ts";
import { mulberry32 } from "../../src/sandbox/mulberry32.ts";
import { createSimulatedDisk, type Fault } from "../journal/simulated-disk.ts";

/** Sizes of what is added: around the size of the pieces that are written, too. */
const sizes = fc.array(
  fc.oneof(fc.nat(50), fc.integer({ min: 250_000, max: 270_000 }), fc.constant(262_144)),
  { maxLength: 5 },
);

function bytesOf(size: number): Buffer {
  return Buffer.alloc(size, String(size % 10));
}

test("is what was added to it, with its hash, also after a power cut", async () => {
  await fc.assert(
    fc.asyncProperty(sizes, async (all) => {
      const disk = createSimulatedDisk();
      const file = await createHashedFile(disk, "people.new");
      for (const size of all) {
        const bytes = bytesOf(size);
        await file.add(bytes);
        bytes.fill("x"); // it is the caller's again
      }
      const whole = Buffer.concat(all.map(bytesOf));
      const sha256 = createHash("sha256").update(whole).digest("hex");
      expect(await file.finish()).toEqual({ bytes: whole.length, sha256 });
      const left = await disk.afterPowerCut(mulberry32(whole.length)).read("people.new");
      expect(left?.equals(whole)).toBe(true);
    }),
    { numRuns: 30 },
  );
});

test("takes the place of what an interrupted run has left", async () => {
  const disk = createSimulatedDisk();
  const first = await createHashedFile(disk, "people.new");
  await first.add(Buffer.from("half of it"));
  await first.finish();
  const second = await createHashedFile(disk, "people.new");
  await second.add(Buffer.from("all"));
  await second.finish();
  expect((await disk.read("people.new"))?.toString()).toBe("all");
  await second.discard();
  expect(await disk.read("people.new")).toBeUndefined();
});

test.each<Fault>(["ENOSPC", "EIO"])("%s at any call is an error of the disk", async (fault) => {
  for (let failing = 1; ; failing++) {
    const disk = createSimulatedDisk((call) => (call === failing ? fault : undefined));
    const writing = async () => {
      const file = await createHashedFile(disk, "people.new");
      await file.add(bytesOf(300_000));
      await file.finish();
    };
    const ended = await writing().then(
      () => undefined,
      (error: unknown) => error,
    );
    if (disk.calls() < failing) break;
    expect(ended).toBeInstanceOf(DiskError);
    expect((ended as Error).message).toContain("people.new cannot be written");
  }
});
