import type { Child, FC } from "hono/jsx";
import { useTexts } from "./page-texts.tsx";

interface SheetFrameProps {
  heading: Child;
  /** Row id of its section on a page with sections, where it completes the ids of the parts. */
  section?: number;
  /** Whether the script shows chips: their row has its place from the start. */
  hasChips: boolean;
  /** Shown in place of the grid without a script. */
  children?: Child;
}

/** The parts of a table that its script fills (`sheet-parts.ts`): toolbar, chips, grid and status line. */
export const SheetFrame: FC<SheetFrameProps> = ({ heading, section, hasChips, children }) => {
  const t = useTexts();
  const idOf = (part: string): string => (section === undefined ? part : `${part}-${section}`);
  // Beside the title where there are several tables.
  const count = <span id={idOf("sheet-count")} class="sheet-count" data-part="count" />;
  return (
    <section class="sheet" id={idOf("sheet")} aria-labelledby={idOf("sheet-name")}>
      <div class="toolbar" id={idOf("toolbar")} data-part="toolbar">
        {section === undefined ? (
          <h1 id={idOf("sheet-name")} class="sheet-name" data-part="name">
            {heading}
          </h1>
        ) : (
          <h2 id={idOf("sheet-name")} class="sheet-name" data-part="name">
            {heading}
          </h2>
        )}
        {section !== undefined && count}
        <div id={idOf("sheet-tools")} class="tools" data-part="tools" />
      </div>
      <div
        id={idOf("sheet-view")}
        class="chips"
        role="list"
        aria-label={t("table.view")}
        hidden={!hasChips}
        data-part="chips"
      />
      <div id={idOf("sheet-problem")} class="sheet-problem" data-part="problem" />
      <div id={idOf("grid-host")} class="grid-host" tabindex={-1} data-part="grid">
        {children}
      </div>
      <div class="status-line">
        {section === undefined && count}
        <span id={idOf("sheet-saving")} data-part="saving" hidden>
          {t("table.saving")}
        </span>
        <span id={idOf("sheet-live")} class="sheet-live" data-part="live" />
        <span id={idOf("cell-status")} data-part="cell" />
        <span id={idOf("sheet-range")} class="sheet-range" data-part="range" />
      </div>
    </section>
  );
};
