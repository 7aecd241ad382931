import type { DocumentGrant } from "../../authorization.ts";
import { AppError } from "../../errors.ts";
import type { Catalog } from "../actions/catalog.ts";
import type { OpenDocument } from "../document.ts";
import { userInfo } from "../user-info.ts";
import type { UndoDraft } from "./draft.ts";
import type { PresentReader } from "./present-rows.ts";
import { settleReferences } from "./settle-references.ts";
import { dropForbidden } from "./write-permissions.ts";

interface SettleDraftOptions {
  readonly document: OpenDocument;
  readonly grant: DocumentGrant;
  readonly catalog: Catalog;
  readonly reader: PresentReader;
  /** For the message about too many items: what would happen to them, and how to have fewer. */
  readonly wording: { readonly done: string; readonly remedy: string };
}

/** Cells and rows of one undo: it is one change, and blocks all others while it is made. */
const MAX_ITEMS = 50_000;

/**
 * Completes a planned draft: limits its size, and drops the parts that the caller may not apply or that would leave references
 * to nothing.
 * @throws AppError `undo.too_large`
 */
export function settleDraft(draft: UndoDraft, options: SettleDraftOptions): void {
  const { document, grant, catalog, reader, wording } = options;
  const items = itemsOf(draft);
  if (items > MAX_ITEMS) {
    throw new AppError(
      "undo.too_large",
      `${items} cells and rows would be ${wording.done}, and the limit is ${MAX_ITEMS}; ${wording.remedy}, or restore a snapshot`,
    );
  }
  const { db, schema } = document;
  dropForbidden(document, draft, { catalog, rules: document.accessOf(userInfo(grant)) });
  settleReferences(draft, { db, catalog, schema, knowsRowsOf: (table) => reader.knowsRowsOf(table) });
}

function itemsOf({ cells, removed, restored }: UndoDraft): number {
  const sizes = [...cells.values()].flatMap((columns) => [...columns.values()]);
  return [...sizes, ...removed.values(), ...restored.values()].reduce((sum, { size }) => sum + size, 0);
}
