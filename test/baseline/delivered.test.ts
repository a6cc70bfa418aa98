import { describe, expect, test } from "vitest";
import { createDelivered, type Delivered } from "../../src/baseline/delivered.ts";

const event = (text: string) => ({ resource: "users", data: () => text }) as const;

/** Files of lines such as `k A` for what arrived, `k ?A` for what is in doubt, `k <A` for before. */
function given(...files: readonly (readonly string[])[]): Delivered {
  const delivered = createDelivered();
  for (const lines of files) {
    delivered.beginFile();
    for (const line of lines) {
      const [key, text = ""] = line.split(" ");
      const orderingKey = key === "" ? undefined : key;
      if (text.startsWith("?")) delivered.mayHaveArrived(orderingKey);
      else if (text.startsWith("<")) delivered.arrivedBefore(orderingKey, event(text.slice(1)));
      else delivered.arrived(orderingKey, event(text));
    }
  }
  return delivered;
}

/** Since which file each of the rows is unchanged; a row is `k A B` with its events. */
function unchanged(delivered: Delivered, rows: readonly string[]): (number | undefined)[] {
  const mapped = rows.map((row) => {
    const [key, ...texts] = row.split(" ");
    return [key === "" ? undefined : key, texts.map(event)] as const;
  });
  for (const [key, events] of mapped) delivered.plan(key, events);
  return mapped.map(([key, events]) => delivered.unchangedSince(key, events));
}

const no = undefined;

describe("events of a key are unchanged", () => {
  test("where all of them are what was delivered last, in its order", () => {
    const night = ["k A", "l C", "k B"];
    expect(unchanged(given(night), ["k A", "k B", "l C"])).toEqual([1, 1, 1]);
    expect(unchanged(given(night), ["k A B"])).toEqual([1]);
    expect(unchanged(given(night), ["k B", "k A"])).toEqual([no, no]);
    expect(unchanged(given(night), ["k A", "k C"])).toEqual([no, no]);
  });

  test("not where one was left out or came: the last state is another then", () => {
    expect(unchanged(given(["k A", "k B"]), ["k A"])).toEqual([no]);
    expect(unchanged(given(["k A"]), ["k A", "k A"])).toEqual([no, no]);
    expect(unchanged(given(["k A"]), ["m A"])).toEqual([no]);
  });

  test("not where the last file has another, though an older one has the same", () => {
    expect(unchanged(given(["k A"], ["k B"]), ["k A"])).toEqual([no]);
    expect(unchanged(given(["k A"], ["k B"], ["k A"]), ["k A"])).toEqual([3]);
  });

  test("where newer files do not tell of the key", () => {
    expect(unchanged(given(["k A"], ["l B"]), ["k A", "l B"])).toEqual([1, 2]);
    expect(unchanged(given(["k A"], ["k <A"]), ["k A"])).toEqual([1]);
  });

  test.each([[["k ?A"]], [["k A", "k ?B"]], [["k ?B", "k A"]], [["k A"], ["k ?A"]]])(
    "not where it is in doubt what arrived last: %j",
    (...files) => {
      expect(unchanged(given(...files), ["k A"])).toEqual([no]);
    },
  );

  test("where it has arrived after it was in doubt", () => {
    expect(unchanged(given(["k ?A"], ["k A"]), ["k A"])).toEqual([2]);
  });

  test("not by what arrived in a run of which the file is not there", () => {
    const delivered = createDelivered();
    delivered.beginFile();
    expect(delivered.arrivedBefore("k", event("A"))).toBe(false);
    expect(unchanged(delivered, ["k A"])).toEqual([no]);
  });

  test("not where it goes to the other resource", () => {
    const contact = { resource: "contacts", data: () => "A" } as const;
    const delivered = given(["k A", " A"]);
    delivered.plan("k", [contact]);
    expect(delivered.unchangedSince("k", [contact])).toBe(no);
    expect(delivered.unchangedSince(undefined, [contact])).toBe(no);
  });
});

test("a key that two runs at the same time sent stays gone with its last line, though one removed it", () => {
  const delivered = given(["k A"]);
  delivered.beginFile("import", 1);
  delivered.removed("k", { input: "0", row: 9, event: 0, line: 7 });
  expect(delivered.lastOfGone("k")).toEqual({ file: 2, line: 7 });
});

