import { fold, foldedPlace, matchWord, WHOLE_TEXT_SCORE } from "../../lib/text/word-matcher.ts";
import type { Row } from "../read/row-scan.ts";
import { excerptOf } from "./excerpt.ts";
import { type SearchedField, type SearchedTable, shownText } from "./searched-tables.ts";
import { type ValueTest, valueOf, valueTest } from "./value-tests.ts";

/** What is searched for. */
export interface Needle {
  /** Folded; each has to occur in the row. */
  readonly words: readonly string[];
  /** The whole query, which may be a number or a date of several words. */
  readonly text: string;
}

/** A field whose value a text means. */
export interface FieldTest {
  readonly field: SearchedField;
  readonly test: ValueTest;
}

/** The tests of numbers and dates in a table. */
export interface TableTests {
  /** By word. */
  readonly byWord: ReadonlyMap<string, readonly FieldTest[]>;
  /** Of the whole query, if it has several words. */
  readonly ofAll: readonly FieldTest[];
}

export function tableTests({ fields }: SearchedTable, { words, text }: Needle): TableTests {
  const testsOf = (part: string): FieldTest[] =>
    fields.flatMap((field) => {
      const test = valueTest(part, field);
      return test ? [{ field, test }] : [];
    });
  return {
    byWord: new Map(words.map((word) => [word, testsOf(word)])),
    ofAll: /\s/.test(text) ? testsOf(text) : [],
  };
}

/** A row in which all words occur. */
export interface RowMatch {
  readonly row: Row;
  readonly field: SearchedField;
  readonly excerpt: string;
  readonly score: number;
}

interface Found {
  readonly field: SearchedField;
  readonly score: number;
  /** The match in the text of the field; null for a value. */
  readonly at: number | null;
}

/** Returns a function that rates a row; null where not all words occur. It depends on the visible cells of the row alone. */
export function rowMatcher(
  { fields }: SearchedTable,
  { words }: Needle,
  { byWord, ofAll }: TableTests,
): (row: Row) => RowMatch | null {
  const textFields = fields.filter(({ hasTexts }) => hasTexts);
  return (row) => {
    const texts = textFields.map((field) => ({ field, folded: fold(shownText(field, row)) }));
    let score = 0;
    let shown: Found | null = null;
    for (const word of words) {
      let found: Found | null = null;
      for (const { field, folded } of texts) {
        const match = matchWord(folded, word);
        if (match && (found === null || match.score > found.score)) found = { field, ...match };
      }
      if (found === null || found.score < WHOLE_TEXT_SCORE) found = findValue(row, byWord.get(word)) ?? found;
      if (found === null) {
        shown = findValue(row, ofAll);
        score = words.length * WHOLE_TEXT_SCORE;
        break;
      }
      score += found.score;
      if (shown === null || found.score > shown.score) shown = found;
    }
    return shown && { row, field: shown.field, excerpt: excerptOfFound(shown, row), score };
  };
}

function findValue(row: Row, tests: readonly FieldTest[] = []): Found | null {
  for (const { field, test } of tests) {
    const value = valueOf(field.source.type.decodeRaw(row[field.at] ?? null));
    if (value !== null && test.matches(value)) return { field, score: WHOLE_TEXT_SCORE, at: null };
  }
  return null;
}

function excerptOfFound({ field, at }: Found, row: Row): string {
  const text = shownText(field, row);
  return excerptOf(text, at === null ? 0 : foldedPlace(text, at));
}
