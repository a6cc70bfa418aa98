import type { NextStep } from "../model/next-step.ts";
import { briefDuration, count, grouped, shortNumber, shortTime, sum } from "../model/quantities.ts";
import { dataElement, foreign, type Html, html, percent } from "./html.ts";
import { type Check, hasLostPart, linesWithStatus } from "./reconciliation.ts";
import { isComplete, notSucceeded, type ReportedRun } from "./reported-run.ts";

/** How the files of a run compare with what it wrote. */
export interface FilesNow {
  readonly checks: readonly Check[];
  /** How the results file differs from what the run wrote. */
  readonly differences: readonly string[];
  readonly isFailedFileMissing: boolean;
}

/** The head of the page: how the run went in a sentence, what to do next, the most important numbers. */
export function headSection(
  run: ReportedRun,
  filesNow: FilesNow,
  next: NextStep | undefined,
): Html {
  const { look, sign, sentence, remarks } = verdictOf(run, filesNow);
  return html`<header>
<p class="kicker">eventload report</p>
<h1>Import of ${foreign(run.input.name)}</h1>
<p class="verdict ${look}"><span aria-hidden="true">${sign}</span> ${foreign(sentence)}</p>
${remarks.map((remark) => html`<p class="message">${foreign(remark)}</p>`)}
${run.message === null ? undefined : html`<p class="message">${foreign(run.message)}</p>`}
<p class="note">Into ${foreign(run.base_url)}, started ${instant(run.started_at)}, ended ${instant(run.finished_at)}.</p>
${hasLostPart(run) ? lostPart : undefined}
${next === undefined ? undefined : html`<p class="next">Next: ${foreign(next.before)}<code>${next.command}</code></p>`}
</header>
<section aria-labelledby="glance"><h2 id="glance">At a glance</h2>
<dl class="cards">${cardsOf(run).map(
    ({ term, value, note }) =>
      html`<div><dt>${term}</dt><dd>${value}<small>${note}</small></dd></div>
`,
  )}</dl>
</section>
`;
}

const lostPart = html`<p class="message lost">A part of this run was killed, was stopped at once or met a full disk. The outcomes of its events are counted here, but how it sent them is not known: rate, times, charts, throttling and pauses are those of the other parts.</p>`;

interface Card {
  readonly term: string;
  readonly value: Html;
  readonly note: string;
}

function cardsOf(run: ReportedRun): Card[] {
  const { rows, events, counts, attempts, unanswered, figures } = run;
  const succeeded = counts.succeeded ?? 0;
  const lines = linesWithStatus(run);
  const bad = notSucceeded(run);
  const ofWhat = isComplete(run) ? "all lines" : "the lines so far";
  const card = (term: string, name: string, number: number, note: string): Card => ({
    term,
    value: dataElement(name, number, grouped(number)),
    note,
  });
  const { rejected = 0, failed = 0, unknown = 0 } = counts;
  const sent = succeeded + rejected + failed + unknown;
  return [
    card("Rows", "rows", rows, `${settledText(run)}${count(events, "event")} from these rows`),
    card("Succeeded", "succeeded", succeeded, `${percent(succeeded, lines)} of ${ofWhat}`),
    card("Did not succeed", "not_succeeded", bad, `${percent(bad, lines)} of ${ofWhat}`),
    card("Attempts", "attempts", attempts, attemptsNote(run, sent)),
    card("Unanswered", "unanswered", unanswered, unansweredNote(run)),
    timeCard(run),
    ...(attempts === 0 ? [] : [rateCard(run, sent)]),
    ...(figures === undefined || figures.latency.answers === 0
      ? []
      : [
          {
            term: "Time to an answer",
            value: html`${shortTime(figures.latency.p50_ms)}`,
            note: `half of them; 95 % within ${shortTime(figures.latency.p95_ms)}`,
          },
        ]),
  ];
}

/** Of a run that stopped, the events are those of the rows that have settled. */
function settledText({ rows, counts }: ReportedRun): string {
  const { not_sent: left = 0 } = counts;
  return left === 0 ? "" : `${grouped(rows - left)} settled; `;
}

function unansweredNote({ unanswered, perhaps_twice, counts }: ReportedRun): string {
  if (perhaps_twice > 0) return `${count(perhaps_twice, "event")} may have arrived twice`;
  if (unanswered > 0) return "these may have arrived";
  return (counts.unknown ?? 0) > 0 ? "in this run" : "no event is unknown";
}

function attemptsNote(run: ReportedRun, sent: number): string {
  if (run.attempts === 0) return "none was needed";
  // A run that stopped also has attempts of events without an outcome.
  return isComplete(run) && sent > 0
    ? `${(run.attempts / sent).toFixed(2)} for an event`
    : "so far";
}

