import { expect, test } from "bun:test";
import {
  AttachmentContents,
  type AttachmentEffect,
  type AttachmentEvent,
} from "../../../src/cluster/protocol/attachment-contents.ts";

const RETENTION_MS = 1000;
const ACKNOWLEDGED = 10;
type Kind = Exclude<AttachmentEvent["kind"], "unreferenced">;
const event = (kind: Kind): AttachmentEvent => ({ kind, hash: "h" });
const unreferenced = (removedSeq = ACKNOWLEDGED, removedForMs = RETENTION_MS): AttachmentEvent => ({
  kind: "unreferenced",
  hash: "h",
  removedSeq,
  removedForMs,
});

const CASES: [string, (readonly [AttachmentEvent, ...AttachmentEffect["kind"][]])[]][] = [
  [
    "a content is stored before a commit names it",
    [[event("needed"), "store"], [event("stored"), "ready"], [event("used")]],
  ],
  [
    "requests for the same content share an upload",
    [[event("needed"), "store"], [event("needed")], [event("stored"), "ready"]],
  ],
  [
    "a failed upload fails the request",
    [
      [event("needed"), "store"],
      [event("storeFailed"), "failed"],
    ],
  ],
  ["an unreferenced content is deleted after the retention", [[unreferenced(), "deleteContent"], [event("deleted")]]],
  ["not before the removal is in the log", [[unreferenced(ACKNOWLEDGED + 1)]]],
  ["not before the retention has passed", [[unreferenced(ACKNOWLEDGED, RETENTION_MS - 1)]]],
  ["not while it is uploaded again", [[event("needed"), "store"], [unreferenced()]]],
  [
    "not between its upload and the commit that names it",
    [
      [event("needed"), "store"],
      [event("stored"), "ready"],
      [unreferenced()],
      [event("used")],
      [unreferenced(), "deleteContent"],
    ],
  ],
  [
    "an upload waits for a deletion in flight, and stores it again",
    [[unreferenced(), "deleteContent"], [event("needed")], [event("deleted"), "store"], [event("stored"), "ready"]],
  ],
  [
    "after a deletion with an unknown outcome the content needs a new epoch",
    [[unreferenced(), "deleteContent"], [event("deleteUnknown")], [event("needed"), "renewEpoch"], [unreferenced()]],
  ],
  [
    "and so do requests that wait for it",
    [[unreferenced(), "deleteContent"], [event("needed")], [event("deleteUnknown"), "renewEpoch"]],
  ],
];

test.each(CASES)("%s", (_, steps) => {
  const contents = new AttachmentContents(RETENTION_MS);
  const document = { acknowledged: { seq: ACKNOWLEDGED }, mayRead: true };
  for (const [happened, ...kinds] of steps) {
    expect(contents.handle(happened, document).map(({ kind }) => kind)).toEqual(kinds);
  }
});

test("nothing is deleted after a failover before the log was checked", () => {
  const contents = new AttachmentContents(RETENTION_MS);
  const document = { acknowledged: { seq: ACKNOWLEDGED }, mayRead: false };
  expect(contents.handle(unreferenced(), document)).toEqual([]);
  expect(contents.handle(unreferenced(), { ...document, mayRead: true })).toHaveLength(1);
});
