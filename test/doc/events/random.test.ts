import { expect, test } from "bun:test";
import { grantChecked, NO_REQUEST_INFO, type DocumentGrant } from "../../../src/authorization.ts";
import type { UserAction } from "../../../src/doc/actions/apply-user-actions.ts";
import { readChangeFeed, type ChangeFeedPosition } from "../../../src/doc/events/change-feed.ts";
import { randomStep } from "../actions/random-actions.ts";
import { Random } from "../../helpers/random.ts";
import { Scratch } from "../actions/scratch.ts";
import { snapshot, type Snapshot } from "../history/snapshot.ts";
import { Reader } from "./reloading-reader.ts";

const SEQUENCES = Number(process.env["QUERN_TEST_SEQUENCES"] ?? 3);
const STEPS = 30;
const seed = Number(process.env["QUERN_TEST_SEED"] ?? Date.now() % 1_000_000);

const owner = grantChecked<DocumentGrant>({
  actor: { kind: "anonymous" },
  request: NO_REQUEST_INFO,
  orgId: 1,
  workspaceId: 1,
  documentId: 1,
  uuid: "scratch",
  role: "owners",
});

test(`a reader that reloads what the feed reports is up to date (QUERN_TEST_SEED=${seed})`, () => {
  for (let own = seed; own < seed + SEQUENCES; own++) runSequence(own);
}, 3_600_000);

interface Moment {
  readonly content: Snapshot;
  readonly place: ChangeFeedPosition;
}

function runSequence(own: number): void {
  using scratch = new Scratch();
  const random = new Random(own);
  const moment = (): Moment => ({
    content: snapshot(scratch),
    place: readChangeFeed(scratch.document, owner, null).position,
  });
  const moments = [moment()];
  const done: UserAction[] = [];
  while (moments.length <= STEPS) {
    const actions = randomStep(scratch, random);
    if (!actions) continue;
    done.push(actions);
    moments.push(moment());
    for (const from of new Set([moments.length - 2, random.below(moments.length)])) {
      const what = [
        `QUERN_TEST_SEED=${own} QUERN_TEST_SEQUENCES=1`,
        ...done.slice(from).map((one) => JSON.stringify(one)),
      ];
      check(scratch, moments[from], what.join("\n"));
    }
  }
}

/** Checks the feed both from memory and from the history. */
function check(scratch: Scratch, from: Moment | undefined, what: string): void {
  if (!from) throw new Error("every step has its moment");
  for (const mark of [from.place.mark, null]) {
    const batch = readChangeFeed(scratch.document, owner, { ...from.place, mark });
    // After a change of rules, readers reload everything.
    if (batch.reset === "rules") continue;
    expect(batch.reset, what).toBeNull();
    const reader = new Reader(from.content);
    for (const change of batch.changes) reader.receive(change);
    expect(reader.mistakes(snapshot(scratch)), `${mark ? "memory" : "history"}\n${what}`).toEqual([]);
    expect(batch.changes.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThanOrEqual(
      batch.position.n - from.place.n,
    );
  }
}
