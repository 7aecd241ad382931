import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { RowView } from "../../../src/doc/rules/access-types.ts";
import type { CellValue } from "../../../src/values/cell.ts";
import { Scratch } from "../actions/scratch.ts";
import { addingRules, rulesFor, type WrittenRules } from "./ruled.ts";

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
  scratch.apply([
    [
      "AddTable",
      "Pets",
      [
        { id: "Name", type: "Text" },
        { id: "Age", type: "Int" },
        { id: "Chip", type: "Text" },
      ],
    ],
    [
      "AddTable",
      "People",
      [
        { id: "Mail", type: "Text" },
        { id: "Level", type: "Int" },
      ],
    ],
    ["BulkAddRecord", "People", [null, null], { Mail: ["EDDIE@example.com", "vera@example.com"], Level: [3, 1] }],
  ]);
});
afterEach(() => scratch[Symbol.dispose]());

const add = (rules: WrittenRules) => scratch.apply(addingRules(rules));
const editor = { access: "editors", email: "eddie@example.com" } as const;
const viewer = { access: "viewers", email: "vera@example.com" } as const;

const viewOf = (user: Parameters<typeof rulesFor>[1], cells: Record<string, CellValue>): RowView =>
  rulesFor(scratch, user)
    .table("Pets")
    .rows()
    .view((column) => cells[column], scratch.document.db);

test("a document has no rules when its resources are blank or have none", () => {
  expect(scratch.document.rules).toBeNull();
  scratch.apply([["AddRecord", "_grist_ACLResources", null, { tableId: "Pets", colIds: "*" }]]);
  expect(scratch.document.rules).toBeNull();
  add({ "*SPECIAL:DocCopies": [{ permissions: "-R" }] });
  expect(scratch.document.rules).not.toBeNull();
});

describe("decisions", () => {
  test("falls back to the role where no rule decides", () => {
    add({ "Pets:*": [{ formula: "user.Name == 'Nobody'", permissions: "none" }] });
    expect(rulesFor(scratch).table("Pets")).toMatchObject({
      read: "allow",
      update: "allow",
      create: "allow",
      delete: "allow",
    });
    expect(rulesFor(scratch, editor).structure).toBe("allow");
    const seen = rulesFor(scratch, viewer);
    expect(seen.table("Pets")).toMatchObject({ read: "allow", update: "deny", create: "deny", delete: "deny" });
    expect(seen).toMatchObject({ structure: "deny", readsEverything: true, mayReadMetadata: true });
  });

  test("the first applicable rule with the permission decides, in the order columns, tables, all tables", () => {
    add({
      "*:*": [{ formula: "user.Access != OWNER", permissions: "-RUS" }],
      "Pets:*": [
        { formula: "user.Access == EDITOR", permissions: "+R" },
        { formula: "user.Access == EDITOR", permissions: "-RC" },
      ],
      "Pets:Name": [{ permissions: "+U-CS" }],
    });
    const pets = rulesFor(scratch, editor).table("Pets");
    expect(pets).toMatchObject({ read: "allow", update: "mixed", create: "deny", delete: "allow" });
    expect(pets.column("Name")).toEqual({ read: "allow", update: "allow" });
    expect(pets.column("Age")).toEqual({ read: "allow", update: "deny" });
    expect(rulesFor(scratch, editor).table("People")).toMatchObject({ read: "deny", create: "allow" });
    expect(rulesFor(scratch, editor)).toMatchObject({
      structure: "deny",
      readsEverything: false,
      mayReadMetadata: false,
    });
    expect(rulesFor(scratch).table("Pets")).toMatchObject({ read: "allow", update: "allow", create: "allow" });
  });

  test("orders rules by position rather than id", () => {
    add({ "Pets:*": [{ formula: "True", permissions: "-R" }] });
    const [rule] = scratch.document.db.values("select resource, rulePos from _grist_ACLRules order by id desc limit 1");
    scratch.do("AddRecord", "_grist_ACLRules", null, {
      resource: rule?.[0],
      rulePos: rule?.[1],
      aclFormula: "True",
      permissionsText: "+R",
    });
    expect(rulesFor(scratch, editor).table("Pets").read).toBe("allow");
  });

  test("is mixed where it depends on the row, unless later rules agree", () => {
    add({
      "Pets:*": [
        { formula: "rec.Age > 3", permissions: "-R+U" },
        { formula: "user.Access == EDITOR", permissions: "-R" },
      ],
    });
    expect(rulesFor(scratch, editor).table("Pets")).toMatchObject({ read: "deny", update: "allow" });
    expect(rulesFor(scratch, viewer).table("Pets")).toMatchObject({ read: "mixed", update: "mixed" });
  });

  test("preceding conditions on the user avoid reading rows", () => {
    add({ "Pets:*": [{ formula: "user.Access != OWNER and rec.Age > 3", permissions: "-R" }] });
    expect(rulesFor(scratch).table("Pets").read).toBe("allow");
    expect(rulesFor(scratch, editor).table("Pets").read).toBe("mixed");
  });

  test("allows a column in a denied table", () => {
    add({ "Pets:*": [{ permissions: "none" }], "Pets:Name": [{ permissions: "+R" }] });
    const pets = rulesFor(scratch).table("Pets");
    expect(pets).toMatchObject({ read: "mixed", update: "deny", create: "deny" });
    expect([pets.column("Name").read, pets.column("Age").read, pets.column("manualSort").read]).toEqual([
      "allow",
      "deny",
      "allow",
    ]);
    expect(pets.rows().dependsOnRows).toBe(false);
  });

  test("the last resource with a column decides about it", () => {
    add({ "Pets:Name,Age": [{ permissions: "-R" }], "Pets:Age,Chip": [{ permissions: "+R" }] });
    const pets = rulesFor(scratch, viewer).table("Pets");
    expect(["Name", "Age", "Chip"].map((id) => pets.column(id).read)).toEqual(["deny", "allow", "allow"]);
    expect(pets.read).toBe("mixed");
  });
});

