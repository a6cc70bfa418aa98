import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { readTable } from "../../src/page/mapping-table.ts";
import { eventload } from "../cli/fake-host.ts";
import { startProgram } from "../cli/running-program.ts";
import { describeInChromium } from "../report/chromium.ts";
import { clubMembers } from "./club-members.ts";
import { pageOf } from "./page-under-test.ts";

/** What a person has written who knew no more of the file: every card of the page has something to do. */
const asKnown = `version: 1
input: { delimiter: ";" }
resource: contacts
event: contact.imported # ours
null_values: [ n/a ]
members:
  # the number on the card
  number: Mitgliedsnr.
  name: Naam
  email: { column: E-Mail, transform: [ trim, lowercase ], format: email }
  birthday: { column: Geburtsdatum, type: date }
  fee: { column: Beitrag, type: number, decimal_separator: ",", thousands_separator: "." }
  newsletter: { column: Nieuwsbrief, type: boolean, true_values: [ ja ], false_values: [ nein ] }
  status: { column: Status, map: { A: active, P: paused } } # codes
  interests: { column: Interessen, type: list, separator: "," }
  address: { template: "{Straße}, {Ort}" }
  source: { value: club }
`;

const waiting = { timeout: 10_000 };

describeInChromium("the page of a mapping in a browser", (openPage) => {
  /** The page of the club: of this process, which starts sooner, or of the built program, as a person opens it. */
  async function open(mapping?: string, asProgram = false) {
    const served = await pageOf(clubMembers(), mapping);
    const { child, exited } = asProgram
      ? startProgram("map people.csv", { cwd: served.folder })
      : { child: undefined, exited: undefined };
    const url = child ? String((await once(child.stdout, "data"))[0]).trim() : served.page.url;
    const { page, noises } = await openPage(url, { viewport: { width: 1280, height: 800 } });
    const state = page.locator("#state[aria-busy=false]");
    /** Once the last change is checked. */
    const settled = (text: RegExp | string) => state.filter({ hasText: text }).waitFor();
    await settled(/\d ready|cannot be read/);
    return {
      ...{ page, noises, child, exited, settled },
      path: served.path,
      onDisk: served.mapping,
      text: () => textOf(page),
      check: () =>
        eventload(`check ${served.path("people.csv")} --mapping ${served.path("people.yaml")}`),
    };
  }

  const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
  const card = (page: Page, text: string) => page.locator(".problems li").filter({ hasText: text });

  /** The text of the editor, which shows only the lines that can be seen. */
  const textOf = (page: Page) =>
    page.evaluate<string>("document.querySelector('.cm-content').cmTile.view.state.doc.toString()");
  const focused = (page: Page) =>
    page.evaluate<string>(
      "(({ ariaLabel, labels, textContent }) => ariaLabel || labels?.[0]?.textContent.trim() || textContent.trim())(document.activeElement)",
    );

  it("leads from a club's spreadsheet to a mapping that check accepts, by clicks", async () => {
    const { page, noises, settled, onDisk, check, child, exited } = await open(undefined, true);
    await settled(/384 ready\s*10 to fix\s*0 left out/);
    await button(page, "E-Mail: Count them as blank, fixes 10 cells").click();
    await settled(/394 ready\s*0 to fix/);
    // What counts as blank does not fit.
    await page
      .getByRole("row", { name: "E-Mail" })
      .filter({ hasText: /373 fit\s*21 blank/ })
      .waitFor();
    await button(page, /^Beitrag: Read it as number, 394 cells/).click();
    await button(page, /^The last row looks like a total: Leave it out/).click();
    await settled(/0 to fix\s*1 left out/);
    await page.getByLabel("Type of Status").selectOption("Choice");
    await page.getByLabel("A becomes").fill("active");
    await page.getByLabel("P becomes").fill("paused");
    await page.getByLabel("Type of Interessen").selectOption("List");
    await page.getByLabel("Send Bemerkung").uncheck();
    await page.locator("#columns-title", { hasText: "14 of 15 are sent" }).waitFor();
    await page.locator("#all-good", { hasText: "eventload import people.csv" }).waitFor();
    await button(page, /^Save$/).click();
    await page.locator("#said", { hasText: "Saved people.yaml" }).waitFor();

    const { members, when, null_values: nulls } = parse(await onDisk());
    expect(members).toMatchObject({
      status: { column: "Status", map: { A: "active", P: "paused", X: "X" } },
      interessen: { column: "Interessen", type: "list", separator: "," },
      beitrag: { type: "number", decimal_separator: ",", thousands_separator: "." },
    });
    expect(members).not.toHaveProperty("notes");
    // What counts as blank in one column counts there alone.
    expect(nulls).toEqual(["n/a"]);
    expect(when).toEqual({ all: [{ column: "Mitgliedsnr.", not_in: ["Summe"] }] });
    const { status, stderr } = await check();
    expect([status, stderr]).toEqual([0, expect.not.stringMatching(/last row|Beitrag"/)]);
    expect(noises).toEqual([]);
    child?.kill("SIGINT");
    expect(await exited).toEqual([0, null]);
  });

  it("needs four Tabs to the first fix, and is used by keyboard alone", async () => {
    const { page, noises, settled, check, text } = await open(asKnown);
    const { keyboard } = page;
    const tabTo = async (name: string, most = 200) => {
      for (let left = most; left > 0; left--) {
        await keyboard.press("Tab");
        if ((await focused(page)).startsWith(name)) return;
      }
      throw new Error(`no way to ${name} in ${most}`);
    };
    const fix = "Nieuwsbrief: oui = yes; non, nee = no, fixes 184 cells";
    await button(page, fix).waitFor();
    await tabTo(fix, 4);
    // What a fix leaves is its own Undo, and what that leaves is the fix: at once, and once it is checked.
    for (const isChecked of [false, true]) {
      await keyboard.press("Enter");
      if (isChecked) await settled("ready");
      expect(await focused(page)).toMatch(/^Undo: Nieuwsbrief/);
      await keyboard.press("Enter");
      expect(await focused(page)).toBe(fix);
      expect(await text()).toBe(asKnown);
    }
    await settled("ready");
    expect(await focused(page)).toBe(fix);
    await keyboard.press("Enter");
    for (const next of [
      "Geburtsdatum: Also",
      "Status: Send",
      "Beitrag: Also",
      "E-Mail: Count",
      "The last row looks like a total: Leave",
    ]) {
      await button(page, next).waitFor();
      await tabTo(next);
      await keyboard.press("Enter");
    }
    await settled(/393 ready\s*0 to fix\s*1 left out/);
    await tabTo("How Mitgliedsnr. is read");
    await keyboard.press("Enter");
    await tabTo("no space around");
    await keyboard.press("Space");
    // The focus stays on what is shown anew.
    expect(await focused(page)).toBe("no space around");
    await tabTo("Show the file");
    await keyboard.press("Enter");
    await tabTo("The mapping as text");
    // The text is left with Tab as any other part.
    await tabTo("Row");
    await keyboard.press("Control+s");
    await page.locator("#said", { hasText: "Saved" }).waitFor();
    expect(parse(await text()).members.number).toEqual({
      column: "Mitgliedsnr.",
      transform: "trim",
    });
    expect(await check()).toMatchObject({ status: 0 });
    expect(noises).toEqual([]);
  });

  it("says of each word and each way to write what it reads, and takes only what a mapping may say", async () => {
    const { page, text, settled } = await open(asKnown);
    const member = async (name: string) => parse(await text()).members[name];
    const editor = async (column: string, name: string) => {
      await button(page, `How ${column} is read`).click();
      return page.locator(`[id="editor ${name}"]`);
    };
    const words = await editor("Nieuwsbrief", "newsletter");
    const segment = (word: string) => words.getByRole("group", { name: `What ${word} means` });
    await segment("oui").getByRole("button", { name: "yes" }).click();
    await segment("non").getByRole("button", { name: "blank" }).click();
    expect(await segment("non").locator("[aria-pressed=true]").innerText()).toBe("blank");
    const { true_values: yes, transform } = await member("newsletter");
    expect(yes).toEqual(["ja", "oui"]);
    expect(transform.replace.pattern).toBe("(?i)^\\s*(?:non)\\s*$");
    expect(parse(await text()).null_values).toEqual(["n/a"]);

    const dates = await editor("Geburtsdatum", "birthday");
    await dates.locator(".chip.would", { hasText: "31.05.2024 dd.MM.yyyy 42" }).waitFor();
    await dates.locator(".chip[aria-pressed=true]", { hasText: "2024-05-31 351" }).waitFor();
    const other = dates.getByLabel("Another way to write dates");
    await other.fill("dd.mm.yyyy");
    await other.press("Enter");
    await expect
      .poll(() => page.evaluate<string>("document.activeElement.validationMessage"), waiting)
      .toMatch(/minutes|mm/);
    expect(await member("birthday")).toEqual({ column: "Geburtsdatum", type: "date" });
    // What was not taken goes with Escape, and so does what nobody has entered yet.
    await other.press("Escape");
    expect([await other.inputValue(), await focused(page)]).toEqual([
      "",
      "Another way to write dates, such as dd.MM.yyyy",
    ]);
    await dates.getByRole("button", { name: "31.05.2024" }).click();
    expect((await member("birthday")).format).toEqual(["iso", "dd.MM.yyyy"]);
    // Day and month in the other order replaces the first, as no mapping may have both.
    await dates.getByRole("button", { name: "31/05/2024" }).click();
    await dates.getByRole("button", { name: "05/31/2024" }).click();
    expect((await member("birthday")).format).toEqual(["iso", "dd.MM.yyyy", "MM/dd/yyyy"]);
    await settled(/to fix/);

    await page.getByLabel("Type of Eintritt").count();
    await page.getByLabel("Send Eintritt").check();
    await page.getByLabel("Type of Eintritt").selectOption("Text");
    await page.getByLabel("Type of Eintritt").selectOption("Date");
    await expect.poll(async () => (await member("eintritt")).format, waiting).toBe("dd.MM.yyyy");
  });

  it("shows the row that a person asks for, though a check begins meanwhile", async () => {
    const { page } = await open(asKnown);
    let isFirst = true;
    // That of the change below, which may begin before the row is asked for or after it.
    const check = page.waitForRequest("**/check");
    // What is asked for first is answered late.
    await page.route("**/row", async (route) => {
      const isLate = isFirst && route.request().postData()?.includes('"onlyInvalid":true');
      if (isLate) isFirst = false;
      if (isLate) await check;
      await route.continue().catch(() => {}); // it may be given up by then
    });
    await page.getByLabel("Send Naam").uncheck();
    await page.setViewportSize({ width: 1280, height: 300 });
    await button(page, "Next to fix").click();
    const wrong = page.locator("#pairs .wrong").first();
    await expect
      .poll(() => page.getByLabel("Row", { exact: true }).inputValue(), waiting)
      .not.toBe("3");
    // There the cell, and above it the buttons.
    for (const part of [wrong, button(page, "Next to fix")]) {
      const [place, pane] = [await part.boundingBox(), await page.locator(".pane").boundingBox()];
      expect(place?.y).toBeGreaterThanOrEqual(pane?.y ?? 0);
      expect(place?.y).toBeLessThan((pane?.y ?? 0) + (pane?.height ?? 0));
    }
  });

  it("touches nothing that a change leaves as it is, so that hundreds of columns keep up", async () => {
    const { page, settled } = await open();
    await page.evaluate(`new MutationObserver((all) => {
      globalThis.idle = (globalThis.idle ?? 0) +
        all.filter(({ oldValue, target }) => oldValue === target.nodeValue).length;
      globalThis.seen = true;
    }).observe(document.body, { subtree: true, characterData: true, characterDataOldValue: true })`);
    await page.getByLabel("Send Naam").uncheck();
    await settled(/\d ready/);
    expect(await page.evaluate("[globalThis.seen, globalThis.idle]")).toEqual([true, 0]);
  });

  it("shows one document in both views, whatever fifty edits do to either", async () => {
    const { page, text, noises } = await open(asKnown);
    let seed = 7;
    const any = (below: number) => {
      seed = (seed * 16807) % 2147483647;
      return seed % below;
    };
    /** As a person leaves a field, or chooses. */
    const set = (field: string, change: string) =>
      page.evaluate(`(() => {
        const fields = document.querySelectorAll("#lines [aria-label^='${field}']");
        const field = fields[${any(1000)} % fields.length];
        ${change};
        field.dispatchEvent(new Event("change", { bubbles: true }));
      })()`);
    const comments = (await text()).match(/# (?!the number|codes).*/g) ?? [];
    for (let step = 0; step < 50; step++) {
      switch (any(5)) {
        case 0:
          await set("Field that", `field.value = "name_${step}"`);
          break;
        case 1:
          await set("Type of", `field.value = "${["text", "json", "email"][any(3)]}"`);
          break;
        case 2:
          await set("Send ", "field.checked = !field.checked");
          break;
        case 3:
          await page.evaluate(`(() => {
            const { view } = document.querySelector(".cm-content").cmTile;
            const from = view.state.doc.toString().indexOf("members:") + 8;
            const insert = "\\n  typed_${step}: { column: Telefoon, type: string }";
            view.dispatch({ changes: { from, insert } });
          })()`);
          break;
        default:
          await page.evaluate("document.getElementById('undo').click()");
      }
      const shown = () =>
        page.evaluate<object[]>(`
        [...document.querySelectorAll("#lines .line:has(.becomes input)")].map((line) => {
          const name = line.querySelector(".becomes input").value;
          return { name, kind: line.querySelector("select")?.value };
        })`);
      const members = readTable(await text())?.members ?? [];
      const expected = members.map(({ name, kind, source }) => ({
        name,
        kind: source === "column" ? kind : undefined,
      }));
      const inOrder = (list: object[]) => list.map((one) => JSON.stringify(one)).toSorted();
      expect(inOrder(await shown())).toEqual(inOrder(expected));
    }
    const left = await text();
    for (const comment of comments) expect(left).toContain(comment);
    expect(noises).toEqual([]);
  });

  it("asks before it replaces a file that has changed, or drops what is not saved", async () => {
    const { page, text, onDisk, path, settled } = await open(asKnown);
    const questions: string[] = [];
    page.on("dialog", (dialog) => {
      questions.push(dialog.type());
      return dialog.accept();
    });
    const changed = card(page, "people.yaml has changed on disk");
    await page.getByLabel("Send Naam").uncheck();
    const mine = await text();
    const others = asKnown.replace("contact.imported", "contact.changed");
    await writeFile(path("people.yaml"), others);
    await button(page, /^Save$/).click();
    await expect.poll(() => focused(page), waiting).toBe("Keep mine");
    expect([await onDisk(), await text()]).toEqual([others, mine]);
    await changed.getByRole("button", { name: "Take the file" }).click();
    await button(page, /^Saved$/).waitFor();
    expect([await onDisk(), await text()]).toEqual([others, others]);
    await button(page, /^Undo$/).click();
    expect(await text()).toBe(mine);
    await writeFile(path("people.yaml"), asKnown);
    // A key that is held saves once.
    for (const key of ["Control", "s", "s", "s"]) await page.keyboard.down(key);
    await page.keyboard.up("Control");
    await changed.getByRole("button", { name: "Keep mine" }).click();
    await page.locator("#said", { hasText: "Saved people.yaml" }).waitFor();
    expect(await onDisk()).toBe(mine);
    await page.getByLabel("Send E-Mail").uncheck();
    await page.reload();
    await settled("ready");
    expect(await text()).toBe(mine);
    expect(questions).toEqual(["beforeunload"]);
  });

  it("marks a problem of the text at its line, and repairs what it knows", async () => {
    const { page, settled, text } = await open(asKnown.replace("null_values", "null_value"));
    await settled("people.yaml cannot be read: line 5");
    await button(page, "Show line 5").click();
    await page.locator(".cm-lintRange-error", { hasText: "null_value" }).waitFor();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("  phone: Telefon");
    await card(page, 'the input has no column "Telefon"')
      .getByRole("button", { name: "Use Telefoon" })
      .waitFor();
    for (const use of ["Use null_values", "Use Telefoon"]) await button(page, use).click();
    await settled("ready");
    expect(await text()).toBe(`${asKnown}  phone: Telefoon\n`);
  });

  it("shows what it cannot express as set in the file, and leads there", async () => {
    const { page, text } = await open(asKnown);
    expect(await page.getByRole("row", { name: "Send Ort" }).innerText()).toContain(
      "used in the file",
    );
    await button(page, "address: set in the file").click();
    await page.locator(".cm-line", { hasText: "address:" }).waitFor();
    await page.getByLabel("Each row is a").selectOption("users");
    expect(parse(await text())).toMatchObject({ resource: "users", event: "user.imported" });
    await page.getByLabel("Value of source").fill("leden");
    await button(page, "Add a field with the same value").click();
    await page.keyboard.press("Tab");
    expect(parse(await text()).members).toMatchObject({
      source: { value: "leden" },
      field: { value: "" },
    });

    const several = `version: 1\nresource: users\ninput: { delimiter: ";" }\nevents:\n  - { event: a, members: { n: Naam } }\n  - { event: b, members: { o: Ort } }\n`;
    const other = await open(several);
    expect(await other.page.locator(".line").allInnerTexts()).toContainEqual(
      expect.stringMatching(/^\tNaam[\s\S]*set in the file/),
    );
    expect(await other.page.getByLabel("Send Land").isDisabled()).toBe(true);
  });

  it("has room for the name of each type", async () => {
    const { page } = await open(asKnown);
    const cut = () =>
      page.evaluate<string[]>(`(() => {
        const select = document.querySelector(".line .type select");
        const { font, paddingLeft, paddingRight } = getComputedStyle(select);
        const canvas = Object.assign(document.createElement("canvas").getContext("2d"), { font });
        const room = select.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
        const names = [...select.options].map(({ text }) => text);
        return names.filter((name) => canvas.measureText(name).width > room);
      })()`);
    for (const width of [1920, 1280, 1000]) {
      await page.setViewportSize({ width, height: 800 });
      expect([width, await cut()]).toEqual([width, []]);
    }
  });

  it.each([
    ["light", 1280],
    ["dark", 390],
  ] as const)(
    "has no fault that axe finds in any state, in %s at %i",
    async (colorScheme, width) => {
      const { page, noises, settled, path } = await open(asKnown);
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      await page.evaluate(axe.source);
      const isSound = async (state: string) => {
        const found = await page.evaluate<object[]>(
          "axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html, any }) => [id, html, any[0]?.message])))",
        );
        expect([state, found]).toEqual([state, []]);
        for (const at of width === 390 ? [390] : [1920, 1280]) {
          await page.setViewportSize({ width: at, height: 800 });
          expect([state, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([
            state,
            at,
          ]);
        }
      };
      await isSound("to fix");
      await button(page, /^Next/).first().click();
      await isSound("next steps");
      await page.keyboard.press("Escape");
      for (const column of [
        "Mitgliedsnr.",
        "Geburtsdatum",
        "Beitrag",
        "Nieuwsbrief",
        "Status",
        "Interessen",
      ])
        await button(page, `How ${column} is read`).click();
      await page.locator(".chip.would").first().waitFor();
      await isSound("editors");
      await page.getByLabel("Send Naam").uncheck();
      await isSound("not sent");
      await button(page, "Nieuwsbrief: show row 3").click();
      await page.locator("#pairs .wrong").first().waitFor();
      await isSound("a row");
      await button(page, "JSON").click();
      await isSound("a request");
      if (width === 390) await page.keyboard.press("Escape");
      if (width === 390) await button(page, /^Show$/).waitFor();
      for (const next of [
        "Nieuwsbrief: oui",
        "Geburtsdatum: Also",
        "Beitrag: Also",
        "Status: Send",
        "E-Mail: Count",
      ])
        await button(page, next).click();
      await settled("0 to fix");
      await isSound("ready");
      await page.locator("#file summary").click();
      await page.locator(".cm-content").click();
      await isSound("the file");
      await writeFile(path("people.yaml"), "version: 1\n");
      await page.keyboard.press("Control+s");
      await button(page, "Keep mine").waitFor();
      await isSound("changed on disk");
      // What is said there moves no button.
      const topOf = async (place: string) => (await page.locator(place).boundingBox())?.y ?? 0;
      expect((await topOf("#do")) - (await topOf("#name"))).toBeLessThan(16);
      await button(page, "Take the file").click();
      await page.locator(".cm-content").click();
      await page.keyboard.press("Control+Home");
      await page.keyboard.type("x");
      await settled("cannot be read");
      await isSound("no mapping");
      await page.unroute("**/*");
      await page.route("**/check", (route) => route.abort());
      await page.route("**/row", (route) => route.abort());
      await page.keyboard.press("Backspace");
      await card(page, "eventload map has ended").waitFor();
      await isSound("ended");
      expect(await button(page, /^Saved?$/).isDisabled()).toBe(true);
      expect(noises.filter((noise) => !noise.includes("ERR_FAILED"))).toEqual([]);
    },
  );

  it("reads no cell as HTML", async () => {
    const { page } = await pageOf(
      "Name,Born\n<script>hacked = 1</script>,<img src=x onerror=hacked=1>\n",
      "version: 1\nresource: users\nevent: x\nmembers:\n  name: Name\n  born: { column: Born, type: date }\n",
    ).then(({ page }) => openPage(page.url));
    await page.locator(".problems mark", { hasText: "<img" }).waitFor();
    await page.locator("#pairs", { hasText: "<script>" }).waitFor();
    expect(await page.evaluate("'hacked' in globalThis")).toBe(false);
  });
});
