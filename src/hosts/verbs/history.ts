import type { DocumentGrant } from "../../authorization.ts";
import type { OpenDocument } from "../../doc/document.ts";
import { type ChangeFeedBatch, type ChangeFeedPosition, readChangeFeed } from "../../doc/events/change-feed.ts";
import { emptyChanges } from "../../doc/history/changes.ts";
import { changesJson } from "../../doc/history/changes-json.ts";
import { changesBetween, findStateRange } from "../../doc/history/compare-states.ts";
import { findStateAt, type FoundState } from "../../doc/history/past/find-state-at.ts";
import { relate, type Relationship } from "../../doc/history/relate-histories.ts";
import { type DescribedPart, type StatesPage, describeStates } from "../../doc/history/states-page.ts";
import { maskedHash, listStates, removeOldStates as forgetStates, type State } from "../../doc/history/states.ts";
import { type HistoryRetention, readRetention, setRetention } from "../../doc/history/kept-states.ts";
import { isRestricted } from "../../doc/read/visibility-filter.ts";
import { RemoveStatesBody } from "../../wire/documents/history.ts";
import { parseJson, validate } from "../../payload.ts";
import { type ConditionalArgs, renderChunks, renderValue, type Rendered } from "./render.ts";
import { verb } from "./verb.ts";
import { type JsonResult, jsonResult } from "./apply-actions.ts";

interface StateRangeArgs {
  /** HEAD or a hash, optionally followed by ~n or ^; HEAD when absent or empty. */
  readonly left?: string | undefined;
  readonly right?: string | undefined;
  /** No limit when absent. */
  readonly maxRows?: number | undefined;
}

interface CompareArgs extends ConditionalArgs, StateRangeArgs {}

interface RemoveStatesArgs {
  /** JSON that matches `RemoveStatesBody`. */
  readonly body: Uint8Array | null;
}

interface ChangesSinceArgs {
  /** The caller's position in the change feed; null for a new subscriber. */
  readonly from: ChangeFeedPosition | null;
}

interface RelateArgs {
  /** The states of another document, newest first. */
  readonly otherStates: readonly State[];
}

export type {
  ChangeFeedBatch,
  ChangeFeedEntry,
  ChangeFeedPosition,
  TableChangeEntry,
} from "../../doc/events/change-feed.ts";
export type { StateDetails, TableChangeDetails } from "../../doc/history/state-details.ts";
export type { StatesPage } from "../../doc/history/states-page.ts";

/** Verbs for the history of a document, and the one behind event streams. */
export const historyVerbs = {
  "states.list": verb({
    needs: "viewers",
    reads: "snapshot",
    underRules: "enforced",
    run: (document, grant, args: ConditionalArgs) =>
      renderValue(document, grant, args, () => {
        const states = listStates(document.db);
        if (!isRestricted(document, grant)) return { states };
        return { states: states.map(({ n }) => ({ n, h: maskedHash(n) })) };
      }),
  }),
  /** One page of states with time, author and description. */
  "states.describe": verb({
    needs: "viewers",
    reads: "snapshot",
    underRules: "requiresFullAccess",
    run: ({ db }: OpenDocument, _grant: DocumentGrant, args: DescribedPart): StatesPage => describeStates(db, args),
  }),
  /** Finds the state that `at` names; see `findStateAt`. Access is checked first, so that a refusal tells nothing about it. */
  "states.at": verb({
    needs: "viewers",
    reads: "snapshot",
    underRules: "requiresFullAccess",
    run: (document: OpenDocument, _grant: DocumentGrant, { at }: { readonly at: string }): FoundState =>
      findStateAt(document, at),
  }),
  "states.remove": verb({ needs: "owners", changes: "none", run: removeStates }),
  /** How many states the document keeps. */
  "states.retention": verb({
    needs: "viewers",
    reads: "snapshot",
    underRules: "unaffected",
    run: (document: OpenDocument, _grant: DocumentGrant, _args: null): HistoryRetention => readRetention(document),
  }),
  "states.keep": verb({
    needs: "owners",
    changes: "none",
    underRules: "unaffected",
    run(
      document: OpenDocument,
      _grant: DocumentGrant,
      { states }: { readonly states: number | null },
    ): HistoryRetention {
      setRetention(document, states);
      return readRetention(document);
    },
  }),
  "states.compare": verb({ needs: "viewers", reads: "snapshot", underRules: "requiresFullAccess", run: compareStates }),
  /** The states with their real hashes, for comparing two documents. */
  "history.states": verb({
    needs: "viewers",
    reads: "snapshot",
    underRules: "requiresFullAccess",
    run: (document, _grant, _args: object) => listStates(document.db),
  }),
  /** The relationship of this document (left) to another one. */
  "history.relate": verb({
    needs: "viewers",
    reads: "snapshot",
    underRules: "requiresFullAccess",
    run: (document, _grant, { otherStates }: RelateArgs): Relationship => relate(listStates(document.db), otherStates),
  }),
  /** The changes between two states, as JSON. */
  "history.changes": verb({ needs: "viewers", reads: "snapshot", underRules: "requiresFullAccess", run: readChanges }),
  "events.since": verb({
    needs: "viewers",
    reads: "snapshot",
    underRules: "enforced",
    run: (document: OpenDocument, grant: DocumentGrant, { from }: ChangesSinceArgs): ChangeFeedBatch =>
      readChangeFeed(document, grant, from),
  }),
};

function removeStates(document: OpenDocument, _grant: DocumentGrant, args: RemoveStatesArgs): JsonResult {
  const { keep } = validate(RemoveStatesBody, parseJson(args.body), "body");
  forgetStates(document, keep);
  return jsonResult(null);
}

function compareStates(document: OpenDocument, grant: DocumentGrant, args: CompareArgs): Rendered {
  return renderChunks(document, grant, args, () => {
    const range = stateRangeOf(document, args);
    const changes = changesBetween(document.db, range, optionsOf(args));
    const { left, right } = range;
    const summary = left.h === right.h ? "same" : "right";
    return comparisonJson({ left, right, parent: left, summary }, changes);
  });
}

function* comparisonJson(head: object, changes: ReturnType<typeof emptyChanges>): Generator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"details":{"leftChanges":`;
  yield* changesJson(emptyChanges());
  yield `,"rightChanges":`;
  yield* changesJson(changes);
  yield "}}";
}

const encoder = new TextEncoder();

function readChanges(document: OpenDocument, _grant: DocumentGrant, args: StateRangeArgs): JsonResult {
  const changes = changesBetween(document.db, stateRangeOf(document, args), optionsOf(args));
  return { bytes: encoder.encode([...changesJson(changes)].join("")) };
}

const stateRangeOf = (document: OpenDocument, { left, right }: StateRangeArgs) =>
  findStateRange(document.db, { left: left || "HEAD", right: right || "HEAD" });

const optionsOf = ({ maxRows = Number.POSITIVE_INFINITY }: StateRangeArgs) => ({ maxRows });
