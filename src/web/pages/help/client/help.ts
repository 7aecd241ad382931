/** The documentation: its sidebar, and buttons that copy code. */
import { initHelpSidebar } from "../../../base/client/help-sidebar.ts";
import { copyButton } from "../../../base/client/copy.ts";
import { t } from "../../../base/client/texts.ts";

initHelpSidebar();

for (const block of document.querySelectorAll<HTMLElement>(".doc .code")) {
  const code = () => block.querySelector("code")?.textContent ?? "";
  // Output has no bar.
  block.querySelector(".code-bar")?.append(copyButton(t("help.copyCode"), code));
}

/** Without a script every table and block of code has a tab stop; with it only what scrolls has one. */
const scrollers = [...document.querySelectorAll<HTMLElement>(".doc [tabindex='0']")];
const updateTabStops = () => {
  for (const element of scrollers) {
    if (element.scrollWidth > element.clientWidth) element.tabIndex = 0;
    else element.removeAttribute("tabindex");
  }
};
updateTabStops();
addEventListener("resize", updateTabStops);
