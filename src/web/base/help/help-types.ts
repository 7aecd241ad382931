/** The documentation as the build renders it, and as the pages of `/help` read it. */

export interface HelpContents {
  /** The paragraphs before the first chapter, as HTML. */
  readonly introduction: string;
  readonly chapters: readonly HelpChapter[];
}

export interface HelpChapter {
  readonly title: string;
  readonly pages: readonly HelpPageEntry[];
}

export interface HelpPageEntry {
  /** `access-rules`, for `/help/access-rules`. */
  readonly name: string;
  readonly title: string;
  /** One sentence. */
  readonly about: string;
}

export interface HelpPage {
  readonly title: string;
  /** Id of the title, which links from other pages may use. */
  readonly titleId: string;
  /** The second and third level, for "On this page". */
  readonly headings: readonly HelpHeading[];
  readonly html: string;
}

export interface HelpHeading {
  readonly id: string;
  readonly text: string;
  readonly level: 2 | 3;
}

/** A part of a page that a search can find: the text below a heading, or a row of a table. */
export interface HelpSection {
  readonly page: string;
  readonly title: string;
  /** Empty for the text before the first heading. */
  readonly heading: string;
  /** Empty for the top of the page. */
  readonly anchor: string;
  readonly text: string;
  /** True for a row of a table. */
  readonly isRow: boolean;
}

/** The rest of a longer query is ignored. */
export const MAX_QUERY_LENGTH = 200;
