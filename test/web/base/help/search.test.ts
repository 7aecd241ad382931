import { describe, expect, test } from "bun:test";
import type { HelpSection } from "../../../../src/web/base/help/help-types.ts";
import { createHelpSearch, type TextPart } from "../../../../src/web/base/help/search.ts";
import { cpuMs } from "../../../helpers/cpu-time.ts";

const section = (page: string, heading: string, text: string, isRow = false): HelpSection => ({
  page,
  title: page.replace(/^./, (letter) => letter.toUpperCase()),
  heading,
  anchor: heading.replaceAll(" ", "-").toLowerCase(),
  text,
  isRow,
});
const filler = "Nothing about it here. ".repeat(20);
const SECTIONS = [
  section("webhooks", "", "A webhook sends changed rows to a URL."),
  section(
    "webhooks",
    "Verifying signatures",
    `${filler}Each delivery is signed with the secret of its webhook. ${filler}`,
  ),
  section("settings", "QUERN_WEBHOOK_ALLOW", "Addresses that a webhook may use.", true),
  section("errors", "webhook.url_denied", "Webhooks are not allowed to send to this address.", true),
  section("attachments", "", "Attachments are files in a document. Résumé, café."),
  section("limits", "Documents", "An attachment may have one gigabyte; rows < 1,000 & columns > 2."),
];
const { search } = createHelpSearch(SECTIONS);
const urls = (query: string): string[] => search(query, 10).results.map(({ url }) => url);
const marked = (parts: readonly TextPart[]): string =>
  parts.map(({ text, isMatch }) => (isMatch ? `[${text}]` : text)).join("");

describe("the search in the help", () => {
  test("finds the page about the word first, though rows of tables are shorter", () => {
    expect(urls("webhook")[0]).toBe("/help/webhooks");
    expect(urls("webhook").length).toBe(4);
  });

  test("finds sections with all words, else with some of them", () => {
    expect(urls("signature webhook")).toEqual(["/help/webhooks#verifying-signatures"]);
    expect(urls("signature unicorn")).toEqual(["/help/webhooks#verifying-signatures"]);
    expect(search("unicorn", 10)).toEqual({ total: 0, results: [] });
  });

  test("finds words that are still being typed, have a typing error, or other accents and cases", () => {
    expect(urls("sig")).toEqual(["/help/webhooks#verifying-signatures"]);
    expect(urls("attachement")).toContain("/help/attachments");
    expect(urls("RESUME cafe")).toEqual(["/help/attachments"]);
  });

  test("finds names of the program as they are written", () => {
    expect(urls("QUERN_WEBHOOK_ALLOW")[0]).toBe("/help/settings#quern_webhook_allow");
    expect(urls("webhook.url_denied")[0]).toBe("/help/errors#webhook.url_denied");
  });

  test("marks the matches in title, heading and an excerpt around the first of them", () => {
    const [first] = search("signed delivery", 1).results;
    expect(marked(first?.title ?? [])).toBe("Webhooks");
    expect(marked(first?.excerpt ?? [])).toMatch(/^… .*Each \[delivery\] is \[signed\] with the secret.* …$/);
    expect(marked(search("webhook.url_denied", 1).results[0]?.heading ?? [])).toBe("[webhook].[url]_[denied]");
  });

  test("returns the number of all results, and the best ones", () => {
    expect(search("webhook", 1)).toMatchObject({ total: 4, results: [{ url: "/help/webhooks" }] });
  });

  test("returns texts unchanged, without markup", () => {
    const [first] = search("gigabyte", 1).results;
    expect(first?.excerpt.map(({ text }) => text).join("")).toBe(SECTIONS[5]?.text ?? "");
  });

  test.each(["", "   ", "(((.*)+)+)+$", "😀", "\u0000", "\\", "<>", "\ud800"])("finds nothing for %j", (query) => {
    expect(search(query, 10)).toEqual({ total: 0, results: [] });
  });

  test("is bounded for long queries", () => {
    const words = Array.from({ length: 10_000 }, (_, i) => `word${i}`).join(" ");
    const used = cpuMs(() => {
      for (const query of [words, "a".repeat(1_000_000), "a ".repeat(100_000), "attachmen".repeat(10_000)])
        search(query, 10);
    });
    expect(used).toBeLessThan(500);
  });

  test("escapes anchors", () => {
    const odd = createHelpSearch([{ ...section("a", "odd", "text"), anchor: 'x"y z' }]);
    expect(odd.search("odd", 1).results[0]?.url).toBe("/help/a#x%22y%20z");
  });
});
