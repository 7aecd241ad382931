import { PAGE_ROWS } from "../../../../base/table-data.ts";

/** Fast scrolling loads more rows per request. */
const MAX_PAGES_PER_REQUEST = 20;

export interface PageRange {
  readonly page: number;
  readonly count: number;
}

export interface ViewedPages {
  /** The rows in view. */
  readonly first: number;
  readonly last: number;
  /** The pages that contain them. */
  readonly shown: readonly number[];
  /** The page of the active row, which is described to assistive technology; null for none. */
  readonly active: number | null;
  /** How many rows are scrolled past until a response arrives; null where that says nothing about pages. */
  readonly rowsPerResponse: number | null;
  readonly isMissing: (page: number) => boolean;
}

/** Returns the pages to load next: those in view, then their neighbours. */
export function nextPages(view: ViewedPages): PageRange | null {
  const { first, last, shown, active, rowsPerResponse, isMissing } = view;
  const speed = Math.abs(rowsPerResponse ?? 0);
  // The scroll bar is dragged faster than rows can be followed: what is in view now may stay there.
  const isJump = speed > MAX_PAGES_PER_REQUEST * PAGE_ROWS;
  if (rowsPerResponse !== null && speed > PAGE_ROWS / 2 && !isJump) return prefetchRange(rowsPerResponse, view);
  const wanted = rowsPerResponse === null || isJump ? shown : [...shown, pageOf(last) + 1, pageOf(first) - 1];
  const page = wanted.find(isMissing);
  if (page === undefined) return active !== null && isMissing(active) ? { page: active, count: 1 } : null;
  return { page, count: wanted.includes(page + 1) && isMissing(page + 1) ? 2 : 1 };
}

/**
 * For fast scrolling: predicts the pages in view from the arrival of the response to that of the next one.
 * @param passed number of rows scrolled until then; negative towards the first
 */
function prefetchRange(passed: number, { first, last, shown, isMissing }: ViewedPages): PageRange | null {
  const step = Math.sign(passed);
  // Prefers too near over too far: rows scrolled past would stay blank.
  const begin = pageOf((step > 0 ? first : last) + passed / 2);
  const maxPages = Math.min(MAX_PAGES_PER_REQUEST, 1 + Math.ceil((2 * Math.abs(passed)) / PAGE_ROWS));
  const ahead = Array.from({ length: 2 * maxPages }, (_, at) => begin + step * at);
  const page = ahead.find(isMissing) ?? null;
  // Beyond the end, or all loaded: loads the rows in view when scrolling stops.
  if (page === null) {
    const inView = shown.find(isMissing);
    return inView === undefined ? null : { page: inView, count: 1 };
  }
  let count = 1;
  while (count < maxPages && isMissing(page + step * count)) count++;
  return { page: step < 0 ? page - count + 1 : page, count };
}

export const pageOf = (row: number): number => Math.floor(row / PAGE_ROWS);
