import type { NextStep } from "../model/next-step.ts";
import { briefDuration, count, grouped, shortNumber, shortTime, sum } from "../model/quantities.ts";
import { hasLostPart } from "./checks-of-run.ts";
import { figure, foreign, type Html, html, percent } from "./html.ts";
import type { ReportedRun } from "./reported-run.ts";
import { notSucceeded, type Verdict } from "./verdict.ts";

/** How the run went in a sentence, what to do next, and the most important numbers. */
export function headSection(
  run: ReportedRun,
  { look, sign, sentence, remarks }: Verdict,
  next: NextStep | undefined,
): Html {
  const what = run.kind === "retry" ? "Retry of" : "Import of";
  return html`<header>
<p class="kicker">eventload report</p>
<h1>${what} ${foreign(run.input.name)}</h1>
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

const lostPart = html`<p class="message lost">A part of this run was killed or met a full disk. What came of its events is counted here, but how its sending went is not known: rate, times, charts, throttling and pauses are those of the rest.</p>`;

function isComplete(run: ReportedRun): boolean {
  return run.exit_reason === "complete";
}

interface Card {
  readonly term: string;
  readonly value: Html;
  readonly note: string;
}

function cardsOf(run: ReportedRun): Card[] {
  const { rows, events, counts, attempts, unanswered, figures } = run;
  const succeeded = counts.succeeded ?? 0;
  const lines = Object.values(counts).reduce((total, number) => total + number, 0);
  const bad = notSucceeded(run);
  const whole = isComplete(run) ? "all lines" : "all, sent or not";
  const card = (term: string, name: string, number: number, note: string): Card => ({
    term,
    value: figure(name, number, grouped(number)),
    note,
  });
  const { rejected = 0, failed = 0, unknown = 0 } = counts;
  const sent = succeeded + rejected + failed + unknown;
  return [
    card("Rows", "rows", rows, `${count(events, "event")} made of them`),
    card("Succeeded", "succeeded", succeeded, `${percent(succeeded, lines)} of ${whole}`),
    card("Did not succeed", "not_succeeded", bad, `${percent(bad, lines)} of ${whole}`),
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

function unansweredNote({ unanswered, perhaps_twice = 0, counts }: ReportedRun): string {
  if (perhaps_twice > 0) return `${count(perhaps_twice, "event")} may have arrived twice`;
  if (unanswered > 0) return "these may have arrived all the same";
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
    const rate = durationMs === 0 ? 0 : (events * 1000) / durationMs;
    return { term: "Rate", value: html`${shortNumber(rate)}<span class="unit">/s</span>`, note };
  };
  if (figures === undefined || !hasLostPart(run)) {
    const sendingMs = figures?.series.duration_ms ?? elapsed_ms;
    return card(sent, sendingMs, "events settled, over the time of sending");
  }
  // What ended in the known parts may have been sent in the one that left no figures.
  const { attempts, retries, duration_ms: sendingMs } = figures.series;
  const known = Math.max(0, sum(attempts) - sum(retries));
  return card(known, sendingMs, "events sent, without the part that left no figures");
}

function timeCard(run: ReportedRun): Card {
  const { figures, elapsed_ms } = run;
  if (figures !== undefined && hasLostPart(run)) {
    const knownMs = figures.series.duration_ms;
    const value = figure("sending_ms", knownMs, briefDuration(knownMs));
    return { term: "Time", value, note: "of sending, without the part that left no figures" };
  }
  const parts = figures?.parts.length ?? 1;
  if (figures === undefined || parts < 2) {
    const value = figure("elapsed_ms", elapsed_ms, briefDuration(elapsed_ms));
    return { term: "Time", value, note: "with the check" };
  }
  // The manifest has the time of the last part alone.
  const sendingMs = figures.series.duration_ms;
  const value = figure("sending_ms", sendingMs, briefDuration(sendingMs));
  return { term: "Time", value, note: `of sending, in ${grouped(parts)} parts` };
}

function instant(iso: string): Html {
  return html`<time datetime="${iso}">${iso.slice(0, 19).replace("T", " ")} UTC</time>`;
}
