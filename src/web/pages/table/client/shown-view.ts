/** Returns the view of the page of the document that the window shows; null on other pages. */
export function shownView(): number | null {
  const view = /\/docs\/[^/]+\/pages\/(\d+)$/.exec(location.pathname)?.[1];
  return view === undefined ? null : Number(view);
}
