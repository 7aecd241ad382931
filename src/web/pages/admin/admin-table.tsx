/** Tables of the administration. Roles are explicit, because browsers drop those of tables with another `display`. */
import type { Child, FC } from "hono/jsx";
import { useTexts } from "../../base/page-texts.tsx";

interface AdminTableProps {
  /** The accessible name. */
  label: string;
  /** The headers of the columns. */
  headers: Child;
  /** The rows. */
  children?: Child;
}

export const AdminTable: FC<AdminTableProps> = ({ label, headers, children }) => (
  <div class="table-box rows">
    <table role="table">
      <caption class="unseen">{label}</caption>
      <thead role="rowgroup">
        <tr role="row">{headers}</tr>
      </thead>
      <tbody role="rowgroup">{children}</tbody>
    </table>
  </div>
);

/** @param kind `short` for columns that are as wide as their content */
export const ColumnHeader: FC<{ label: string; kind?: "short" | "short number" }> = ({ label, kind }) => (
  <th role="columnheader" scope="col" {...(kind && { class: kind })}>
    {label}
  </th>
);

export const ActionsHeader: FC = () => (
  <th role="columnheader" scope="col" class="actions">
    <span class="unseen">{useTexts()("base.documents.actions")}</span>
  </th>
);
