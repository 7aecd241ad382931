/** The menu of a row of a table: opens without a script. */
import type { Child, FC } from "hono/jsx";
import { Icon } from "./components.tsx";

/** @param label the accessible name, which contains that of the row */
export const RowActions: FC<{ label: string; children?: Child }> = ({ label, children }) => (
  <details class="menu row-actions">
    <summary aria-label={label} title={label}>
      <Icon name="ellipsis" />
    </summary>
    <div class="items">{children}</div>
  </details>
);
