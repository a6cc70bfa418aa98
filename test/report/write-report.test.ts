import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { shortNumber, sum } from "../../src/model/quantities.ts";
import type { Manifest } from "../../src/results/manifest.ts";
import { writeReport } from "../../src/run/account/write-report.ts";
import type { Workspace } from "../run/import-under-test.ts";
import { runToReport, troubledReplies } from "./reported-run.ts";

const well = () => ({ status: 200 });

const figureOf = (page: string, name: string) =>
  new RegExp(`<data data-name="${name.replace(".", "\\.")}" value="([^"]*)">`).exec(page)?.[1];

test("is written beside the results, and written anew the next time", async () => {
  const { workspace, url } = await runToReport(well);
  await workspace.import(url);
  const results = workspace.path("people.results.csv");
  const written = await writeReport({ results });
  const page = await workspace.text("people.report.html");
  expect(written).toEqual({
    output: workspace.path("people.report.html"),
    bytes: Buffer.byteLength(page),
    differences: [],
    missing: [],
  });
  expect(page).toMatch(/^<!doctype html>\n/);
  expect(await writeReport({ results: workspace.path("people.failed.csv") })).toEqual(written);
  expect(await workspace.text("people.report.html")).toBe(page);
});

test("overwrites nothing but a report", async () => {
  const { workspace, url } = await runToReport(well);
  await workspace.import(url);
  const results = workspace.path("people.results.csv");
  for (const [name, text] of [
    ["notes.html", "<!doctype html>\n<p>mine</p>"],
    ["blank.html", ""],
    ["people.csv", await workspace.text("people.csv")],
  ] as const) {
    await workspace.write(name, text);
    const output = workspace.path(name);
    await expect(writeReport({ results, output })).rejects.toMatchObject({ code: "output_exists" });
    expect(await workspace.text(name)).toBe(text);
  }
  const deep = workspace.path("no/such/folder.html");
  expect((await writeReport({ results, output: deep })).output).toBe(deep);
  const nowhere = join(results, "folder.html");
  await expect(writeReport({ results, output: nowhere })).rejects.toMatchObject({
    code: "output_not_writable",
  });
});

test("needs the manifest, and says why there is none", async () => {
  const { workspace, url } = await runToReport(well);
  await workspace.import(url);
  const results = workspace.path("people.results.csv");
  await workspace.write("other.results.csv", await workspace.text("people.results.csv"));
  const other = workspace.path("other.results.csv");
  await expect(writeReport({ results: other })).rejects.toThrow(
    "there is neither its manifest other.run.json",
  );
  await workspace.write("people.run.json", "{}");
  await expect(writeReport({ results })).rejects.toThrow("it is not a manifest of eventload");
});

test("tells of a run that stopped, and of all its parts when it has gone on", async () => {
  const drain = new AbortController();
  const { workspace, url, manifest } = await runToReport((request) => {
    if (request === 9) drain.abort();
    return { status: 200 };
  });
  const results = workspace.path("people.results.csv");
  await workspace.import(url, { concurrency: 1, signal: drain.signal });
  await writeReport({ results });
  const stopped = await workspace.text("people.report.html");
  expect(stopped).toContain("Stopped before the end (interrupted)");
  expect(stopped).toContain(`<code>eventload resume ${results}</code>`);
  // Twelve rows are read before the ninth request at most.
  const { counts } = await manifest();
  expect(counts.not_sent).toBeGreaterThan(20);
  expect(figureOf(stopped, "counts.not_sent")).toBe(String(counts.not_sent));
  expect(stopped).toContain("of the lines so far");
  expect(stopped).toContain("Lines of the results file, grouped by message.");
  expect(figureOf(stopped, "holds.figures")).toBe("1");

  await workspace.import(url, { resume: "must" });
  await writeReport({ results });
  const ended = await workspace.text("people.report.html");
  expect(ended).toContain("Complete: every row is accounted for");
  expect(ended).toContain("The run was resumed at ");
  expect(ended.match(/class="resumed"/g)).toHaveLength(3);
  expect(ended).toContain(`<code>eventload retry ${workspace.path("people.failed.csv")}</code>`);
  expect(figureOf(ended, "holds.figures")).toBe("1");
  const { figures } = await manifest();
  expect(figureOf(ended, "sending_ms")).toBe(String(figures.series.duration_ms));
});

