/** Lists of documents. Roles are explicit, because browsers drop those of tables with another `display`. */
import type { FC } from "hono/jsx";
import type { DocumentSummary } from "../../wire/documents/documents.ts";
import { Badge, Icon, Name, ROLE_NAMES, TimeElement } from "./components.tsx";
import { useTexts, type PageTexts } from "./page-texts.tsx";
import { formatSize } from "./sizes.ts";

interface DocumentTableProps {
  documents: readonly DocumentSummary[];
  /** The accessible name of the table. */
  label: string;
  /** Path prefix of links. */
  prefix: string;
}

export const DocumentTable: FC<DocumentTableProps> = ({ documents, label, prefix }) => {
  const t = useTexts();
  return (
    <table class="documents" role="table" aria-label={label}>
      <thead role="rowgroup">
        <tr role="row">
          <th role="columnheader" scope="col">
            {t("base.documents.name")}
          </th>
          <th role="columnheader" scope="col">
            {t("base.documents.role")}
          </th>
          <th role="columnheader" scope="col">
            {t("base.documents.changed")}
          </th>
          <th role="columnheader" scope="col" class="number">
            {t("base.documents.size")}
          </th>
          <th role="columnheader" scope="col" class="scripted">
            <span class="unseen">{t("base.documents.actions")}</span>
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
};

const DocumentRow: FC<{ document: DocumentSummary; prefix: string }> = ({ document, prefix }) => {
  const t = useTexts();
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
        <Icon name={isPinned ? "pin" : "file-text"} />
        {/* Editors of a workspace also see its documents that they cannot open. */}
        {access === null ? (
          <span>
            <DisplayName name={name} />
          </span>
        ) : (
          <a href={`${prefix}/docs/${uuid}`}>
            <DisplayName name={name} />
          </a>
        )}
        {isPinned && <span class="unseen"> {t("base.documents.pinned")}</span>}
      </th>
      <td role="cell" class="role">
        {access === null ? <Badge text={t("base.role.none")} /> : t(ROLE_NAMES[access])}
      </td>
      <td role="cell" class="changed">
        <TimeElement at={updatedAt} />
      </td>
      <td role="cell" class="number size">
        {sizeBytes === undefined ? "" : formatSize(t, sizeBytes)}
      </td>
      <td role="cell" class="actions scripted">
        {access !== null && (
          <MenuButton label={t("base.documents.actionsFor", { name: displayName(t, name) })} target="document" />
        )}
      </td>
    </tr>
  );
};

/** Names may be blank, and a link needs content. */
export const displayName = (t: PageTexts, name: string): string => (name.trim() === "" ? t("base.noName") : name);

/** A name outside of sentences; blank names are replaced by a text. */
export const DisplayName: FC<{ name: string }> = ({ name }) =>
  name.trim() === "" ? <>{useTexts()("base.noName")}</> : <Name text={name} />;

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
    <Icon name="ellipsis" />
  </button>
);
