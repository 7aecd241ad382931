import type { DocumentGrant } from "../../authorization.ts";
import type { UserAction } from "../../doc/actions/apply-user-actions.ts";
import { checkAttachmentAccess, type AttachmentRef } from "../../doc/attachments/attachment-access.ts";
import {
  type ContentLocation,
  contentLocations,
  type EmbeddedContent,
  recordMoved,
  recordStored,
  storeEmbedded,
  readEmbedded,
  type ReuploadedContent,
  type StoredContent,
  listStoredContents,
} from "../../doc/attachments/contents.ts";
import {
  attachmentInfo,
  attachmentChunks,
  countContents,
  findAttachment,
  type FoundAttachment,
  listContents,
} from "../../doc/attachments/listing.ts";
import {
  removeUnreferencedContents,
  EXPIRY_MS,
  markUnusedActions,
  removeUnusedActions,
} from "../../doc/attachments/attachment-usage.ts";
import type { OpenDocument } from "../../doc/document.ts";
import { parseFilter } from "../../doc/filters/parse-filter.ts";
import { parseLimit, selectRows } from "../../doc/read/row-query.ts";
import { visibilityFor } from "../../doc/read/visibility-filter.ts";
import { parseSort, splitSort } from "../../doc/read/parse-sort.ts";
import { type ConditionalArgs, renderChunks, renderValue, type Rendered } from "./render.ts";
import { verb } from "./verb.ts";
import { applyAsCaller } from "./apply-actions.ts";

export type { ContentLocation, FoundAttachment, EmbeddedContent, ReuploadedContent, StoredContent, AttachmentRef };

/** All as in the query string; empty strings count as absent. */
interface ListArgs extends ConditionalArgs {
  readonly filter?: string | undefined;
  readonly sort?: string | undefined;
  readonly limit?: string | undefined;
}

interface DescribeArgs extends AttachmentRef, ConditionalArgs {}

interface ReadArgs {
  readonly ident: string;
  readonly start: number;
  /** The first byte that is not wanted any more. */
  readonly endExclusive: number;
}

/** A file that becomes an attachment. Its content is embedded, in a store, or part of the call. */
export interface NewAttachment {
  readonly fileName: string;
  readonly fileExt: string;
  readonly ident: string;
  readonly sizeBytes: number;
  /** In pixels; 0 for files that are not images. */
  readonly width: number;
  readonly height: number;
}

interface AddArgs {
  readonly files: readonly NewAttachment[];
  /** Contents that are part of the call. */
  readonly contents: readonly EmbeddedContent[];
  /** Contents that were just uploaded to a store. */
  readonly stored: readonly ReuploadedContent[];
}

/** `missing` lists contents that were removed since they were looked up: nothing is added then. */
export type AddAttachmentsResult =
  | { readonly kind: "added"; readonly ids: readonly number[] }
  | { readonly kind: "missing"; readonly idents: readonly string[] };

/** Verbs for attachments and their contents. */
export const attachmentVerbs = {
  "attachments.list": verb({ needs: "viewers", reads: "snapshot", underRules: "enforced", run: listAttachments }),
  "attachments.get": verb({
    needs: "viewers",
    reads: "snapshot",
    underRules: "enforced",
    run(document, grant, args: DescribeArgs): Rendered {
      // Check access first: it must not reveal whether the attachment exists.
      checkAttachmentAccess(document, grant, args);
      return renderValue(document, grant, args, () => attachmentInfo(document, args.id));
    },
  }),
  "attachments.find": verb({
    needs: "viewers",
    reads: "snapshot",
    underRules: "enforced",
    run(document, grant, which: AttachmentRef): FoundAttachment {
      // For a key that is limited to tables, other attachments do not exist.
      if (grant.tables) checkAttachmentAccess(document, grant, which);
      const found = findAttachment(document, which.id);
      checkAttachmentAccess(document, grant, which);
      return found;
    },
  }),
  /** One attachment per content. */
  "attachments.contents": verb({
    needs: "viewers",
    reads: "snapshot",
    underRules: "requiresFullAccess",
    run: (document, _grant, _args: object): FoundAttachment[] => listContents(document),
  }),
  /** Number of contents, in total and per store. */
  "attachments.count": verb({
    needs: "viewers",
    reads: "snapshot",
    underRules: "unaffected",
    run: (document, _grant, _args: object) => countContents(document),
  }),
  /** Bytes of an embedded content. Callers find it with the verbs above, which enforce access rules. */
  "attachments.read": verb({
    needs: "viewers",
    reads: "snapshot",
    underRules: "enforced",
    run: ({ db }, _grant, { ident, start, endExclusive }: ReadArgs): Uint8Array | null =>
      readEmbedded(db, ident, { start, end: endExclusive }),
  }),
  /** Contents in stores. */
  "attachments.stored": verb({
    needs: "viewers",
    reads: "snapshot",
    underRules: "requiresFullAccess",
    run: ({ db }, _grant, _args: object): StoredContent[] => listStoredContents(db),
  }),
  "attachments.locations": verb({
    needs: "viewers",
    reads: "snapshot",
    underRules: "unaffected",
    overForms: true,
    run: ({ db }, _grant, { idents }: { idents: readonly string[] }): (ContentLocation | null)[] =>
      contentLocations(db, idents),
  }),
  /** Embeds contents in the document's file. */
  "attachments.put": verb({
    needs: "editors",
    changes: "none",
    underRules: "unaffected",
    overForms: true,
    run: ({ db }, _grant, { contents }: { contents: readonly EmbeddedContent[] }): void =>
      db.transaction(() => storeEmbedded(db, contents)),
  }),
  /** Records that a content was moved to a store, and removes the embedded copy. */
  "attachments.recordMoved": verb({
    needs: "owners",
    changes: "none",
    run: ({ db }, _grant, content: StoredContent): void => db.transaction(() => recordMoved(db, content)),
  }),
  /** Attachments become visible to others only through cells, which access rules cover. */
  "attachments.add": verb({
    needs: "editors",
    changes: "content",
    underRules: "unaffected",
    overForms: true,
    isApplied: ({ kind }) => kind === "added",
    run: addAttachments,
  }),
  /** Marks attachments that no cell references. */
  "attachments.mark": verb({
    needs: "editors",
    changes: "metadata",
    underRules: "unaffected",
    run: (document, grant, _args: object): void =>
      apply(document, grant, markUnusedActions(document, document.clock.now())),
  }),
  "attachments.removeUnused": verb({ needs: "owners", changes: "metadata", run: removeUnused }),
  /** The store that the document's settings choose for attachments; null for embedding. */
  "attachments.store": verb({
    needs: "viewers",
    reads: "snapshot",
    underRules: "unaffected",
    overForms: true,
    run: (document, _grant, _args: object): string | null => storeOf(document),
  }),
  "attachments.chooseStore": verb({ needs: "owners", changes: "metadata", run: chooseStore }),
};

