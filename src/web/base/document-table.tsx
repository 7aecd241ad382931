/** Lists of documents. Roles are explicit, because browsers drop those of tables with another `display`. */
import type { FC } from "hono/jsx";
import type { EffectiveRole } from "../../authorization.ts";
import type { DocumentSummary } from "../../wire/documents/documents.ts";
import { Badge, Icon, Name, ROLE_NAMES, TimeElement } from "./components.tsx";
import { sortRows, type SortColumn } from "./list-choice.ts";
import { useListChoice } from "./list-choice-context.ts";
import { useLanguage, useTexts, type PageTexts } from "./page-texts.tsx";
import { formatSize } from "./sizes.ts";

/** A document with its place. */
export interface ListedDocument extends Pick<
  DocumentSummary,
  "uuid" | "name" | "access" | "isPinned" | "updatedAt" | "sizeBytes"
> {
  readonly workspace: { readonly id: number; readonly name: string };
  readonly siteRole: EffectiveRole;
  /** When the user opened it. */
  readonly openedAt?: string;
}

export interface DocumentTableProps {
  documents: readonly ListedDocument[];
  /** The accessible name of the table. */
  label: string;
  /** Path prefix of links. */
  prefix: string;
  /** The second column; the role by default. A list of several workspaces shows those. */
  shows?: "role" | "workspace";
  /** The time in the list; of the last change by default. */
  time?: "changed" | "opened";
  /** Distinguishes the ids of the rows of several lists of the same documents. */
  idPrefix?: string;
  /** Whether headers sort it; its order is fixed otherwise. */
  isSortable?: boolean;
  /** Rows above this number are hidden, until the page's script shows them. */
  shownRows?: number;
}

export const DocumentTable: FC<DocumentTableProps> = ({
  documents,
  label,
  shownRows,
  isSortable = true,
  ...options
}) => {
  const t = useTexts();
  const choice = useListChoice();
  const { locale } = useLanguage();
  const rows = isSortable ? sortRows(documents, choice, locale) : documents;
  const { shows = "role", time = "changed" } = options;
  return (
    <table class={`documents with-${shows}`} role="table" aria-label={label}>
      <thead role="rowgroup">
        <tr role="row">
          <Header label={t("base.documents.name")} column={isSortable ? "name" : null} />
          {shows === "role" ? (
            <Header label={t("base.documents.role")} column={null} />
          ) : (
            <Header label={t("base.documents.workspace")} column={isSortable ? "workspace" : null} />
          )}
          {time === "changed" ? (
            <Header label={t("base.documents.changed")} column={isSortable ? "changed" : null} />
          ) : (
            <Header label={t("base.documents.opened")} column={null} />
          )}
          <Header label={t("base.documents.size")} column={isSortable ? "size" : null} isNumber />
          <th role="columnheader" scope="col" class="scripted">
            <span class="unseen">{t("base.documents.actions")}</span>
          </th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((document, at) => (
          <DocumentRow document={document} isHidden={shownRows !== undefined && at >= shownRows} {...options} />
        ))}
      </tbody>
    </table>
  );
};

interface HeaderProps {
  label: string;
  /** Sorts by this column; null if it does not. */
  column: SortColumn | null;
  isNumber?: boolean;
}

const Header: FC<HeaderProps> = ({ label, column, isNumber = false }) => {
  const { sort, isDescending } = useListChoice();
  const isCurrent = column !== null && column === sort;
  return (
    <th
      role="columnheader"
      scope="col"
      {...(isNumber && { class: "number" })}
      {...(isCurrent && { "aria-sort": isDescending ? "descending" : "ascending" })}
    >
      {column === null ? (
        label
      ) : (
        <>
          <button type="button" class="bare sort scripted" data-do="sort" data-column={column} data-label={label}>
            {label}
            {isCurrent && <Icon name={isDescending ? "arrow-down" : "arrow-up"} />}
          </button>
          {/* Where the heading is not shown, or nothing runs a script. */}
          <span class="sort-label">{label}</span>
        </>
      )}
    </th>
  );
};

interface DocumentRowProps extends Omit<DocumentTableProps, "documents" | "label" | "shownRows" | "isSortable"> {
  document: ListedDocument;
  isHidden: boolean;
}

const DocumentRow: FC<DocumentRowProps> = ({ document, prefix, shows = "role", time, idPrefix = "", isHidden }) => {
  const t = useTexts();
  const { uuid, name, access, isPinned, updatedAt, openedAt, sizeBytes, workspace, siteRole } = document;
  return (
    <tr
      role="row"
      id={`${idPrefix}doc-${uuid}`}
      data-doc={uuid}
      data-name={name}
      data-role={access ?? ""}
      data-in-workspace={workspace.id}
      data-site-role={siteRole}
      hidden={isHidden}
      {...(isPinned && { "data-pinned": "" })}
      {...(access === "owners" && { draggable: true })}
    >
      <th role="rowheader" scope="row" class="name">
        <Icon name={isPinned ? "pin" : "file-text"} />
        {/* Editors of a workspace also see its documents that they cannot open. */}
        {access === null ? (
          <span>
            <DisplayName name={name} />
          </span>
        ) : (
          <a href={`${prefix}/docs/${uuid}`} draggable={false}>
            <DisplayName name={name} />
          </a>
        )}
        {isPinned && <span class="unseen"> {t("base.documents.pinned")}</span>}
      </th>
      {shows === "workspace" ? (
        <td role="cell" class="in-workspace">
          <DisplayName name={workspace.name} />
        </td>
      ) : (
        <td role="cell" class="role">
          {access === null ? <Badge text={t("base.role.none")} /> : t(ROLE_NAMES[access])}
        </td>
      )}
      <td role="cell" class="changed">
        <TimeElement at={time === "opened" && openedAt !== undefined ? openedAt : updatedAt} />
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