describe("without a key an event is unchanged", () => {
  test("where the last file has it, wherever it stands there", () => {
    expect(unchanged(given([" A", " B", " ?C"]), [" B", " C", " A", " A"])).toEqual([1, no, 1, 1]);
    expect(unchanged(given([" <A"]), [" A"])).toEqual([1]);
  });

  test("not where only an older file has it", () => {
    expect(unchanged(given([" A"], [" B"]), [" A", " B"])).toEqual([no, 2]);
  });

  test("with all other events of its row, or not at all", () => {
    expect(unchanged(given([" A", " B"]), [" A B", " A C"])).toEqual([1, no]);
  });
});

describe("without a key a retry adds to the import that it is of", () => {
  /** Lines such as `5 A` for what arrived of row 5, `5 ?` for what is in doubt, `5 -` for an invalid row. */
  function tell(delivered: Delivered, lines: readonly string[]): void {
    for (const line of lines) {
      const [row, text = ""] = line.split(" ");
      const origin = { input: "0", row: Number(row), event: text === "-" ? undefined : 1 };
      if (text === "-") delivered.notSent(undefined, origin);
      else if (text === "?") delivered.mayHaveArrived(undefined, origin);
      else if (text.startsWith("<")) delivered.arrivedBefore(undefined, event(text.slice(1)));
      else delivered.arrived(undefined, event(text), origin);
    }
  }

  function told(first: readonly string[], ...retries: readonly (readonly string[])[]) {
    const delivered = createDelivered();
    delivered.beginFile();
    tell(delivered, first);
    for (const lines of retries) {
      delivered.beginFile("retry");
      tell(delivered, lines);
    }
    return delivered;
  }

  const rows = [" A", " B", " C"];

  test.each([[["2 B"]], [["1 <A", "2 B", "3 <C"]], [["2 ?"], ["2 B"]], [["2 -"], ["2 B"]]])(
    "whether it reads all or what failed: %j",
    (...retries) => {
      for (const failed of ["2 ?", "2 -"]) {
        const delivered = told(["1 A", failed, "3 C"], ...retries);
        expect(unchanged(delivered, rows)).toEqual([1, retries.length + 1, 1]);
        expect(delivered.hasLostOlder).toBe(false);
      }
    },
  );

  test("with all events of its row, since the last of them came", () => {
    const delivered = told(["1 A", "2 ?", "3 C"], ["2 B"]);
    expect(unchanged(delivered, [" A B", " B C", " A C"])).toEqual([2, 2, 1]);
  });

  test("of two retries of a row the later one counts", () => {
    expect(unchanged(told(["1 A", "2 ?"], ["2 B"], ["2 C"]), rows)).toEqual([1, no, 3]);
    expect(unchanged(told(["1 A", "2 ?"], ["2 B"], ["2 ?"]), rows)).toEqual([1, no, no]);
    expect(unchanged(told(["1 A", "2 ?"], ["2 B"], ["2 C"], ["2 <B"]), rows)).toEqual([1, no, 3]);
  });

  test("not where it sent what had arrived, nor what is of another import", () => {
    for (const line of ["1 B", "9 B", "1 ?"]) {
      const delivered = told(["1 A", "2 ?"], ["2 C", line]);
      expect(delivered.hasLostOlder).toBe(true);
      expect(unchanged(delivered, rows)).toEqual([no, line === "1 ?" ? no : 2, 2]);
    }
  });

  test("nor by what it says of runs that came before files that are given", () => {
    expect(unchanged(told(["1 B", "2 ?"], ["1 <A", "2 C"]), rows)).toEqual([no, 1, 2]);
  });

  test("and the next import takes its place", () => {
    const delivered = told(["1 A", "2 ?"], ["2 B"]);
    delivered.beginFile();
    tell(delivered, ["1 C"]);
    expect(unchanged(delivered, rows)).toEqual([no, no, 3]);
  });
});

test("what arrived can be forgotten", () => {
  const delivered = given(["k A", " A"]);
  delivered.forget();
  expect(unchanged(delivered, ["k A", " A"])).toEqual([no, no]);
  expect(delivered.lastOfGone("k")).toBeUndefined(); // the input has it
});

test("keys whose data are forgotten are known all the same, and can be gone", () => {
  const delivered = createDelivered();
  delivered.beginFile();
  delivered.arrived("k", event("A"), { input: undefined, row: 1, event: 1, line: 2 });
  delivered.beginFile("retry");
  delivered.forget();
  expect(delivered.lastOfGone("k")).toEqual({ file: 1, line: 2 });
  expect(delivered.lastFileOfUnplanned("k")).toBe(1);
});
