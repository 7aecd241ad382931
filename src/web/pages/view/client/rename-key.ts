/** F2 in the title or the tools of a section renames it. */
import type { PageView } from "./page-view.ts";
import { runSectionCommand } from "./section-items.ts";

export function attachRenameKey(page: PageView): void {
  document.addEventListener("keydown", (event) => {
    const { target } = event;
    if (event.key !== "F2" || !page.data.canChangePage || page.isOnly || !(target instanceof Element)) return;
    const leaf = target.closest(".toolbar")?.closest<HTMLElement>(".leaf");
    if (!leaf) return;
    event.preventDefault();
    void runSectionCommand(page, Number(leaf.dataset["section"]), "rename");
  });
}