test("of a run that is resumed meanwhile it reads no more than the manifest tells of", async () => {
  const drain = new AbortController();
  const { workspace, url } = await runToReport((request) => {
    if (request === 9) drain.abort();
    return { status: 200 };
  });
  const results = workspace.path("people.results.csv");
  await workspace.import(url, { concurrency: 1, signal: drain.signal });
  const written = await workspace.text("people.results.csv.part");
  const [lastLine = ""] = written.trimEnd().split("\n").slice(-1);
  await workspace.write("people.results.csv.part", `${written}${lastLine}\nAnn 10,40,,"11`);
  await writeReport({ results });
  expect(figureOf(await workspace.text("people.report.html"), "holds.file")).toBe("1");
});

test("says above all when the results are not what they were", async () => {
  const { workspace, url } = await runToReport(troubledReplies);
  await workspace.import(url);
  const results = workspace.path("people.results.csv");
  const text = await workspace.text("people.results.csv");
  const reportOf = async (bent: string) => {
    await workspace.write("people.results.csv", bent);
    const { differences } = await writeReport({ results });
    const page = await workspace.text("people.report.html");
    const [, verdict] = /<p class="verdict bad">.*?<bdi>(.*?)<\/bdi>/s.exec(page) ?? [];
    const expected = `The results file has changed since the run: ${differences.join("; ")}.`;
    expect(verdict?.replaceAll("&quot;", '"')).toBe(expected);
    expect(page).toContain("When the run ended: Complete: every row is accounted for");
    return { page, differences };
  };

  const turned = await reportOf(text.replace(",succeeded,", ",rejected,"));
  expect(turned.differences).toEqual([
    expect.stringMatching(/^\d+ succeeded instead of \d+$/),
    expect.stringMatching(/^\d+ rejected instead of \d+$/),
  ]);
  expect(figureOf(turned.page, "holds.file")).toBe("1");
  expect(figureOf(turned.page, "holds.statuses")).toBe("0");

  const short = await reportOf(text.slice(0, text.lastIndexOf("\n", text.length - 2) + 1));
  expect(short.differences[0]).toBe("39 lines instead of 40");
  expect(figureOf(short.page, "holds.file")).toBe("0");

  const other = await reportOf("a,b\n1,2\n");
  expect(other.page).toContain("The results file could not be read");
  expect(figureOf(other.page, "holds.file")).toBe("0");

  const blurred = await reportOf(text.replace(",succeeded,", ",whatever,"));
  expect(blurred.differences).toContain("1 line of which the status cannot be made out");
});

test("says when the results are gone, and names no file to continue that is not there", async () => {
  const { workspace, url } = await runToReport(troubledReplies);
  await workspace.import(url);
  const results = workspace.path("people.results.csv");
  const failed = workspace.path("people.failed.csv");
  const page = () => workspace.text("people.report.html");

  await rm(failed);
  expect(await writeReport({ results })).toMatchObject({ differences: [], missing: [failed] });
  expect(await page()).toContain("Complete: every row is accounted for");
  expect(await page()).toContain("The file of the failed rows is missing.");
  expect(await page()).toContain(`<bdi>${failed}</bdi> <strong class="bad">not there</strong>`);
  expect(await page()).toContain(`<code>eventload retry ${results}</code>`);

  await rm(results);
  expect((await writeReport({ results })).differences).toEqual(["it is not there"]);
  expect(await page()).toContain("has changed since the run: it is not there.");
  expect(await page()).toContain(`<bdi>${results}</bdi> <strong class="bad">not there</strong>`);
  expect(await page()).toContain("40, and the file is missing");
  expect(figureOf(await page(), "holds.file")).toBe("0");
  expect(await page()).not.toContain("Next: ");
});

test("of a stopped run whose results were cut says no command that could not go on", async () => {
  const drain = new AbortController();
  const { workspace, url } = await runToReport((request) => {
    if (request === 9) drain.abort();
    return { status: 200 };
  });
  const results = workspace.path("people.results.csv");
  await workspace.import(url, { concurrency: 1, signal: drain.signal });
  const text = await workspace.text("people.results.csv.part");
  await workspace.write("people.results.csv.part", text.slice(0, text.indexOf("\n") + 1));
  const { differences } = await writeReport({ results });
  expect(differences).toEqual([expect.stringMatching(/^0 lines instead of \d+$/)]);
  const page = await workspace.text("people.report.html");
  expect(page).toContain("When the run ended: Stopped before the end (interrupted)");
  expect(page).not.toContain("Next: ");
});

