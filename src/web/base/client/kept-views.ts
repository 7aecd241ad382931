/**
 * The last view of each table, kept in this browser. Links of the sidebar open it; all other addresses show their own view.
 */

const keyOf = (docId: string, table: string): string => `quern.view.${docId}.${table}`;

/** @param query parameters of the address, as text; empty for the default view */
export function keepView(docId: string, table: string, query: string): void {
  try {
    if (query === "") localStorage.removeItem(keyOf(docId, table));
    else localStorage.setItem(keyOf(docId, table), query);
  } catch {
    // Without storage, links open the default view.
  }
}

/** Makes the links of the sidebar open the last view of each table. The server renders them without it. */
export function followKeptViews(tree: HTMLElement): void {
  const follow = ({ target }: Event) => {
    const link = target instanceof Element && target.closest<HTMLAnchorElement>("a[href]");
    if (!link) return;
    const [, docId, table] = /\/docs\/([^/]+)\/tables\/([^/]+)$/.exec(new URL(link.href).pathname) ?? [];
    if (docId === undefined || table === undefined) return;
    link.search = keptView(docId, decodeURIComponent(table));
  };
  // Before the link is followed, opened in a new tab, or copied.
  for (const event of ["pointerdown", "focusin", "click"]) tree.addEventListener(event, follow, { capture: true });
}

function keptView(docId: string, table: string): string {
  try {
    return localStorage.getItem(keyOf(docId, table)) ?? "";
  } catch {
    return "";
  }
}
