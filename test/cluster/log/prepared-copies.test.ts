/** Copies of documents that a node prepares before it gets them. */
import { describe, expect, test } from "bun:test";
import { readPositionNote } from "../../../src/cluster/log/position-note.ts";
import { Database } from "../../../src/sqlite/database.ts";
import { createDatabase, HAS_POSTGRES, POSTGRES_NEEDED } from "../../helpers/postgres.ts";
import { PlainDocuments, publish, startNode, type TestNode } from "./replica-fixture.ts";

const DOC = "doc-1";

describe.skipIf(!HAS_POSTGRES)(`prepared copies${POSTGRES_NEEDED}`, () => {
  test("the open file of a document is left alone when a copy of it is to be prepared", async () => {
    const recovered: string[] = [];
    class Watched extends PlainDocuments {
      override recover(path: string) {
        recovered.push(path);
        return super.recover(path);
      }
    }
    await using node = await startNode(await createDatabase(), { documents: new Watched() });
    await publish(node, DOC);
    await node.add(DOC, "one");
    await node.owned.prepareCopy(DOC);
    expect(recovered).toEqual([]);
    await node.add(DOC, "two");
    expect(node.documents.texts(DOC)).toEqual(["one", "two"]);
  });

  test.each([
    ["is closed", () => {}, true],
    [
      "was changed since is not",
      ({ documents }: TestNode) => {
        using db = new Database(documents.files(DOC).path);
        db.exec("create table other (id integer)");
      },
      false,
    ],
  ])("a prepared copy that the node does not get and that %s noted as intact", async (_, change, isIntact) => {
    const url = await createDatabase();
    await using first = await startNode(url);
    const second = await startNode(url, { bootId: "before" });
    await publish(first, DOC);
    await first.add(DOC, "one");
    await second.owned.prepareCopy(DOC);
    await first.add(DOC, "two");
    change(second);
    const { documents } = second;
    await second[Symbol.asyncDispose]();
    expect(readPositionNote(documents.files(DOC).notePath)?.isClean).toBe(isIntact);
    // The machine was started again meanwhile.
    await using again = await startNode(url, { documents, bootId: "after" });
    await first.owned.handOver(DOC, String(again.session.id), { minHoldMs: 0 });
    await again.owned.own(DOC);
    expect(again.documents.texts(DOC)).toEqual(["one", "two"]);
    expect(again.events()).toContain(isIntact ? '"how":"tailApplied"' : '"how":"rebuilt"');
  });
});
