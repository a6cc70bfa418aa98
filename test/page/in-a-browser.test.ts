import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { readTable } from "../../src/page/mapping-table.ts";
import { eventload } from "../cli/fake-host.ts";
import { startProgram } from "../cli/running-program.ts";
import { describeInChromium } from "../report/chromium.ts";
import { contrast } from "../report/contrast.ts";
import { textColours } from "../report/text-colours.mjs";
import { pageOf } from "./page-under-test.ts";

/** What a club's spreadsheet program wrote: codes, two dates that nobody knows, an address that is none, a script. */
const members = `Mitgliedsnr.;Anrede;Vorname;Nachname;E-Mail-Adresse;Geburtsdatum;Beitrag;Tarif
0001;Frau;Anna;Weiß;anna@example.de;24.12.1980;120,00;P
0002;Herr;Bülent;Çelik;celik@example.de;unbekannt;60,50;F
0003;Frau;Clara;Öberg;clara@example.de;29.02.1984;120,00;P
0004;Herr;David;Müller;david@example.de;13.05.1991;1.200,00;G
0005;Frau;<script>hacked = 1</script>;Groß;eva(at)example.de;unbekannt;60,50;F
${Array.from({ length: 40 }, (_, at) => `1${100 + at};Herr;Max;Muster;max${at}@example.de;01.02.1970;120,00;P`).join("\n")}
`;

