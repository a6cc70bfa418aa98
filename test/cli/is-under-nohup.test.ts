import { expect, test } from "vitest";
import { isUnderNohup, type Started } from "../../src/cli/is-under-nohup.ts";

const usual: Started = {
  env: { _: "/usr/bin/eventload" },
  ppid: 7,
  read: (path) =>
    path === "/proc/7/status" ? "Name:\tbash\nSigIgn:\t0000000000384004\n" : "flags:\t0100002\n",
  readLink: () => "/dev/pts/3",
};
const absent = () => {
  throw new Error("ENOENT");
};

test.each<[string, boolean, Partial<Started>]>([
  ["a shell says so", true, { env: { _: "/usr/bin/nohup" } }],
  [
    "standard input is one that cannot be read",
    true,
    { readLink: () => "/dev/null", read: () => "pos:\t0\nflags:\t0100001\n" },
  ],
  ["the script around it ignores hang-ups", true, { read: () => "SigIgn:\t0000000000000001\n" }],
  ["as usual", false, {}],
  ["with no input", false, { readLink: () => "/dev/null", read: () => "flags:\t0100000\n" }],
  ["on a system without /proc", false, { read: absent, readLink: absent }],
  ["without any of it", false, { env: {}, read: () => "" }],
])("%s: %s", (_, expected, given) => {
  expect(isUnderNohup({ ...usual, ...given })).toBe(expected);
});
