/**
 * Operations on the content of documents, which pass their grant and arguments to the document's worker. Their meaning
 * and refusals are defined there.
 */
import type { DocumentGrant } from "../../authorization.ts";
import type { CacheCondition, PastVerb, Rendered } from "../../hosts/documents.ts";
import type { VerbArgs, VerbName, VerbResult } from "../../hosts/verbs/verbs.ts";
import type { Context } from "../context.ts";

export type { CacheCondition, Rendered, VerbArgs };

/** Returns the operation of documents with a name. */
const contentVerb =
  <V extends VerbName>(name: V) =>
  ({ documents }: Context, grant: DocumentGrant, args: VerbArgs<V>): Promise<VerbResult<V>> =>
    documents.call(grant, name, args);

/** What a read of records returns; `state` is the number of the past state that it is from. */
export type RenderedState = Rendered & { readonly state?: number };

/** As `contentVerb`, for reads that can be of a past state, which `at` names; empty texts count as absent. */
const readVerb =
  <V extends PastVerb>(verb: V) =>
  async (
    { documents }: Context,
    grant: DocumentGrant,
    { at, ...args }: VerbArgs<V> & { readonly at?: string | undefined },
  ): Promise<RenderedState> => {
    const verbArgs = args as unknown as VerbArgs<V>;
    if (!at) return (await documents.call(grant, verb, verbArgs)) as Rendered;
    const { state, result } = await documents.callAt(grant, at, { verb, args: verbArgs });
    return { ...result, state };
  };

export const listTables = contentVerb("tables.list");
export const describeRowLimits = contentVerb("tables.rowLimits");
export const describeTypes = contentVerb("tables.types");
export const listColumns = contentVerb("columns.list");
export const fetchRecords = readVerb("records.fetch");
export const listRecords = readVerb("records.list");
export const fetchData = readVerb("data.fetch");

export const listFormulaErrors = contentVerb("formulas.errors");
export const checkFormula = contentVerb("formulas.check");
export const explainCell = contentVerb("cells.explain");

export const describeTiming = contentVerb("timing.get");
export const startTiming = contentVerb("timing.start");
export const stopTiming = contentVerb("timing.stop");

export const addTables = contentVerb("tables.add");
export const modifyTables = contentVerb("tables.modify");
export const deleteTable = contentVerb("tables.delete");
export const addColumns = contentVerb("columns.add");
export const modifyColumns = contentVerb("columns.modify");
export const putColumns = contentVerb("columns.put");
export const convertColumn = contentVerb("columns.convert");
export const previewColumnConversion = contentVerb("columns.previewConversion");
export const deleteColumn = contentVerb("columns.delete");

export const getRecord = readVerb("record.get");
export const modifyRecord = contentVerb("record.modify");
export const deleteRecord = contentVerb("record.delete");

export const aggregateRecords = readVerb("records.aggregate");

export const searchDocument = contentVerb("document.search");

export const addRecords = contentVerb("records.add");
export const modifyRecords = contentVerb("records.modify");
export const upsertRecords = contentVerb("records.upsert");
export const changeMatchingRecords = contentVerb("records.change");
export const estimateChange = contentVerb("records.changeSize");
export const runBatch = contentVerb("records.batch");
export const deleteRecords = contentVerb("records.delete");
export const addData = contentVerb("data.add");
export const modifyData = contentVerb("data.modify");
export const deleteData = contentVerb("data.delete");

export const describeDocumentUsage = contentVerb("document.usage");

export const mayCopy = contentVerb("document.mayCopy");

export const exportDelimited = readVerb("export.delimited");
export const exportSchema = readVerb("export.schema");
export const exportSheet = readVerb("export.sheet");
export const exportWorkbook = readVerb("export.workbook");

export const applyActions = contentVerb("actions.apply");

export const listStates = contentVerb("states.list");
export const restoreState = contentVerb("states.restore");
export const undoState = contentVerb("states.undo");
export const planUndo = contentVerb("undo.plan");
export const applyUndo = contentVerb("undo.apply");
export const planRestore = contentVerb("restore.plan");
export const applyRestore = contentVerb("restore.apply");
export const compareStates = contentVerb("states.compare");

export const listAttachments = contentVerb("attachments.list");
export const describeAttachment = contentVerb("attachments.get");

/** Returns the next chunk of a response that is too large for one message; null at its end. */
export const nextChunk = (
  { documents }: Context,
  { uuid }: DocumentGrant,
  cursor: string,
): Promise<Uint8Array | null> => documents.next(uuid, cursor);

/** Discards the rest of a response. */
export const releaseCursor = ({ documents }: Context, { uuid }: DocumentGrant, cursor: string): Promise<void> =>
  documents.release(uuid, cursor);