describeInChromium("the page of a mapping in a browser", (openPage) => {
  /** The page of the club: of this process, which starts sooner, or of the built program, as a person opens it. */
  async function open(mapping?: string, asProgram = false) {
    const served = await pageOf(members, mapping);
    const { child, exited } = asProgram
      ? startProgram("map people.csv", { cwd: served.folder })
      : { child: undefined, exited: undefined };
    const url = child ? String((await once(child.stdout, "data"))[0]).trim() : served.page.url;
    const { page, noises } = await openPage(url, { viewport: { width: 1280, height: 800 } });
    const status = page.locator("#status");
    /** Once the last change is checked. */
    const settled = (text: RegExp | string) => status.filter({ hasText: text }).waitFor();
    await settled(/checked|problem/);
    return {
      ...{ page, noises, child, exited, settled },
      path: served.path,
      onDisk: served.mapping,
      text: () => textOf(page),
      check: () =>
        eventload(`check ${served.path("people.csv")} --mapping ${served.path("people.yaml")}`),
      saved: (text: RegExp) => page.locator("#saved").filter({ hasText: text }).waitFor(),
    };
  }

  const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });

  /** The text of the editor, which shows only the lines that can be seen. */
  const textOf = (page: Page) =>
    page.evaluate<string>("document.querySelector('.cm-content').cmTile.view.state.doc.toString()");

  it("leads from a German spreadsheet to a mapping that check accepts, by mouse", async () => {
    const { page, noises, settled, saved, onDisk, check, child, exited } = await open(
      undefined,
      true,
    );
    await settled("45 rows checked, 2 invalid");
    // A dirty cell: found, explained, excluded.
    await button(page, "Next invalid row").click();
    await page.locator("dl .invalid", { hasText: "unbekannt" }).waitFor();
    expect(await page.locator("dl .invalid").innerText()).toContain("is not a date in dd.MM.yyyy");
    await button(page, "Count as blank: unbekannt").click();
    await settled("45 rows checked, 1 invalid");
    await button(page, "Leave rows out: eva(at)example.de").click();
    await settled("45 rows checked, 0 invalid");
    // A column of codes, value by value.
    await button(page, "Cells of tarif").click();
    for (const [code, plan] of [
      ["P", "pro"],
      ["F", "free"],
      ["G", "group"],
    ] as const) {
      await page.getByLabel(`${code} becomes`).fill(plan);
    }
    await button(page, "Done").click();
    await settled("45 rows checked, 0 invalid");
    // All columns are there once the list is used.
    const column = page.getByLabel("Column of salutation");
    expect(await column.locator("option").allInnerTexts()).toEqual(["Anrede", "(fixed value)"]);
    await column.dispatchEvent("pointerdown");
    await column.selectOption("Nachname");
    await page.getByLabel("Leave out of salutation").click();
    await page.getByLabel("Required of last_name").check();
    const end = page.locator("#problems .used");
    await end.waitFor();
    await button(page, "Save").click();
    await saved(/Saved people.yaml/);
    expect(await end.innerText()).toContain("eventload import people.csv");

    expect(parse(await onDisk())).toMatchObject({
      null_values: ["unbekannt"],
      when: { all: [{ column: "E-Mail-Adresse", not_in: ["eva(at)example.de"] }] },
      members: { tarif: { column: "Tarif", map: { P: "pro", F: "free", G: "group" } } },
    });
    expect(await check()).toMatchObject({ status: 0 });
    expect(noises).toEqual([]);
    child?.kill("SIGINT");
    expect(await exited).toEqual([0, null]);
  });

  it("shows the row that a person asks for, though a check begins meanwhile", async () => {
    const { page } = await open();
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
    await page.getByLabel("Required of first_name").check();
    await page.setViewportSize({ width: 1280, height: 300 });
    await button(page, "Next invalid row").click();
    const invalid = page.locator("dl .invalid", { hasText: "unbekannt" });
    await invalid.waitFor();
    // And there the cell.
    const [cell, all] = [await invalid.boundingBox(), await page.locator("#row").boundingBox()];
    expect(cell?.y).toBeGreaterThan(all?.y ?? 0);
    expect(cell?.y).toBeLessThan((all?.y ?? 0) + (all?.height ?? 0));
  });

  it("leads there by keyboard alone", async () => {
    const { page, text, noises, settled, saved, check, onDisk } = await open();
    const { keyboard } = page;
    const focused = () =>
      page.evaluate<string>(
        "(({ ariaLabel, textContent, labels, className }) => ariaLabel || labels?.[0]?.textContent || textContent || className)(document.activeElement)",
      );
    const tabTo = async (name: string) => {
      for (let left = 250; left > 0; left--) {
        await keyboard.press("Tab");
        if ((await focused()).startsWith(name)) return;
      }
      throw new Error(`no way to ${name}`);
    };
    await tabTo("Column of email");
    for (const key of ["ArrowDown", "ArrowDown", "ArrowUp"]) await keyboard.press(key);
    expect(parse(await text()).members.email.column).toBe("Geburtsdatum");
    await keyboard.press("ArrowUp");
    await tabTo("Required of email");
    await keyboard.press("Space");
    await tabTo("Cells of tarif");
    await keyboard.press("Enter");
    await tabTo("P becomes");
    await keyboard.type("pro");
    await tabTo("Any other cell becomes");
    await keyboard.type("other");
    await tabTo("Done");
    await keyboard.press("Enter");
    expect(await focused()).toBe("Cells of tarif");
    // The text is left with Tab as any other part.
    await tabTo("Next invalid row");
    await keyboard.press("Enter");
    await page.locator("dl .invalid").waitFor();
    await tabTo("Count as blank: unbekannt");
    await keyboard.press("Enter");
    await settled("1 invalid");
    await tabTo("Leave rows out: eva(at)");
    await keyboard.press("Enter");
    await settled("0 invalid");
    // The focus stays where it was, also on what is shown anew.
    await tabTo("Leave out Nachname");
    await keyboard.press("Enter");
    expect(await focused()).toBe("Add as last_name");
    await keyboard.press("Enter");
    expect(await focused()).toBe("Leave out Nachname");
    await keyboard.press("Control+s");
    await saved(/Saved/);
    expect(parse(await onDisk()).members).toMatchObject({
      email: { required: true },
      tarif: { map: { P: "pro" }, otherwise: "other" },
    });
    expect(await check()).toMatchObject({ status: 0 });
    expect(noises).toEqual([]);
  });

  it("shows one document in both views, whatever fifty edits do to either", async () => {
    const { page, text, noises } = await open();
    let seed = 7;
    const any = (below: number) => {
      seed = (seed * 16807) % 2147483647;
      return seed % below;
    };
    /** As a person leaves a field, or chooses. */
    const set = (field: string, change: string) =>
      page.evaluate(`(() => {
        const lines = document.querySelectorAll("#members tbody tr");
        const field = lines[1 + (${any(1000)} % (lines.length - 1))].querySelector("[aria-label^=${field}]");
        if (field.disabled || field.hidden) return;
        ${change};
        field.dispatchEvent(new Event("change", { bubbles: true }));
      })()`);
    const comments = (await text()).match(/# .*/g) ?? [];
    for (let step = 0; step < 50; step++) {
      switch (any(6)) {
        case 0:
          await set("Member", `field.value = "name_${step}"`);
          break;
        case 1:
          await set("Column", `field.focus(); field.selectedIndex = ${any(8)}`);
          break;
        case 2:
          await set("Type", `field.value = "${["string", "integer", "date"][any(3)]}"`);
          break;
        case 3:
          await set("Required", "field.checked = !field.checked");
          break;
        case 4:
          await page.evaluate(`(() => {
            const { view } = document.querySelector(".cm-content").cmTile;
            const from = view.state.doc.toString().indexOf("members:") + 8;
            const insert = "\\n  typed_${step}: { column: Tarif, type: string }";
            view.dispatch({ changes: { from, insert } });
          })()`);
          break;
        default:
          await page.evaluate("document.getElementById('undo').click()");
      }
      const table = readTable(await text());
      const shown = await page.evaluate<object[]>(`
        [...document.querySelectorAll("#members tbody tr")].map((row) => {
          const [column, type] = row.querySelectorAll("select");
          const isRequired = row.querySelector("[type=checkbox]").checked;
          const name = row.querySelector("input").value;
          return { name, from: column.value, type: type.value, isRequired };
        })`);
      const expected = table?.members.slice(1) ?? [];
      expect(shown.slice(1)).toMatchObject(
        expected.map(({ name, from, type, isRequired }) => ({ name, from, type, isRequired })),
      );
    }
    const left = await text();
    for (const comment of comments) expect(left).toContain(comment);
    expect(noises).toEqual([]);
  });

  it("asks before it replaces a file that has changed, or drops what is not saved", async () => {
    const { page, text, onDisk, path, saved, settled } = await open();
    const questions: string[] = [];
    let answer = false;
    page.on("dialog", (dialog) => {
      questions.push(dialog.message() || dialog.type());
      return answer ? dialog.accept() : dialog.dismiss();
    });
    await page.getByLabel("Required of email").check();
    const mine = await text();
    const others = (await onDisk()).replace("contact.imported", "contact.changed");
    await writeFile(path("people.yaml"), others);
    await button(page, "Save").click();
    await saved(/Not saved: the file has changed on disk/);
    expect(await onDisk()).toBe(others);
    answer = true;
    await page.locator(".cm-content").focus();
    // A key that is held saves once.
    for (const key of ["Control", "s", "s", "s"]) await page.keyboard.down(key);
    await page.keyboard.up("Control");
    await saved(/Saved/);
    expect(await onDisk()).toBe(mine);
    await page.getByLabel("Required of email").uncheck();
    await page.reload();
    await settled("checked");
    expect(await text()).toBe(mine);
    const changed = "people.yaml has changed on disk. Replace it by this text?";
    expect(questions).toEqual([changed, changed, "beforeunload"]);
  });

  it("marks a problem at its line", async () => {
    const { page, settled } = await open(
      "version: 1\nresource: users\nevent: x\nmembers:\n  a: Tarif\n",
    );
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("  email: E-Mial");
    await settled("The mapping has 1 problem");
    await page.locator(".cm-lintRange-error", { hasText: "E-Mial" }).waitFor();
    await button(page, "Line 6").click();
    const told = { hasText: 'the input has no column "E-Mial"' };
    await page.locator("#problems", told).waitFor();
  });

  it("takes the event from a column, adds a column and leaves one out", async () => {
    const { page, text, settled } = await open(
      "version: 1\nresource: users\nevent: x\nmembers:\n  a: Tarif\n",
    );
    await page.getByLabel("Column of event").focus();
    await page.getByLabel("Column of event").selectOption("Tarif");
    await button(page, "Cells of event").click();
    await page.getByLabel("P becomes").fill("made");
    await page.getByLabel("Any other cell becomes").fill("changed");
    await button(page, "Done").click();
    await button(page, /Add as birthday/).click();
    expect(await button(page, "Cells of birthday").count()).toBe(0);
    await button(page, "Add a member").click();
    await settled("The mapping has 1 problem"); // it has neither column nor value
    await page.getByText("This is what the mapping made of the row before.").waitFor();
    await page.getByLabel("Column of member").selectOption("(fixed value)");
    await page.getByLabel("Format or value of member").fill("club");
    await page.getByLabel("Member of member").fill("source");
    await page.keyboard.press("Tab");
    await button(page, "Leave out Tarif").click();
    await settled("checked");
    expect(parse(await text())).toEqual({
      ...{ version: 1, resource: "users" },
      event: { column: "Tarif", map: { P: "made" }, otherwise: "changed" },
      members: {
        birthday: { column: "Geburtsdatum", type: "date", format: "dd.MM.yyyy" },
        source: { value: "club" },
      },
    });
  });

  it("can be read in light and dark at both widths, and every control has a name", async () => {
    const { page, noises } = await open();
    await button(page, "Next invalid row").click();
    await page.locator("dl .invalid").waitFor();
    for (const [colorScheme, width] of [
      ["light", 1280],
      ["dark", 1280],
      ["light", 390],
      ["dark", 390],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(
        width,
      );
      expect(await page.evaluate(membersOverflow)).toBe(0);
      const sections = await page.locator("main > section").all();
      const places = await Promise.all(sections.map((section) => section.boundingBox()));
      expect(new Set(places.map((place) => place?.y)).size).toBe(width === 1280 ? 1 : 3);
      for (const part of ["#columns .card", "#members tr", ".cm-line", "dt", "#problems h3"]) {
        const place = await page.locator(part).first().boundingBox();
        if (width === 1280)
          expect((place?.y ?? 800) + (place?.height ?? 0), part).toBeLessThan(800);
      }
      const colours = await page.evaluate(textColours);
      expect(colours.length).toBeGreaterThan(80);
      for (const { text, colour, behind } of colours) {
        // The line of the cursor has a colour that is mixed with what is behind it.
        if (behind.startsWith("color(")) continue;
        expect(contrast(colour, behind), `${text} in ${colorScheme}`).toBeGreaterThanOrEqual(4.5);
      }
    }
    const nameless = await page.evaluate(`
      [...document.querySelectorAll("button, input, select, [role=textbox]")]
        .filter((one) => !(one.ariaLabel || one.labels?.length || one.textContent || one.getAttribute("aria-labelledby")))
        .map((one) => one.outerHTML)`);
    expect(nameless).toEqual([]);
    expect(await page.evaluate("'hacked' in globalThis")).toBe(false);
    expect(noises).toEqual([]);
  });
});

const membersOverflow =
  "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.getElementById('members'))";
