import { measureCsv, measureSortedWorkbook, measureWorkbook } from "../measure-inputs.mjs";

const workbookRows = 300_000;

/** The peak of memory of a check of large inputs. */
export async function measureInputs({ folder, gigabytes }) {
  console.error("Inputs:");
  const measured = [
    await measureWorkbook(folder, workbookRows),
    await measureSortedWorkbook(folder, workbookRows),
    await measureCsv(folder, gigabytes),
  ];
  return measured.map(({ input, megabytes, peak_rss_mb }) => ({
    what: `peak RSS of a check, ${input} of ${megabytes} MB, MB`,
    atMost: 200,
    ratio: peak_rss_mb,
  }));
}
