/** Lists of documents. Roles are explicit, because browsers drop those of tables with another `display`. */
import type { FC } from "hono/jsx";
import { formatBytes } from "../../lib/text/formatting.ts";
import type { DocumentSummary } from "../../wire/documents/documents.ts";
import { Badge, Icon, ROLE_NAMES, TimeElement } from "./components.tsx";

interface DocumentTableProps {
  documents: readonly DocumentSummary[];
  /** The accessible name of the table. */
  label: string;
  /** Path prefix of links. */
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
        {/* Editors of a workspace also see its documents that they cannot open. */}
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

/** Names may be blank, and a link needs content. */
export const displayName = (name: string): string => (name.trim() === "" ? "(no name)" : name);

/** Opens a menu; `data-menu` tells the page's script which one. */
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