test("does without figures if the manifest has none", async () => {
  const { workspace, url, manifest } = await runToReport(well);
  await workspace.import(url);
  const { figures: _, ...others } = await manifest();
  await workspace.write("people.run.json", JSON.stringify(others));
  await writeReport({ results: workspace.path("people.results.csv") });
  const page = await workspace.text("people.report.html");
  expect(page).toContain("has no figures of how it sent its events");
  expect(page).not.toContain('id="throughput"');
  expect(figureOf(page, "counts.invalid")).toBe("4");
});

test("has no word of the token", async () => {
  const { workspace, url } = await runToReport(() => ({ status: 422, body: "no, a-token" }));
  await workspace.import(url);
  await writeReport({ results: workspace.path("people.results.csv") });
  expect(await workspace.text("people.report.html")).not.toContain("a-token");
});

test("says what to type next, without what the next run keeps by itself", async () => {
  const { workspace, url } = await runToReport(troubledReplies);
  const sent = {
    ratePerSecond: 2.5,
    timeoutMs: 1500,
    maxOutageMs: 90_000,
    maxErrors: 30,
  } as const;
  await workspace.import(url, { ...sent, adaptive: false, target: "our staging", concurrency: 3 });
  const results = workspace.path("people.results.csv");
  await writeReport({ results });
  const failed = workspace.path("people.failed.csv");
  expect(await workspace.text("people.report.html")).toContain(
    `Next: <bdi>fix ${failed}, then run: </bdi><code>eventload retry ${failed}</code>`,
  );
  await writeReport({ results, next: null });
  expect(await workspace.text("people.report.html")).not.toContain("Next: ");
});

test("after a kill speaks of what its figures cover, and says that they do not cover all", async () => {
  let killed: Workspace | undefined;
  let requests = 0;
  const { workspace, url } = await runToReport(() => {
    if (++requests === 30) killed = workspace.afterKill();
    return { status: 200 };
  });
  await workspace.import(url, { concurrency: 1 });
  if (killed === undefined) throw new Error("it was not killed");
  const left = killed;
  onTestFinished(() => left.remove());
  await left.import(url, { resume: "must", concurrency: 1 });
  const manifest: Manifest = JSON.parse(await left.text("people.run.json"));
  const { attempts, duration_ms, retries } = manifest.figures?.series ?? {};
  const sent = sum(attempts ?? []) - sum(retries ?? []);
  expect(sent).toBeLessThan(10);

  const results = left.path("people.results.csv");
  await writeReport({ results });
  const page = await left.text("people.report.html");
  expect(page).toContain("A part of this run was killed, was stopped at once or met a full disk.");
  const rate = shortNumber((sent * 1000) / Math.max(1, duration_ms ?? 0));
  expect(page).toContain(`<dd>${rate}<span class="unit">/s</span>`);
  expect(figureOf(page, "sending_ms")).toBe(String(duration_ms));
  expect(figureOf(page, "elapsed_ms")).toBeUndefined();
  expect(page).not.toContain("✗ no");
});

test("of a run that was copied under another name is made of the files of that name", async () => {
  const { workspace, url } = await runToReport(well);
  await workspace.import(url);
  for (const status of ["results.csv", "failed.csv", "run.json"]) {
    await workspace.write(`other.${status}`, await workspace.text(`people.${status}`));
  }
  const text = await workspace.text("other.results.csv");
  await workspace.write("other.results.csv", text.replace(",succeeded,", ",rejected,"));
  for (const name of ["other.results.csv", "other.failed.csv"]) {
    await writeReport({ results: workspace.path(name) });
    const page = await workspace.text("other.report.html");
    expect(figureOf(page, "holds.statuses")).toBe("0");
    expect(page).toContain(`eventload retry ${workspace.path("other.failed.csv")}`);
    expect(page).not.toContain("people.results.csv");
  }
});
