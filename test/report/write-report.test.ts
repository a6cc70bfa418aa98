import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { copyableCommand } from "../../src/model/look/html.ts";
import { writeReport } from "../../src/run/account/write-report.ts";
import { runToReport, troubledReplies } from "./reported-run.ts";

const well = () => ({ status: 200 });

const commandOf = (words: string) => copyableCommand(words).html;

const figureOf = (page: string, name: string) =>
  new RegExp(`<data data-name="${name.replace(".", "\\.")}" value="([^"]*)">`).exec(page)?.[1];

test("is written beside the results, and written anew the next time", async () => {
  const { workspace, url } = await runToReport(well);
  await workspace.import(url);
  const results = workspace.path("people.results.csv");
  let warned = 0;
  const written = await writeReport({ results, onCells: () => warned++ });
  expect(warned).toBe(1);
  const page = await workspace.text("people.report.html");
  expect(written).toMatchObject({
    ...{ output: workspace.path("people.report.html"), bytes: Buffer.byteLength(page) },
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
  expect(stopped).toContain(commandOf("eventload resume people.results.csv"));
  // Twelve rows are read before the ninth request at most.
  const { counts } = await manifest();
  expect(counts.not_sent).toBeGreaterThan(20);
  expect(figureOf(stopped, "counts.not_sent")).toBe(String(counts.not_sent));
  expect(stopped).toContain(`Stopped with ${counts.not_sent} of 40 rows to go`);

  await workspace.import(url, { resume: "must" });
  await writeReport({ results });
  const ended = await workspace.text("people.report.html");
  expect(ended).toContain("34 of 40 rows delivered, 4 still open, 2 left out");
  expect(ended).toMatch(/1 Mar 2026, .*, in .* of sending/);
  expect(ended).toContain("<td>import, stopped (interrupted)</td>");
  expect(ended).toContain(commandOf("eventload retry people.failed.csv"));
});

test("says when files are gone or changed, and names no command that could not go on", async () => {
  const { workspace, url } = await runToReport(troubledReplies);
  await workspace.import(url);
  const results = workspace.path("people.results.csv");
  const failed = workspace.path("people.failed.csv");
  const page = () => workspace.text("people.report.html");
  const lines = await workspace.text("people.failed.csv");

  // A report does not count attempts.
  await workspace.write("people.failed.csv", lines.replaceAll(/,\d+,0,http_/g, ",1.0,x,http_"));
  await writeReport({ results });
  expect(figureOf(await page(), "holds.failed_rows")).toBe("1");
  expect(await page()).not.toContain("has changed since eventload wrote it");

  await workspace.write(
    "people.failed.csv",
    lines.slice(0, lines.lastIndexOf("\n", lines.length - 2) + 1),
  );
  await writeReport({ results });
  expect(figureOf(await page(), "holds.failed_rows")).toBe("0");
  expect(await page()).toContain("people.failed.csv was edited since.");
  await workspace.write("people.failed.csv", "a;b\n1;2\n");
  await writeReport({ results });
  expect(await page()).toContain("people.failed.csv has changed since eventload wrote it");

  await rm(failed);
  expect(await writeReport({ results })).toMatchObject({ missing: ["people.failed.csv"] });
  expect(await page()).toContain("The file of the failed rows is missing.");
  expect(await page()).toContain(
    '<bdi>people.failed.csv</bdi> <strong class="tag bad">not there</strong>',
  );
  expect(await page()).toContain(commandOf("eventload retry people.results.csv"));
  // Results that were edited are refused.
  expect(await page()).not.toContain("fix <bdi>people.results.csv");
  expect(await page()).toContain("To send what is open and get the failed rows again, run: ");

  await rm(results);
  await expect(writeReport({ results })).rejects.toThrow("people.results.csv is missing");
});

test("masked, holds counts, codes and times, and no cell, key, id or message", async () => {
  const { workspace, url, manifest } = await runToReport((request) =>
    request % 3 === 0
      ? { status: 422, body: JSON.stringify({ message: `no Ann ${request} here`, word: "Zzz" }) }
      : { status: 200 },
  );
  await workspace.import(url);
  const results = workspace.path("people.results.csv");
  const open = await workspace.lines("people.failed.csv");
  const cells = open.flatMap(({ Name = "", Age = "", import_event_id: id = "" }) => [
    Name,
    ...(Age === "40" ? [] : [Age.slice(0, 20)]),
    ...(id === "" ? [] : [id]),
  ]);
  expect(cells.length).toBeGreaterThan(20);
  const shown = async (maskCells: boolean) => {
    const { figures, text } = await writeReport({ results, maskCells, onCells: () => {} });
    const page = await workspace.text("people.report.html");
    return (
      page.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(code)) +
      JSON.stringify(figures) +
      text.join()
    );
  };
  const [unmasked, masked] = [await shown(false), await shown(true)];
  expect(cells.filter((cell) => !/^[0-9a-f]{8}-/.test(cell) && !unmasked.includes(cell))).toEqual(
    [],
  );
  expect(cells.filter((cell) => masked.includes(cell))).toEqual([]);
  for (const word of ["Zzz", "contact.imported", workspace.folder]) {
    expect(masked).not.toContain(word);
  }
  expect(masked).toContain("http_422");
  expect(masked).toContain("<strong><bdi>Age</bdi></strong>");
  const { counts } = await manifest();
  expect(figureOf(masked, "counts.rejected")).toBe(String(counts.rejected));
});

test("finds the column of what a service names: a member, its end, or the object that it is in", async () => {
  const named = ["city", "address", "home.address", "name"];
  const { workspace, url } = await runToReport((request) => {
    const body = JSON.stringify({ message: `${named[request - 1]} is not accepted` });
    return { status: 422, body };
  }, 4);
  await workspace.write(
    "people.csv",
    `Name,Street,Town\n${named.map((_, at) => `Ann ${at},Main St,Gent`).join("\n")}\n`,
  );
  const members = "{ full.name: Name, home.address.street: Street, home.address.city: Town }";
  await workspace.write(
    "people.yaml",
    `version: 1\nresource: contacts\nevent: x\nmembers: ${members}\n`,
  );
  await workspace.import(url, { concurrency: 1 });
  await writeReport({ results: workspace.path("people.results.csv") });
  const page = await workspace.text("people.report.html");
  const marked = [...page.matchAll(/<strong><bdi>(\w+)<\/bdi><\/strong>: “<bdi>(\S+) is/g)];
  expect(Object.fromEntries(marked.map(([, column, name]) => [name, column]))).toEqual({
    ...{ city: "Town", address: "Street", "home.address": "Street", name: "Name" },
  });
});
