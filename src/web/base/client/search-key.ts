/** The search of the top bar, and Ctrl+K, which leads to it: in a document to its pages, and everywhere to all documents. */
import { SITE_PREFIX } from "./api.ts";

const isInDocument = (): boolean => document.body.dataset["document"] !== undefined;

/**
 * Focuses the search field of the page. Where it has none, a document asks for one of its pages, and other pages lead to
 * the home page, whose field gets the focus.
 */
export function initSearchKey(): void {
  document.addEventListener("keydown", (event) => {
    const isShortcut = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key === "k";
    // Editors of code have keys of their own.
    if (!isShortcut || event.defaultPrevented || document.querySelector("dialog:modal")) return;
    if (document.documentElement.dataset["user"] === undefined && !isInDocument()) return;
    event.preventDefault();
    const field = [...document.querySelectorAll<HTMLInputElement>("#search, .top-bar .search input")].find((each) =>
      each.checkVisibility(),
    );
    if (field) field.select();
    else openSearch();
  });
  if (isInDocument()) searchDocument();
}

/** The page of the search, for a script that cannot be loaded, too. */
const leave = (): void => location.assign(`${SITE_PREFIX}/#search`);

function openSearch(): void {
  if (isInDocument()) import("./pages/go-to.ts").then(({ openGoTo }) => openGoTo()).catch(leave);
  else leave();
}

/** The field and the links of the search find pages, too. The script loads on first use. */
function searchDocument(): void {
  const form = document.querySelector<HTMLFormElement>(".top-bar .search");
  form?.addEventListener(
    "focusin",
    () => {
      // Enter sends the form without the script, too.
      import("./pages/go-to.ts").then(({ attachGoTo }) => attachGoTo(form)).catch(() => {});
    },
    { once: true },
  );
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element && event.target.closest(".top-bar a[data-search]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    link.closest("details")?.removeAttribute("open");
    openSearch();
  });
}