function listAttachments(document: OpenDocument, grant: DocumentGrant, args: ListArgs): Rendered {
  return renderChunks(document, grant, args, (source) => {
    const seen = visibilityFor(document, grant).readTable("_grist_Attachments");
    const { table } = seen;
    const selection = selectRows(document, seen, {
      filter: parseFilter(args.filter),
      sort: parseSort(table, splitSort(args.sort)),
      limit: parseLimit(args.limit),
    });
    return attachmentChunks(source, table, selection);
  });
}

function addAttachments(document: OpenDocument, grant: DocumentGrant, args: AddArgs): AddAttachmentsResult {
  const { db } = document;
  const { files, contents, stored } = args;
  return db.transaction((): AddAttachmentsResult => {
    storeEmbedded(db, contents);
    recordStored(db, stored);
    const idents = [...new Set(files.map(({ ident }) => ident))];
    const locations = contentLocations(db, idents);
    const missing = idents.filter((_, at) => !locations[at] || locations[at].kind === "missing");
    if (missing.length > 0) return { kind: "missing", idents: missing };
    const row = rowsOf(files, document.clock.now());
    const added = ["BulkAddRecord", "_grist_Attachments", files.map(() => null), row];
    const { retValues } = applyAsCaller(document, grant, [added], SYSTEM_OPTIONS);
    return { kind: "added", ids: retValues[0] as number[] };
  });
}

const rowsOf = (files: readonly NewAttachment[], nowMs: number): Record<string, unknown[]> => ({
  fileIdent: files.map(({ ident }) => ident),
  fileName: files.map(({ fileName }) => fileName),
  fileExt: files.map(({ fileExt }) => fileExt),
  fileSize: files.map(({ sizeBytes }) => sizeBytes),
  imageWidth: files.map(({ width }) => width),
  imageHeight: files.map(({ height }) => height),
  timeUploaded: files.map(() => nowMs),
});

/** Returns the contents that the caller has to delete from stores. */
function removeUnused(
  document: OpenDocument,
  grant: DocumentGrant,
  { expiredOnly }: { expiredOnly: boolean },
): StoredContent[] {
  const now = document.clock.now();
  return document.db.transaction(() => {
    apply(document, grant, markUnusedActions(document, now));
    apply(document, grant, removeUnusedActions(document, expiredOnly ? now - EXPIRY_MS : now));
    return removeUnreferencedContents(document);
  });
}

/** Rules for metadata tables apply to direct writes by callers, not to these. */
const SYSTEM_OPTIONS = { noparse: true, rules: "skip" } as const;

/** An empty list of actions must not create a new state. */
function apply(document: OpenDocument, grant: DocumentGrant, actions: readonly UserAction[]): void {
  if (actions.length > 0) applyAsCaller(document, grant, actions, SYSTEM_OPTIONS);
}

const STORE_SETTING = "attachmentStoreId";

function storeOf({ documentSettings }: OpenDocument): string | null {
  const id = documentSettings[STORE_SETTING];
  return typeof id === "string" && id !== "" ? id : null;
}

function chooseStore(document: OpenDocument, grant: DocumentGrant, { storeId }: { storeId: string | null }): void {
  if (storeOf(document) === storeId) return;
  const { [STORE_SETTING]: _, ...otherSettings } = document.documentSettings;
  const settings = JSON.stringify({ ...otherSettings, ...(storeId !== null && { [STORE_SETTING]: storeId }) });
  const row = document.db.get<{ id: number }>("select id from _grist_DocInfo order by id limit 1");
  apply(document, grant, [["UpdateRecord", "_grist_DocInfo", row?.id ?? 1, { documentSettings: settings }]]);
}