function rateCard(run: ReportedRun, sent: number): Card {
  const { figures, elapsed_ms } = run;
  const card = (events: number, durationMs: number, note: string): Card => {
    const rate = (events * 1000) / Math.max(1, durationMs);
    return { term: "Rate", value: html`${shortNumber(rate)}<span class="unit">/s</span>`, note };
  };
  if (figures === undefined || !hasLostPart(run)) {
    const sendingMs = figures?.series.duration_ms ?? elapsed_ms;
    return card(sent, sendingMs, "events settled, over the time of sending");
  }
  // What settled in the known parts may have been sent in the part without figures.
  const { attempts, retries, duration_ms: sendingMs } = figures.series;
  const known = Math.max(0, sum(attempts) - sum(retries));
  return card(known, sendingMs, "events sent, without the part that left no figures");
}

function timeCard(run: ReportedRun): Card {
  const { figures, elapsed_ms } = run;
  if (figures !== undefined && hasLostPart(run)) {
    const knownMs = figures.series.duration_ms;
    const value = dataElement("sending_ms", knownMs, briefDuration(knownMs));
    return { term: "Time", value, note: "of sending, without the part that left no figures" };
  }
  const parts = figures?.parts.length ?? 1;
  if (figures === undefined || parts < 2) {
    const value = dataElement("elapsed_ms", elapsed_ms, briefDuration(elapsed_ms));
    return { term: "Time", value, note: "with the check" };
  }
  // The manifest has only the time of the last part.
  const sendingMs = figures.series.duration_ms;
  const value = dataElement("sending_ms", sendingMs, briefDuration(sendingMs));
  return { term: "Time", value, note: `of sending, in ${grouped(parts)} parts` };
}

export function instant(iso: string): Html {
  return html`<time datetime="${iso}">${iso.slice(0, 19).replace("T", " ")} UTC</time>`;
}

/** How a run went, in a sentence, with its colour and sign. */
interface Verdict {
  readonly look: "good" | "warn" | "bad";
  readonly sign: string;
  readonly sentence: string;
  /** What the reader has to know about the rest of the page. */
  readonly remarks: readonly string[];
}

function verdictOf(
  run: ReportedRun,
  { checks, differences, isFailedFileMissing }: FilesNow,
): Verdict {
  const fails = (about: Check["about"]) =>
    checks.some((check) => check.about === about && check.holds === false);
  const isNotReconciled =
    run.exit_reason === "not_reconciled" ||
    (isComplete(run) && !run.reconciliation.adds_up) ||
    fails("run");
  const warnings = [
    ...(isFailedFileMissing ? [failedRowsGone] : []),
    ...(fails("charts")
      ? ["The figures over time do not cover all lines with a status: do not rely on the charts."]
      : []),
  ];
  const ofRun = isNotReconciled ? notReconciled : isComplete(run) ? complete(run) : stopped(run);
  if (differences.length === 0) return { ...ofRun, remarks: warnings };
  const differs = `The results file has changed since the run: ${differences.join("; ")}.`;
  if (isNotReconciled) return { ...ofRun, remarks: [differs, putBack, ...warnings] };
  const when = `When the run ended: ${ofRun.sentence}`;
  return { look: "bad", sign: "✗", sentence: differs, remarks: [putBack, when, ...warnings] };
}

const failedRowsGone =
  "The file of the failed rows is missing. Retry the results instead: they have the same lines.";

const putBack =
  "Restore the file from a copy before you retry, resume or compare with it. The counts below are from the end of the run. What did not succeed is listed from the file as it is now.";

type OfRun = Omit<Verdict, "remarks">;

const notReconciled: OfRun = {
  look: "bad",
  sign: "✗",
  sentence: "The counts do not reconcile: do not rely on them.",
};

function stopped(run: ReportedRun): OfRun {
  const left = run.counts.not_sent ?? 0;
  const andLeft = left === 0 ? "" : `, and ${count(left, "row")} not settled yet`;
  const reason = run.exit_reason.replaceAll("_", " ");
  const sentence = `Stopped before the end (${reason}): so far ${failures(run)}${andLeft}.`;
  return { look: "bad", sign: "■", sentence };
}

function complete(run: ReportedRun): OfRun {
  const sentence = "Complete: every row is accounted for";
  return notSucceeded(run) === 0
    ? { look: "good", sign: "✓", sentence: `${sentence}, nothing failed.` }
    : { look: "warn", sign: "!", sentence: `${sentence}; ${failures(run)} and can be retried.` };
}

function failures(run: ReportedRun): string {
  const bad = notSucceeded(run);
  return bad === 0 ? "nothing failed" : `${count(bad, "line")} did not succeed`;
}
