/** Whose change it is, in histories with and without the distinction between accounts and end users. */
import { describe, expect, test } from "bun:test";
import { changeCredentialsOf } from "../../../src/doc/history/change-keys.ts";
import { newestState } from "../../../src/doc/history.ts";
import { undoOf } from "../../../src/doc/history/undo.ts";
import { hasUploaded } from "../../../src/doc/rules/own-uploads.ts";
import type { UserInfo } from "../../../src/doc/user-info.ts";
import { ANN, Scratch } from "../actions/scratch.ts";

const ACCOUNT: UserInfo = { ...ANN, keyId: 3 };
const END_USER: UserInfo = { ...ACCOUNT, userId: null, userRef: null };

const OPTIONS = { parse: false, nowMs: 0 } as const;

/** Makes a change, and returns whether users may undo it. */
function mayUndo(scratch: Scratch, n: number): Record<"account" | "endUser", boolean> {
  const may = (user: UserInfo) => {
    try {
      return undoOf(scratch.document, n, user).length > 0;
    } catch {
      return false;
    }
  };
  return { account: may(ACCOUNT), endUser: may(END_USER) };
}

function change(scratch: Scratch, user: UserInfo): number {
  scratch.apply([["AddRecord", "Table1", null, {}]], { user });
  return newestState(scratch.document.db)?.actionNum ?? 0;
}

function start(): Scratch {
  const scratch = new Scratch();
  scratch.apply([["AddTable", "Table1", [{ id: "A" }]]]);
  return scratch;
}

describe("a table of keys that another version has written", () => {
  test.each([
    ["has no distinction", "alter table _quern_changes drop column isEndUser"],
    ["does not say", "update _quern_changes set isEndUser = null"],
  ])("%s: changes with a key belong to accounts", (_, sql) => {
    using scratch = start();
    const old = [change(scratch, ACCOUNT), change(scratch, END_USER)];
    scratch.document.db.exec(sql);
    scratch.document.onChanged({ schema: true });
    for (const n of old) expect(mayUndo(scratch, n)).toEqual({ account: true, endUser: false });
    expect(changeCredentialsOf(scratch.document.db)(old[1] ?? 0)).toEqual({ keyId: 3, isEndUser: null });
    // Later changes are distinguished.
    const [byAccount, byEndUser] = [change(scratch, ACCOUNT), change(scratch, END_USER)];
    expect(mayUndo(scratch, byAccount)).toEqual({ account: true, endUser: false });
    expect(mayUndo(scratch, byEndUser)).toEqual({ account: false, endUser: true });
    for (const n of old) expect(mayUndo(scratch, n)).toEqual({ account: true, endUser: false });
  });
});

test("a copy without the table belongs to accounts", () => {
  using scratch = start();
  const n = change(scratch, END_USER);
  scratch.document.db.exec("drop table _quern_changes");
  scratch.document.onChanged({ schema: true });
  expect(mayUndo(scratch, n)).toEqual({ account: true, endUser: false });
});

test("each change between callers adds a row", () => {
  using scratch = start();
  for (const user of [ACCOUNT, ACCOUNT, END_USER, END_USER, ANN, ACCOUNT]) change(scratch, user);
  expect(scratch.document.db.values("select keyId, isEndUser from _quern_changes order by actionNum")).toEqual([
    [3, 0],
    [3, 1],
    [null, 0],
    [3, 0],
  ]);
});

test.each([
  ["an account", ACCOUNT, END_USER],
  ["an end user", END_USER, ACCOUNT],
])("an attachment that %s has uploaded is not one of the other with the address", (_, uploader, other) => {
  using scratch = start();
  const { document } = scratch;
  scratch.apply([["AddRecord", "_grist_Attachments", null, { fileName: "a" }]], { user: uploader, rules: "skip" });
  const has = (user: UserInfo) =>
    hasUploaded({ db: document.db, schema: document.schema, options: { ...OPTIONS, user } }, 1);
  expect([has(uploader), has(other)]).toEqual([true, false]);
});
