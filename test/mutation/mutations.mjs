// Each is a break that a reviewer could miss: in `file`, `from`, which is there once, becomes `to`. `tests` are the
// fast ones that have to notice. Those that survive for a reason are in CONTRIBUTING.
const journal = "test/journal/journal.test.ts";
const delivery = ["delivery", "order-laws", "delivery-laws", "resume", "pause"]
  .map((name) => `test/delivery/${name}.test.ts`)
  .join(" ");
const state = "test/run/state";

/** Places in a file, each `[what, from, to]`, with the tests of the file. */
function of(file, tests, places) {
  return places.map(([what, from, to]) => ({ file, what, from, to, tests: tests.split(" ") }));
}

export const mutations = [
  ...of(
    "src/run/send/send-rows.ts",
    "test/run/account/order.test.ts test/run/key-failure.test.ts",
    [
      [
        "no key is blocked on resume",
        "    if (isHeldBack) line.holdsBack = keyDigest(orderingKey);\n",
        "",
      ],
    ],
  ),
  ...of("src/mapping/infer/choose-order.ts", "test/mapping/infer-causes.test.ts", [
    ["a shared address is a key", "doubtOf(one) <= maxShareOfOtherNames", "true"],
  ]),
  ...of("src/mapping/infer/null-words.ts", "test/mapping/infer-causes.test.ts", [
    ["Namibia is no value", "!losing.includes(one) && meansValue(word, one)", "false"],
  ]),
  ...of("src/mapping/infer/infer-mapping.ts", "test/mapping/infer-causes.test.ts", [
    ["passwords are sent", "isSecret: isSecret(kind)", "isSecret: false"],
  ]),
  ...of("src/model/disk/node-disk.ts", "test/model/disk", [
    ["datasync does nothing", "datasync: () => handle.datasync()", "datasync: async () => {}"],
    ["syncFolder does nothing", "await folder?.sync();", ""],
    ["files are for everybody", '"wx+", ownerOnly', '"wx+", 0o644'],
    ["a new file may replace one", '"wx+", ownerOnly', '"w+", ownerOnly'],
    ["a link is followed", "constants.O_RDWR | noLink", "constants.O_RDWR"],
    ["another file counts as this one", "isSameFile(found, await own)", "true"],
  ]),
  ...of("src/model/disk/disk.ts", "test/model/disk", [
    ["no sync before a rename", "        await file.datasync();\n", ""],
    ["no sync of the name", "        await disk.syncFolder(path);\n", ""],
    [
      "a short write is taken for a whole one",
      "    written += count;\n  }\n}\n\n/** Writes a file",
      "    written = bytes.length;\n  }\n}\n\n/** Writes a file",
    ],
  ]),
  ...of("src/model/disk/refuse-foreign.ts", "test/model/disk", [
    ["a link is not judged", "    refuseOthers(about.uid, `", "    void (about.uid, `"],
    ["a folder is not judged", "  await judgeFolder(dirname(real));\n", ""],
  ]),
  ...of("src/cli/options/token-source.ts", "test/faults/plain-http.test.ts", [
    ["allow_http is for any token", "(layers).some(isInFile)", "(layers).length > 0"],
  ]),
  ...of("src/cli/options/input.ts", "test/cli/authority.test.ts", [
    ["a module beside the input runs", '".json"].map', '".json", ".mjs"].map'],
  ]),
  ...of("src/journal/log.ts", journal, [
    [
      "the checksum leaves out what was synced",
      "sumOfBatch(buffer.subarray(0, bytes), synced)",
      "sumOfBatch(buffer.subarray(0, bytes), 0)",
    ],
    ["what follows a broken batch is read", "if (firstBroken === undefined) yield", "yield"],
    ["damage before synced bytes is a torn end", "firstBroken < synced", "false"],
  ]),
  ...of("src/journal/journal.ts", journal, [
    ["intents are not synced", "        await file.datasync();\n        synced", "        synced"],
    ["no space is kept for outcomes", "allocated < upTo + reserveBytes", "allocated < upTo"],
    ["intents go on after a failure", "    return !hasFailed;\n", "    return true;\n"],
    ["a later process is not seen", "(await disk.length(next)) !== undefined", "false"],
    [
      "what others wrote is read at once",
      "  if (before.length > 0) {\n",
      "  if (before.length > 99) {\n",
    ],
    ["a number comes again", "Math.max(highest, before.at(-1) ?? 0)", "(before.at(-1) ?? 0)"],
    [
      "another file is removed",
      '  if (standing === "gone" || standing === "taken_over") return;\n',
      "",
    ],
    ["a batch has no end", '        full.push(batch);\n        batch = "";\n', ""],
  ]),
  ...of(
    "src/journal/read-journal.ts",
    "test/journal/read-journal.test.ts test/crash/simulated-run.test.ts",
    [
      ["what an older process writes later counts", "      if (batch.end >= upTo) break;\n", ""],
      [
        "a file that is gone is not missed",
        "    if (upTo < Number.POSITIVE_INFINITY && reached < upTo) throw",
        "    if (false) throw",
      ],
      ["a process hides its own file", "      if (Number(of) >= number) continue;\n", ""],
    ],
  ),
  ...of("src/journal/arrivals.ts", "test/run/account/order.test.ts", [
    ["what is behind a row that is sent again is not noted", "sent >= arrived", "sent > arrived"],
  ]),
  ...of("src/run/send/open-run.ts", "test/run/second-writer.test.ts", [
    ["a part that ended meanwhile is not seen", "!isDeepStrictEqual(known, before)", "false"],
  ]),
  ...of("src/journal/done-rows.ts", "test/run/read-ahead.test.ts", [
    ["a line counts twice", "      if (lines?.has(at)) return false;\n", ""],
    ["what is held never goes", "        heldChars -= (window[next] ?? 0) - 1;\n", ""],
  ]),
  ...of(
    "src/journal/unsettled-events.ts",
    "test/run/part-record.test.ts test/crash/simulated-run.test.ts",
    [
      [
        "what was in flight has an answer",
        "isIntended ? { ...event, unanswered: event.unanswered + 1 } : event",
        "event",
      ],
    ],
  ),
  ...of("src/results/lines-in-order.ts", "test/results/lines-in-order.test.ts", [
    ["rows come as they end", "first?.isDone; first", "first; first"],
    ["a line that comes again counts", "row.lines[at] ??= line;", "row.lines[at] = line;"],
  ]),
  ...of("src/run/send/part-record.ts", "test/run/disturbed-runs.test.ts", [
    ["what was in flight at a kill is in no figure", "    said.meter.lost(lost);\n", ""],
    [
      "a process did nothing of what was lost",
      "    countAttempts(lost.length, lost.length);\n",
      "",
    ],
  ]),
  ...of("src/run/account/end-part.ts", "test/run/second-writer.test.ts", [
    ["a process that was taken over writes the manifest", 'standing !== "taken_over" &&', ""],
  ]),
  ...of("src/results/hashed-file.ts", "test/results test/crash/simulated-run.test.ts", [
    ["it is not synced", "        await file.datasync();\n", ""],
    [
      "pieces are not hashed",
      "      hash.update(bytes);\n",
      "      if (filled + bytes.length <= piece.length) hash.update(bytes);\n",
    ],
  ]),
  ...of("src/results/tally.ts", "test/results", [
    ["what may have arrived twice counts once", "? 1 : 0) > 1) tally", "? 1 : 0) > 2) tally"],
  ]),
  ...of(
    "src/delivery/adaptive-limits.ts",
    "test/delivery/pace.test.ts test/delivery/limit.test.ts",
    [
      ["every refusal is for the load", "if (isRefused && isHinted) {", "if (isRefused) {"],
      [
        "a rate is named of refusals by chance",
        "overload.backgroundAt(now) > hardlyAny) return",
        "false) return",
      ],
    ],
  ),
  ...of("src/delivery/fifo.ts", "test/delivery/fifo.test.ts", [
    [
      "the queue forgets where it begins after many events",
      "this.#items.slice(this.#head);\n      this.#head = 0;",
      "this.#items.slice(this.#head);",
    ],
  ]),
  ...of("src/delivery/rate-limiter.ts", "test/delivery/rate-limiter.test.ts", [
    [
      "a quota does without what is in flight",
      "Math.max(2 * inFlight, spreadShare",
      "Math.max(0, spreadShare",
    ],
  ]),
  ...of("src/delivery/http/answer-body.ts", "test/delivery/error-text.test.ts", [
    ["an error loses its field", 'field === "" ? text.trim()', "true ? text.trim()"],
  ]),
  ...of("src/run/account/retry.ts", "test/scenarios/kept-settings.test.ts", [
    ["a retry keeps a percentage", 'String(most).endsWith("%")', "false"],
  ]),
  ...of("src/delivery/http/token.ts", "test/delivery/token.test.ts", [
    ["a token command goes on after the run has stopped", 'child.kill("SIGTERM");', ""],
  ]),
  ...of("src/delivery/ordering.ts", delivery, [
    [
      "an invalid row blocks at once",
      "      if (lines.has(key)) append(key, row);\n      else blockedKeys",
      "      blockedKeys",
    ],
    ["later events of a row go on", "at < place && holdsBackRow", "at > place && holdsBackRow"],
    ["a key's line is left behind", "    lines.delete(key);\n", ""],
  ]),
  ...of("src/delivery/sending.ts", delivery, [
    [
      "another event is staged while the first waits for a token",
      "stop.signal.aborted || token.renewing !== undefined) return 0",
      "stop.signal.aborted) return 0",
    ],
    ["the first event does not go alone", "staged.length + inFlight.length + others === 0", "true"],
    [
      "another event leaves while the first waits for its retry",
      "judge.isUnknown && retries.dueInMs() > 0 ? retries.length : 0",
      "0",
    ],
    [
      "an attempt leaves though the breaker is open",
      "token.renewing !== undefined || !breaker.allows();",
      "token.renewing !== undefined;",
    ],
    ["staged events leave after a stop", "if (!maySend || stop.signal.aborted) withdraw();", ""],
  ]),
  ...of("src/delivery/queues.ts", "test/delivery/queues.test.ts", [
    [
      "a retry that is put into its queue wakes nobody",
      "backoff.push(event);\n        wake();",
      "backoff.push(event);",
    ],
  ]),
  ...of("src/delivery/sending-limits.ts", delivery, [
    ["a Retry-After of a success is obeyed", '    if (kind === "accepted" || kind', "    if (kind"],
  ]),
  ...of("src/delivery/held-events.ts", delivery, [
    [
      "held events stay after an outage",
      "if (held.events.size > 0 && !breaker.isClosed) {",
      "if (false) {",
    ],
  ]),
  ...of("src/delivery/silence.ts", "test/delivery/pace.test.ts", [
    [
      "a silent outage is not noticed",
      "      if (breaker.isClosed) {\n        limits",
      "      if (false) {\n        limits",
    ],
  ]),
  ...of("src/delivery/sending.ts", "test/delivery/pace.test.ts", [
    ["a connection is made though another is open", "idle.findIndex(connections.isOpen)", "0"],
  ]),
  ...of("src/delivery/overload.ts", "test/delivery/pace.test.ts", [
    ["a 503 is never taken for a limit", "        isVerified = true;\n", ""],
  ]),
  ...of("src/delivery/held-events.ts", "test/faults/unanswered.test.ts", [
    [
      "an event is rejected that another of its key overtakes",
      "refusal && ordering.wouldBeOvertaken(row)",
      "refusal && false",
    ],
  ]),
  ...of("src/delivery/judge-attempt.ts", "test/delivery/resume.test.ts", [
    [
      "a 500 ends the trying of a known service",
      'isFirst: service !== "known"',
      'isFirst: service === "unknown"',
    ],
  ]),
  ...of("src/delivery/delivery.ts", "test/delivery/resume.test.ts", [
    [
      "a refused event does not wait for the next",
      "judge.isKnown ? isReaderComing : !queues.isInputOver",
      "isReaderComing",
    ],
  ]),
  ...of("src/delivery/judge-attempt.ts", "test/delivery/judge-attempt.test.ts", [
    ["an event fails in an outage", "isFault(event) ||", "true ||"],
    ["attempts of an outage count once it is noticed", "event.tries = event.triesBefore;", ""],
    [
      "attempts count while the breaker is open",
      "else if (isClosed || isAmongLast",
      "else if (true || isAmongLast",
    ],
    ["refusals of everything never stop the run", "++inARow < maxInARow", "true"],
  ]),
  ...of("src/delivery/judge-attempt.ts", "test/faults/unanswered.test.ts", [
    [
      "a known service that refuses all is sent all",
      "if (++inARow >= maxInARow) {",
      "if (++inARow < 0) {",
    ],
    [
      "events are written off one by one",
      'maxOutageMs === 0 && service !== "known" && ++inARow',
      "0",
    ],
  ]),
  ...of("src/run/state/compare.ts", state, [
    ["gone: that is new takes all at once", "sendsGone && lastNight?.gone !== true", "false"],
  ]),
  ...of("src/delivery/circuit-breaker.ts", "test/delivery/circuit-breaker.test.ts", [
    [
      "two probes at once",
      "(!open.isProbing && now() >= open.probeAtMs)",
      "now() >= open.probeAtMs",
    ],
    ["one event alone opens it", "events.size >= Math.min(minFailures, eventsLeft) &&", ""],
    ["a shorter wait replaces a longer one", "if (probeAtMs <= open.probeAtMs) return none;", ""],
  ]),
  ...of("src/run/account/next-part.ts", "test/run/merge.test.ts", [
    [
      "a retry of a shard that was merged meanwhile",
      '        if (into !== undefined) throw cannotStart("shard_merged", results, into);\n',
      "",
    ],
  ]),
  ...of("src/run/account/claim-files.ts", "test/scenarios/lock.test.ts", [
    [
      "temporary files stay",
      "      await removeTemporaries([manifest, journalFile(journal, 1)]);\n",
      "",
    ],
  ]),
  ...of("src/run/account/complete-part.ts", "test/scenarios/account.test.ts", [
    [
      "edits of failed rows are lost",
      "  await refuseChanged(",
      "  if (false) await refuseChanged(",
    ],
  ]),
  ...of("src/run/account/complete-part.ts", "test/run/account/counts.test.ts", [
    [
      "the counts of a retry are not compared",
      "part !== undefined && !isReconciled(",
      "false && part !== undefined && !isReconciled(",
    ],
  ]),
  ...of("src/run/account/place-files.ts", "test/run/account/place-files.test.ts", [
    [
      "failed rows that were edited since are overwritten",
      "  if (!isTheirs) await keepForeign(failed, failedRows, failed_rows_file?.sha256);\n",
      "",
    ],
  ]),
  ...of("src/mapping/compile-mapping.ts", "test/scenarios/nights.test.ts", [
    ["a wrong cell is a key", "orderingKey !== undefined && !isWrong", "orderingKey !== undefined"],
  ]),
  ...of("src/run/send/send-rows.ts", "test/scenarios/nights.test.ts", [
    ["a service that is known is not", "rows.isKnownService", "false"],
  ]),
  ...of("src/run/account/begin-night.ts", state, [
    ["the ids of another night are taken over", "last?.of === of", "true"],
    ["a run that sent nothing stays begun", "else if (line !== undefined) await state.cut();", ""],
  ]),
  ...of("src/run/state/night.ts", state, [
    ["a key is not marked before its event leaves", "return { ...intent, key };", "return intent;"],
    [
      "what the input lacks is not noted",
      '        setFlag(entry, flags.isAway, fateOf(entry) === "missing");\n',
      "",
    ],
    ["a failed event leaves a digest", "      else setFlag(entry, flags.hasFailed);\n", ""],
    [
      "an unknown effect is none",
      '      if (effect !== "none") setFlag',
      '      if (effect === "succeeded") setFlag',
    ],
    ["an answer of 5xx is a refusal", "httpStatus >= 400 && httpStatus < 500", "httpStatus >= 400"],
    ["several attempts count as one", "attempts === 1 && httpStatus", "httpStatus"],
  ]),
  ...of("src/run/state/compare.ts", state, [
    [
      "gone though a row is unreadable",
      "makesGoneEvents && unreadableRows + blankLinesBetween === 0",
      "makesGoneEvents",
    ],
  ]),
  ...of("src/run/state/compare.ts", "test/scenarios/what-is-a-row.test.ts", [
    [
      "gone though a line that may have been a row stands between rows",
      "unreadableRows + blankLinesBetween === 0",
      "unreadableRows === 0",
    ],
  ]),
  ...of("src/input/make-rows.ts", "test/input/row-laws.test.ts", [
    [
      "a line without a filled cell is a row",
      "flaws.length === 0 && !holdsText(given)",
      "given.length === 0",
    ],
    ["the header once more is a row", "if (isHeader(given)) {", "if (names === undefined) {"],
    ["a hidden row is read all the same", '          if (hiddenRows === "skip") continue;\n', ""],
  ]),
  ...of("src/input/workbook/xlsx-workbook.ts", "test/input/broken-workbooks.test.ts", [
    ["a cell may be there twice", "next === undefined || next <= at", "next === undefined"],
    ["a merged cell covers nothing", "if (covers.has(at)) onCovered", "if (at < 0) onCovered"],
  ]),
  ...of("src/run/state/known-keys.ts", state, [
    [
      "the order of events does not count",
      "return `$" + "{high} $" + "{low} $" + "{event.resource}",
      "return `$" + "{event.resource}",
    ],
    ["an invalid key is sent", '  if (hasFlag(entry, flags.isInvalid)) return "invalid";\n', ""],
    [
      "an open key counts as unchanged",
      '  if (hasFlag(entry, flags.isNotKnown)) return "open";\n',
      "",
    ],
    ["more events may leave than were seen", "  if (count > left) return false;\n", ""],
  ]),
  ...of("src/run/state/compare.ts", "test/run/state/compare.test.ts", [
    ["any share may be changed", "if (isTooMany(maxChanged, changed)) {", "if (false) {"],
  ]),
  ...of("src/run/account/place-files.ts", state, [
    ["the new state gets no name", '  await rename(newState, files.state ?? "", state);\n', ""],
  ]),
  ...of("src/run/state/state-file.ts", state, [
    ["without its journal all is known", "    if (!isJournalLost) return;\n", "    return;\n"],
    [
      "what was in flight is as before",
      '    setKnown(entry, record.kind === "key" ? record : notKnown(entry));\n',
      '    if (record.kind === "key") setKnown(entry, record);\n',
    ],
  ]),
  ...of("src/run/state/state-text.ts", "test/run/state/state-file.test.ts", [
    [
      "a state of another owner is taken",
      '    throw cannotStart("state_of_another"',
      '    if (false) throw cannotStart("state_of_another"',
    ],
    ["what was rendered is not checked", "if (hexOfSum(sum) !== wanted)", "if (false)"],
  ]),
  ...of("src/run/state/state-file.ts", "test/run/state/state-file.test.ts", [
    ["the line of a run is not synced", "      await at.datasync();\n", ""],
  ]),
  ...of("src/mapping/numbers.ts", "test/mapping/numbers.test.ts", [
    ["groups of two digits, with a comma", "(?:,\\d{3})+$/,\n} as", "(?:,\\d{2,3})+$/,\n} as"],
  ]),
  ...of("src/model/typed-command.ts", "test/model/typed-command.test.ts", [
    ["an apostrophe ends a word that is pasted", "['\"", '["'],
    ["a backslash at the end is an escape in fish", "(?:\\\\|$)", "(?:\\\\)"],
  ]),
  ...of("src/model/local-page.ts", "test/page/every-page.test.ts", [
    ["a page opens without its secret", "if (given !== secret)", 'if (given === "")'],
    ["a page answers to any name", "if (headers.host !== host) return true;", ""],
  ]),
];