describe("rows", () => {
  test("are hidden, whole, or censored in some columns", () => {
    add({
      "Pets:Chip,Age": [
        { formula: "rec.Name == 'Tom'", permissions: "-R" },
        { formula: "rec.Name == 'Rex'", permissions: "+R" },
      ],
      "Pets:*": [{ formula: "newRec.id < 3 and user.Access != OWNER", permissions: "-R" }],
    });
    const reader = rulesFor(scratch, editor).table("Pets").rows();
    expect(reader.dependsOnRows).toBe(true);
    expect(reader.columns).toEqual(["Name"]);
    expect(viewOf(editor, { id: 5, Name: "Ann" })).toBe("whole");
    expect(viewOf(editor, { id: 5, Name: "Tom" })).toEqual(new Set(["Age", "Chip"]));
    expect(viewOf(editor, { id: 1, Name: "Tom" })).toBe("hidden");
    expect(viewOf(editor, { id: 1, Name: "Ann" })).toBe("hidden");
    expect(viewOf(editor, { id: 1, Name: "Rex" })).toEqual(new Set(["manualSort", "Name"]));
    expect(viewOf({}, { id: 1, Name: "Ann" })).toBe("whole");
  });

  test("a failing rule allows nothing and denies what it denies", () => {
    add({
      "Pets:*": [
        { formula: "rec.Age.lower() == 'a'", permissions: "+R" },
        { formula: "rec.Age < 0", permissions: "-R" },
      ],
      "Pets:Chip": [{ formula: "rec.Age.lower() == 'a'", permissions: "-R" }],
    });
    expect(viewOf(editor, { id: 1, Age: 1 })).toEqual(new Set(["Chip"]));
    expect(viewOf(editor, { id: 1, Age: -1 })).toBe("hidden");
  });
});

describe("reading the whole document", () => {
  test("is allowed to owners by default, whatever is hidden from them", () => {
    add({ "Pets:Chip": [{ permissions: "-R" }] });
    expect(rulesFor(scratch)).toMatchObject({
      readsEverything: false,
      mayCopyEverything: true,
      maySeeAccessRules: true,
    });
    expect(rulesFor(scratch, editor)).toMatchObject({
      readsEverything: false,
      mayCopyEverything: false,
      maySeeAccessRules: false,
    });
  });

  test("requires visible rules for callers who read everything", () => {
    add({ "*SPECIAL:AccessRules": [{ formula: "user.Email == 'vera@example.com'", permissions: "+R" }] });
    expect(rulesFor(scratch, viewer)).toMatchObject({ readsEverything: true, mayCopyEverything: true });
    expect(rulesFor(scratch, editor)).toMatchObject({
      readsEverything: true,
      mayCopyEverything: false,
      maySeeAccessRules: true,
    });
  });

  test("can be denied although all cells are readable, and allowed although some are not", () => {
    add({
      "*SPECIAL:AccessRules": [{ permissions: "+R" }],
      "*SPECIAL:DocCopies": [{ formula: "user.Access == VIEWER", permissions: "-R" }],
      "*SPECIAL:FullCopies": [{ formula: "user.Access == EDITOR", permissions: "+R" }],
      "Pets:Chip": [{ formula: "user.Access == EDITOR", permissions: "-R" }],
      "*SPECIAL:Whatever": [{ permissions: "none" }],
    });
    expect(rulesFor(scratch, viewer)).toMatchObject({ readsEverything: true, mayCopyEverything: false });
    expect(rulesFor(scratch, editor)).toMatchObject({ readsEverything: false, mayCopyEverything: true });
  });
});

