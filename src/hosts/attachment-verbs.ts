import type { DocumentGrant } from "../access.ts";
import type { UserAction } from "../doc/actions/engine.ts";
import { checkMaySee, type WhichAttachment } from "../doc/attachments/access.ts";
import {
  type ContentPlace,
  contentPlaces,
  type InsideContent,
  noteMoved,
  noteStored,
  putInside,
  readInside,
  type RestoredContent,
  type StoredContent,
  storedContents,
} from "../doc/attachments/contents.ts";
import {
  attachmentInfo,
  attachmentPieces,
  countContents,
  findAttachment,
  type FoundAttachment,
  listContents,
} from "../doc/attachments/listing.ts";
import { dropUnreferenced, EXPIRY_MS, markingActions, removingActions } from "../doc/attachments/use.ts";
import type { OpenDocument } from "../doc/document.ts";
import { parseFilter } from "../doc/read/filter.ts";
import { parseLimit, selectRows } from "../doc/read/query.ts";
import { seenBy } from "../doc/read/seen.ts";
import { parseSort, splitSort } from "../doc/read/sort.ts";
import { type Conditional, renderPieces, renderValue } from "./render.ts";
import type { Rendered } from "./rendered.ts";
import { verb } from "./verb.ts";
import { applyFor } from "./write.ts";

export type { ContentPlace, FoundAttachment, InsideContent, RestoredContent, StoredContent, WhichAttachment };

/** All as in the query; empty texts count as absent. */
interface ListArgs extends Conditional {
  readonly filter?: string | undefined;
  readonly sort?: string | undefined;
  readonly limit?: string | undefined;
}

interface DescribeArgs extends WhichAttachment, Conditional {}

interface ReadArgs {
  readonly ident: string;
  readonly start: number;
  /** The first byte that is not wanted any more. */
  readonly end: number;
}

/** A file that becomes an attachment. Its content is in the document's file, in a store, or comes along. */
export interface NewAttachment {
  readonly fileName: string;
  readonly fileExt: string;
  readonly ident: string;
  readonly sizeBytes: number;
  /** In pixels; 0 for what is no picture. */
  readonly width: number;
  readonly height: number;
}

interface AddArgs {
  readonly files: readonly NewAttachment[];
  /** Contents that come along. */
  readonly contents: readonly InsideContent[];
  /** Contents that were put into a store just now. */
  readonly stored: readonly RestoredContent[];
}

/** `lost` are the contents that were removed again since they were looked for: nothing is added then. */
export type Added =
  | { readonly kind: "added"; readonly ids: readonly number[] }
  | { readonly kind: "lost"; readonly idents: readonly string[] };

/** The verbs about attachments and their contents. */
export const attachmentVerbs = {
  "attachments.list": verb({ needs: "viewers", underRules: "kept", run: listAttachments }),
  "attachments.get": verb({
    needs: "viewers",
    underRules: "kept",
    run(document, grant, args: DescribeArgs): Rendered {
      // Whoever may not see it need not know whether there is one.
      checkMaySee(document, grant, args);
      return renderValue(document, grant, args, () => attachmentInfo(document, args.id));
    },
  }),
  "attachments.find": verb({
    needs: "viewers",
    underRules: "kept",
    run(document, grant, which: WhichAttachment): FoundAttachment {
      const found = findAttachment(document, which.id);
      checkMaySee(document, grant, which);
      return found;
    },
  }),
  /** One attachment for each content. */
  "attachments.contents": verb({
    needs: "viewers",
    underRules: "copies",
    run: (document, _grant, _args: object): FoundAttachment[] => listContents(document),
  }),
  /** How many contents there are, and in which stores. */
  "attachments.count": verb({
    needs: "viewers",
    underRules: "untouched",
    run: (document, _grant, _args: object) => countContents(document),
  }),
  /** Bytes of a content in the document's file. For what was found by the verbs above, which see to the rules. */
  "attachments.read": verb({
    needs: "viewers",
    underRules: "kept",
    run: ({ db }, _grant, { ident, start, end }: ReadArgs): Uint8Array | null => readInside(db, ident, { start, end }),
  }),
  /** Contents that are in stores. */
  "attachments.stored": verb({
    needs: "viewers",
    underRules: "copies",
    run: ({ db }, _grant, _args: object): StoredContent[] => storedContents(db),
  }),
  "attachments.places": verb({
    needs: "viewers",
    underRules: "untouched",
    run: ({ db }, _grant, { idents }: { idents: readonly string[] }): (ContentPlace | null)[] =>
      contentPlaces(db, idents),
  }),
  /** Puts contents into the document's file. */
  "attachments.put": verb({
    needs: "editors",
    underRules: "untouched",
    run: ({ db }, _grant, { contents }: { contents: readonly InsideContent[] }): void =>
      db.transaction(() => putInside(db, contents)),
  }),
  /** Notes that a content is in a store, and gives up what the document's file has of it. */
  "attachments.moved": verb({
    needs: "owners",
    run: ({ db }, _grant, content: StoredContent): void => noteMoved(db, content),
  }),
  /** Only from cells do others come to see them, and rules are about cells. */
  "attachments.add": verb({ needs: "editors", underRules: "untouched", run: addAttachments }),
  /** Notes which attachments stand in no cell. */
  "attachments.mark": verb({
    needs: "editors",
    underRules: "untouched",
    run: (document, grant, _args: object): void =>
      apply(document, grant, markingActions(document, document.clock.now())),
  }),
  "attachments.removeUnused": verb({ needs: "owners", run: removeUnused }),
  /** By which store the document's settings say that its attachments belong; null for the document itself. */
  "attachments.store": verb({
    needs: "viewers",
    underRules: "untouched",
    run: (document, _grant, _args: object): string | null => storeOf(document),
  }),
  "attachments.chooseStore": verb({ needs: "owners", run: chooseStore }),
};

