/** The search in the documentation: the same for the server, which answers without a script, and for the script. */
import MiniSearch from "minisearch";
import { MAX_QUERY_LENGTH, type HelpSection } from "./help-types.ts";

export interface HelpResult {
  /** `/help/settings#QUERN_PORT` */
  readonly url: string;
  /** The title of the page. */
  readonly title: readonly TextPart[];
  /** The heading or the name of a table's row; empty for the beginning of a page. */
  readonly heading: readonly TextPart[];
  /** The text around the matches. */
  readonly excerpt: readonly TextPart[];
}

/** A part of a text; matches are highlighted. */
export interface TextPart {
  readonly text: string;
  readonly isMatch: boolean;
}

export interface HelpResults {
  /** The number of all matching sections. */
  readonly total: number;
  /** The best ones. */
  readonly results: readonly HelpResult[];
}

export interface HelpSearch {
  search(this: void, query: string, maxResults: number): HelpResults;
}

/** Each further word would cost time and exclude results. */
const MAX_WORDS = 10;
const EXCERPT_LENGTH = 180;
/** Characters before the first match, as context. */
const EXCERPT_LEAD = 50;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** Returns the words of a text, as they are indexed. */
const wordsOf = (text: string): string[] => text.match(WORD) ?? [];
const normalize = (word: string): string => word.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();

/** Builds the index. */
export function createHelpSearch(sections: readonly HelpSection[]): HelpSearch {
  const index = new MiniSearch<HelpSection & { id: number }>({
    fields: ["title", "heading", "text"],
    tokenize: wordsOf,
    processTerm: (word) => normalize(word) || null,
  });
  // The beginning of a page is the section of its title.
  index.addAll(sections.map((section, id) => ({ ...section, id, heading: section.heading || section.title })));

  const find = (words: readonly string[], combineWith: "AND" | "OR") =>
    index.search(words.join(" "), {
      combineWith,
      boost: { title: 3, heading: 4 },
      // The word being typed is incomplete; short words have too many neighbours for typing errors.
      prefix: (word, at, all) => at === all.length - 1 || word.length > 3,
      fuzzy: (word) => (word.length > 4 ? 0.2 : false),
      maxFuzzy: 2,
      // Rows are short, so words weigh much in them.
      boostDocument: (id) => (sections[Number(id)]?.isRow ? 0.5 : 1),
    });

  return {
    search(query, maxResults) {
      const words = wordsOf(query.slice(0, MAX_QUERY_LENGTH)).slice(0, MAX_WORDS);
      if (words.length === 0) return { total: 0, results: [] };
      const all = find(words, "AND");
      const found = all.length > 0 ? all : find(words, "OR");
      const results = found.slice(0, maxResults).flatMap(({ id, terms }) => {
        const section = sections[Number(id)];
        return section ? [resultOf(section, new Set(terms))] : [];
      });
      return { total: found.length, results };
    },
  };
}

function resultOf({ page, title, heading, anchor, text }: HelpSection, terms: ReadonlySet<string>): HelpResult {
  return {
    url: `/help/${page}${anchor && `#${encodeURIComponent(anchor)}`}`,
    title: highlight(title, terms),
    heading: highlight(heading, terms),
    excerpt: highlight(excerptOf(text, terms), terms),
  };
}

/** Splits a text into matches and the parts between. */
function highlight(text: string, terms: ReadonlySet<string>): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (!terms.has(normalize(word))) continue;
    if (index > end) parts.push({ text: text.slice(end, index), isMatch: false });
    parts.push({ text: word, isMatch: true });
    end = index + word.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), isMatch: false });
  return parts;
}

/** Cuts a text to the surroundings of the first match, at words. */
function excerptOf(text: string, terms: ReadonlySet<string>): string {
  const match = [...text.matchAll(WORD)].find(({ 0: word }) => terms.has(normalize(word)));
  const from = match && match.index > EXCERPT_LEAD ? text.indexOf(" ", match.index - EXCERPT_LEAD) + 1 : 0;
  if (text.length - from <= EXCERPT_LENGTH) return `${from > 0 ? "… " : ""}${text.slice(from)}`;
  const cut = text.slice(from, from + EXCERPT_LENGTH);
  return `${from > 0 ? "… " : ""}${cut.slice(0, Math.max(cut.lastIndexOf(" "), EXCERPT_LENGTH / 2))} …`;
}
