import type { DocumentGrant } from "../access.ts";
import type { OpenDocument } from "../doc/document.ts";
import { noChanges } from "../doc/history/changes.ts";
import { changesJson } from "../doc/history/changes-json.ts";
import { changesBetween, findStretch } from "../doc/history/compare.ts";
import { relate, type Relationship } from "../doc/history/relate.ts";
import { type DescribedPage, describeStates } from "../doc/history/described.ts";
import { hashWithoutContent, listStates, removeStates as forgetStates, type State } from "../doc/history/states.ts";
import { isNarrowed } from "../doc/read/seen.ts";
import { RemoveStatesBody } from "../wire/history.ts";
import { parseJson, shaped } from "../payload.ts";
import type { Rendered } from "./rendered.ts";
import { type Conditional, renderPieces, renderValue } from "./render.ts";
import { verb } from "./verb.ts";
import { type Written, written } from "./write.ts";

interface StretchArgs {
  /** HEAD or a hash, with ~n or ^ behind it; HEAD when absent or empty. */
  readonly left?: string | undefined;
  readonly right?: string | undefined;
  /** No limit when absent. */
  readonly maxRows?: number | undefined;
}

interface CompareArgs extends Conditional, StretchArgs {}

interface DescribeArgs {
  /** Only states before this one; null from the newest on. */
  readonly before: number | null;
  readonly limit: number;
}

interface RemoveStatesArgs {
  /** JSON as of `RemoveStatesBody`. */
  readonly body: Uint8Array | null;
}

interface RelateArgs {
  /** The states of another document, newest first. */
  readonly others: readonly State[];
}

export type { DescribedPage, DescribedState, DescribedTable } from "../doc/history/described.ts";

/** The verbs about the history of a document. */
export const historyVerbs = {
  "states.list": verb({
    needs: "viewers",
    underRules: "kept",
    run: (document, grant, args: Conditional) =>
      renderValue(document, grant, args, () => {
        const states = listStates(document.db);
        if (!isNarrowed(document, grant)) return { states };
        return { states: states.map(({ n }) => ({ n, h: hashWithoutContent(n) })) };
      }),
  }),
  /** States with when, by whom and what was done, a page of them. */
  "states.describe": verb({
    needs: "viewers",
    underRules: "copies",
    run: ({ db }: OpenDocument, _grant: DocumentGrant, args: DescribeArgs): DescribedPage => describeStates(db, args),
  }),
  "states.remove": verb({ needs: "owners", run: removeStates }),
  "states.compare": verb({ needs: "viewers", underRules: "copies", run: compareStates }),
  /** The states as they are, for comparing two documents. */
  "history.states": verb({
    needs: "viewers",
    underRules: "copies",
    run: (document, _grant, _args: object) => listStates(document.db),
  }),
  /** How this document, as the left one, relates to another. */
  "history.relate": verb({
    needs: "viewers",
    underRules: "copies",
    run: (document, _grant, { others }: RelateArgs): Relationship => relate(listStates(document.db), others),
  }),
  /** What happened between two states, as JSON. */
  "history.changes": verb({ needs: "viewers", underRules: "copies", run: tellChanges }),
};

function removeStates(document: OpenDocument, _grant: DocumentGrant, args: RemoveStatesArgs): Written {
  const { keep } = shaped(RemoveStatesBody, parseJson(args.body), "body");
  forgetStates(document, keep);
  return written(null);
}

function compareStates(document: OpenDocument, grant: DocumentGrant, args: CompareArgs): Rendered {
  return renderPieces(document, grant, args, () => {
    const stretch = stretchOf(document, args);
    const changes = changesBetween(document.db, stretch, optionsOf(args));
    const { left, right } = stretch;
    const summary = left.h === right.h ? "same" : "right";
    return comparisonJson({ left, right, parent: left, summary }, changes);
  });
}

function* comparisonJson(head: object, changes: ReturnType<typeof noChanges>): Generator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"details":{"leftChanges":`;
  yield* changesJson(noChanges());
  yield `,"rightChanges":`;
  yield* changesJson(changes);
  yield "}}";
}

const encoder = new TextEncoder();

function tellChanges(document: OpenDocument, _grant: DocumentGrant, args: StretchArgs): Written {
  const changes = changesBetween(document.db, stretchOf(document, args), optionsOf(args));
  return { bytes: encoder.encode([...changesJson(changes)].join("")) };
}

const stretchOf = (document: OpenDocument, { left, right }: StretchArgs) =>
  findStretch(document.db, { left: left || "HEAD", right: right || "HEAD" });

const optionsOf = ({ maxRows = Number.POSITIVE_INFINITY }: StretchArgs) => ({ maxRows });