describe("attributes of users", () => {
  const attribute = (fields: object): string =>
    JSON.stringify({ name: "Who", tableId: "People", lookupColId: "Mail", charId: "Email", ...fields });
  const holds = (formula: string, attributes: string[], user: Parameters<typeof rulesFor>[1]): boolean => {
    add({
      "*:*": attributes.map((userAttributes) => ({ userAttributes })),
      "Pets:*": [{ formula, permissions: "+R" }, { permissions: "-R" }],
    });
    return rulesFor(scratch, user).table("Pets").read === "allow";
  };

  test("are the row with the address, ignoring case", () => {
    expect(holds("user.Who.Level == 3 and user.Who.id == 1 and user.Who.Lost != None", [attribute({})], editor)).toBe(
      true,
    );
  });
  test("are None without a matching row", () => {
    const stranger = { ...viewer, email: "sam@example.com" };
    expect(holds("user.Who.Level == None and user.Who.Lost == None", [attribute({})], stranger)).toBe(true);
  });
  test("match link parameters case-sensitively, and no other paths", () => {
    const linkKey = { Level: "1", Mail: "VERA@example.com" };
    const attributes = [
      attribute({ lookupColId: "Level", charId: "LinkKey.Level" }),
      attribute({ name: "Exact", charId: "LinkKey.Mail" }),
      attribute({ name: "Other", lookupColId: "Level", charId: "Who.Level" }),
      attribute({ name: "Email", lookupColId: "Level", charId: "LinkKey.Level" }),
    ];
    const formula =
      "user.Who.id == 2 and user.Exact.id == None and user.Other.id == None and user.Email == 'eddie@example.com'";
    expect(holds(formula, attributes, { ...editor, linkKey })).toBe(true);
  });
});

describe("invalid rules of other programs deny their resource", () => {
  /** Stores rules, bypassing all checks. */
  const storeUnchecked = (tableId: string, colIds: string, rule: Record<string, string | number>): void => {
    const { db } = scratch.document;
    db.run("insert into _grist_ACLResources (id, tableId, colIds) values (50, ?, ?)", tableId, colIds);
    const { aclFormula = "", permissionsText = "", userAttributes = "", resource = 50 } = rule;
    const add =
      "insert into _grist_ACLRules (resource, aclFormula, permissionsText, userAttributes) values (?, ?, ?, ?)";
    db.run(add, resource, aclFormula, permissionsText, userAttributes);
    scratch.document.invalidateSchema();
  };
  const pets = (user: Parameters<typeof rulesFor>[1] = editor) => rulesFor(scratch, user).table("Pets");

  test.each(["rec.Age ==", "OWNER or len(rec.Name)", "-1", 7])("a formula: %j", (aclFormula) => {
    storeUnchecked("Pets", "Chip", { aclFormula, permissionsText: "+U-R" });
    expect(pets().column("Chip")).toEqual({ read: "deny", update: "allow" });
    expect(pets().column("Name").read).toBe("allow");
  });

  test("permissions", () => {
    storeUnchecked("Pets", "*", { permissionsText: "read" });
    expect(pets()).toMatchObject({ read: "deny", update: "deny", create: "deny", delete: "deny" });
    expect(rulesFor(scratch, editor).table("People").read).toBe("allow");
  });

  test("columns of all tables: denials apply to all columns, permissions are ignored", () => {
    storeUnchecked("*", "Name", { permissionsText: "-R+U" });
    expect(pets()).toMatchObject({ read: "deny", update: "allow" });
    expect(pets(viewer)).toMatchObject({ read: "deny", update: "deny" });
  });

  test("a rule without an existing resource: deny all but owners", () => {
    storeUnchecked("Pets", "*", { resource: 99, permissionsText: "+R" });
    expect(pets()).toMatchObject({ read: "deny", create: "deny" });
    expect(rulesFor(scratch, editor).structure).toBe("deny");
    expect(pets({}).read).toBe("allow");
  });

  test("a rule without permissions: no effect", () => {
    storeUnchecked("Pets", "*", { resource: 99 });
    expect(scratch.document.rules).toBeNull();
  });

  test("user attributes: conditions that read them fail", () => {
    add({ "Pets:*": [{ formula: "user.Who.Level != 1", permissions: "+R" }, { permissions: "-R" }] });
    storeUnchecked("*", "*", {
      userAttributes: '{"name":"Who","tableId":"Lost","lookupColId":"Mail","charId":"Email"}',
    });
    expect(pets().read).toBe("deny");
  });

  test("removed tables and columns: no effect", () => {
    storeUnchecked("Pets", "Lost,Chip", { permissionsText: "-R" });
    expect(pets().column("Chip").read).toBe("deny");
    scratch.do("RemoveColumn", "Pets", "Chip");
    expect(rulesFor(scratch, editor)).toMatchObject({ readsEverything: true });
    scratch.do("RemoveTable", "Pets");
    expect(rulesFor(scratch, editor)).toMatchObject({ readsEverything: true });
  });
});
