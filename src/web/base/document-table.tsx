/** Lists of documents. Roles are written out, as browsers forget those of tables that are laid out otherwise. */
import type { FC } from "hono/jsx";
import { formatBytes } from "../../lib/text/formatting.ts";
import type { DocumentSummary } from "../../wire/documents/documents.ts";
import { Badge, Icon, ROLE_NAMES, TimeElement } from "./components.tsx";

interface DocumentTableProps {
  documents: readonly DocumentSummary[];
  /** What the table is called for those who do not see where it stands. */
  label: string;
  /** Before the paths of links. */
  prefix: string;
}

export const DocumentTable: FC<DocumentTableProps> = ({ documents, label, prefix }) => (
  <table class="documents" role="table" aria-label={label}>
    <thead role="rowgroup">
      <tr role="row">
        <th role="columnheader" scope="col">
          Name
        </th>
        <th role="columnheader" scope="col">
          Your role
        </th>
        <th role="columnheader" scope="col">
          Changed
        </th>
        <th role="columnheader" scope="col" class="number">
          Size
        </th>
        <th role="columnheader" scope="col" class="scripted">
          <span class="unseen">Actions</span>
        </th>
      </tr>
    </thead>
    <tbody role="rowgroup">
      {documents.map((document) => (
        <DocumentRow document={document} prefix={prefix} />
      ))}
    </tbody>
  </table>
);

const DocumentRow: FC<{ document: DocumentSummary; prefix: string }> = ({ document, prefix }) => {
  const { uuid, name, access, isPinned, updatedAt, sizeBytes } = document;
  return (
    <tr
      role="row"
      id={`doc-${uuid}`}
      data-doc={uuid}
      data-name={name}
      data-role={access ?? ""}
      {...(isPinned && { "data-pinned": "" })}
    >
      <th role="rowheader" scope="row" class="name">
        <Icon name={isPinned ? "pin" : "document"} />
        {/* Who may add documents to a workspace is told of those that are closed to him, too. */}
        {access === null ? (
          <span>{displayName(name)}</span>
        ) : (
          <a href={`${prefix}/docs/${uuid}`}>{displayName(name)}</a>
        )}
        {isPinned && <span class="unseen"> (pinned)</span>}
      </th>
      <td role="cell" class="role">
        {access === null ? <Badge text="No access" /> : ROLE_NAMES[access]}
      </td>
      <td role="cell" class="changed">
        <TimeElement at={updatedAt} />
      </td>
      <td role="cell" class="number size">
        {sizeBytes === undefined ? "" : formatBytes(sizeBytes)}
      </td>
      <td role="cell" class="actions scripted">
        {access !== null && <MenuButton label={`Actions for ${displayName(name)}`} target="document" />}
      </td>
    </tr>
  );
};

/** Names may be nothing but blanks, and a link needs something to press. */
export const displayName = (name: string): string => (name.trim() === "" ? "(no name)" : name);

/** Opens a menu, which the page's script knows by what it is of. */
export const MenuButton: FC<{ label: string; target: "document" | "workspace" | "site" }> = ({ label, target }) => (
  <button
    type="button"
    class="bare scripted"
    data-menu={target}
    aria-label={label}
    aria-haspopup="menu"
    aria-expanded="false"
  >
    <Icon name="more" />
  </button>
);
