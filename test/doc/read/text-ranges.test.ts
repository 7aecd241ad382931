import { expect, test } from "bun:test";
import { rangesAfter } from "../../../src/doc/read/text-ranges.ts";
import { Database } from "../../../src/sqlite/database.ts";
import type { CellValue } from "../../../src/values/cell.ts";
import { Random } from "../../helpers/random.ts";
import { fetchIds, sampleDocument } from "./sample.ts";

const CHARACTERS = [...Array.from("aAbBzZ019 _-~[@äßé дا"), "e\u0301", "\u0000", "ﬁ", "İ"];
const collator = new Intl.Collator("en-US");
const randomText = (random: Random): string =>
  Array.from({ length: random.below(6) }, () =>
    random.pick(random.oneIn(3) ? CHARACTERS : CHARACTERS.slice(0, 10)),
  ).join("");

test("all texts in the ranges after a text come after it, and most of those are in them", () => {
  const random = new Random(5);
  using db = new Database(":memory:");
  const inRange = (text: string, [from, to]: readonly [string, string]): boolean =>
    db.values("select ?1 >= ?2 collate nocase and ?1 < ?3 collate nocase", text, from, to)[0]?.[0] === 1;
  let after = 0;
  let found = 0;
  for (let i = 0; i < 6000; i++) {
    const common = random.pick(["", "", "ab ", "A1"]);
    const [text, other] = [common + randomText(random), common + randomText(random)];
    const descending = random.oneIn(2);
    const isAfter = collator.compare(other, text) * (descending ? -1 : 1) > 0;
    const ranges = rangesAfter(text, { skipped: common.length, descending });
    const isFound = ranges.some((range) => inRange(other, range));
    expect({ text, other, descending, isFound: isFound && !isAfter }).toEqual({
      text,
      other,
      descending,
      isFound: false,
    });
    if (isAfter) after++;
    if (isFound) found++;
  }
  expect(found / after).toBeGreaterThan(0.5);
});

test.each(["Text", "-Text", "Text,-Number", "Text:emptyLast", "-Text:blanksLast", "Text:naturalSort"])(
  "the first rows of a large table sorted by %s are those of the whole order",
  (sort) => {
    const random = new Random(7);
    const rows = Array.from({ length: 25_000 }, (_, at) => ({
      Text: random.oneIn(50)
        ? random.pick<CellValue>([null, 5, ["L", "a"], true])
        : `ab ${randomText(random)}${randomText(random)}`,
      Number: at % 7,
    }));
    using document = sampleDocument([{ id: "T", columns: { Text: "Text", Number: "Int" }, rows }]);
    const all = fetchIds(document, { table: "T", sort });
    expect(fetchIds(document, { table: "T", sort, limit: "900" })).toEqual(all.slice(0, 900));
    const filter = JSON.stringify({ Number: [1, 2] });
    const filtered = fetchIds(document, { table: "T", sort, filter });
    expect(fetchIds(document, { table: "T", sort, filter, limit: "20" })).toEqual(filtered.slice(0, 20));
  },
);