function listAttachments(document: OpenDocument, grant: DocumentGrant, args: ListArgs): Rendered {
  return renderPieces(document, grant, args, (source) => {
    const seen = seenBy(document, grant).readTable("_grist_Attachments");
    const { table } = seen;
    const selection = selectRows(document, seen, {
      filter: parseFilter(args.filter),
      sort: parseSort(table, splitSort(args.sort)),
      limit: parseLimit(args.limit),
    });
    return attachmentPieces(source, table, selection);
  });
}

function addAttachments(document: OpenDocument, grant: DocumentGrant, args: AddArgs): Added {
  const { db } = document;
  const { files, contents, stored } = args;
  return db.transaction((): Added => {
    putInside(db, contents);
    noteStored(db, stored);
    const idents = [...new Set(files.map(({ ident }) => ident))];
    const places = contentPlaces(db, idents);
    const lost = idents.filter((_, at) => !places[at] || places[at].kind === "lost");
    if (lost.length > 0) return { kind: "lost", idents: lost };
    const row = rowsOf(files, document.clock.now());
    const added = ["BulkAddRecord", "_grist_Attachments", files.map(() => null), row];
    const { retValues } = applyFor(document, grant, [added], OWN_ACCOUNT);
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

/** Answers the contents that lie in stores and have to be removed there. */
function removeUnused(
  document: OpenDocument,
  grant: DocumentGrant,
  { expiredOnly }: { expiredOnly: boolean },
): StoredContent[] {
  const now = document.clock.now();
  return document.db.transaction(() => {
    apply(document, grant, markingActions(document, now));
    apply(document, grant, removingActions(document, expiredOnly ? now - EXPIRY_MS : now));
    return dropUnreferenced(document);
  });
}

/** What rules say of the tables of the metadata is about what callers write there themselves. */
const OWN_ACCOUNT = { noparse: true, rules: "skip" } as const;

/** Nothing to do makes no new state of the document. */
function apply(document: OpenDocument, grant: DocumentGrant, actions: readonly UserAction[]): void {
  if (actions.length > 0) applyFor(document, grant, actions, OWN_ACCOUNT);
}

const SETTING = "attachmentStoreId";

function storeOf({ documentSettings }: OpenDocument): string | null {
  const id = documentSettings[SETTING];
  return typeof id === "string" && id !== "" ? id : null;
}

function chooseStore(document: OpenDocument, grant: DocumentGrant, { storeId }: { storeId: string | null }): void {
  if (storeOf(document) === storeId) return;
  const { [SETTING]: _, ...others } = document.documentSettings;
  const settings = JSON.stringify({ ...others, ...(storeId !== null && { [SETTING]: storeId }) });
  const row = document.db.get<{ id: number }>("select id from _grist_DocInfo order by id limit 1");
  apply(document, grant, [["UpdateRecord", "_grist_DocInfo", row?.id ?? 1, { documentSettings: settings }]]);
}
