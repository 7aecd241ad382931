/** Random edits of pages and sections, undone one after the other in reverse order, restore all metadata; redoing repeats them. */
import { expect, test } from "bun:test";
import { copyFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { DocAction } from "../../../src/doc/actions/doc-action.ts";
import { openDocumentFile } from "../../../src/doc/open-document.ts";
import { AppError } from "../../../src/errors.ts";
import { parseBoxLayout } from "../../../src/web/base/views/box-layout.ts";
import { hideFieldActions, layoutActions } from "../../../src/web/base/views/card-edits.ts";
import { LAYOUT_EDITS } from "../../../src/web/base/views/card-layout.ts";
import { movePage } from "../../../src/web/base/views/page-edits.ts";
import { saveLayout } from "../../../src/web/base/views/save-layout.ts";
import { randomRuns } from "../../helpers/random-runs.ts";
import { Random } from "../../helpers/random.ts";
import { tempFolder } from "../../helpers/temp-folder.ts";
import { Source } from "../actions/random-values.ts";
import { VIEW_ACTIONS } from "../actions/random-view-actions.ts";
import { type Actions, SECTIONS } from "./edit.ts";
import { differences, EditedDocument, type Metadata } from "./edited-document.ts";

/**
 * Manual runs edit copies of the documents of a folder, too, also of older versions:
 * `QUERN_TEST_FIXTURES=~/documents QUERN_TEST_SEED=1 bun test test/doc/edits/random-edits.test.ts`.
 */
const FOLDER = process.env["QUERN_TEST_FIXTURES"];
const EDITS = randomRuns(60, 200);
const seed = Number(process.env["QUERN_TEST_SEED"] ?? Date.now() % 1_000_000);

const FILES = FOLDER === undefined ? [] : readdirSync(FOLDER).filter((name) => name.endsWith(".grist"));

test.each(["the document of the edits", ...FILES])(
  `${EDITS} random edits of %s are undone and redone (QUERN_TEST_SEED=${seed})`,
  (name) => {
    using document = openDocument(name);
    const random = new Random(seed);
    const states = [document.metadata()];
    const undo: (readonly DocAction[])[] = [];
    const done: Actions[] = [];
    for (let attempt = 0; undo.length < EDITS && attempt < 10 * EDITS; attempt++) {
      const actions = randomEdit(document, random);
      const applied = actions.length > 0 ? tryToApply(document, actions) : null;
      if (!applied) continue;
      undo.push(applied);
      done.push(actions);
      states.push(document.metadata());
    }
    const redo: (readonly DocAction[])[] = [];
    for (let edit = undo.length - 1; edit >= 0; edit--) {
      redo.push(document.apply([["ApplyUndoActions", undo[edit]]]).undo);
      expectState(document, states[edit], ["undo", done[edit]]);
    }
    for (let edit = 0; edit < done.length; edit++) {
      document.apply([["ApplyUndoActions", redo[done.length - 1 - edit]]]);
      expectState(document, states[edit + 1], ["redo", done[edit]]);
    }
    expect(document.problems()).toEqual([]);
    expect(done.length).toBe(EDITS);
  },
  600_000,
);

function openDocument(name: string): EditedDocument {
  if (FOLDER === undefined || !FILES.includes(name)) return new EditedDocument();
  const path = join(tempFolder(), "document.grist");
  copyFileSync(join(FOLDER, name), path);
  openDocumentFile(path).close();
  return new EditedDocument(path);
}

/** Returns the actions that undo the edit; null when it was refused. */
function tryToApply(document: EditedDocument, actions: Actions): readonly DocAction[] | null {
  try {
    return document.apply(actions).undo;
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

function expectState(document: EditedDocument, expected: Metadata | undefined, edit: readonly unknown[]): void {
  const state = document.metadata();
  if (Bun.deepEquals(state, expected)) return;
  throw new Error(`${JSON.stringify(edit)}: ${differences(expected ?? new Map(), state).join("; ")}`);
}

const WEIGHT = VIEW_ACTIONS.reduce((sum, [weight]) => sum + weight, 0);

/** Returns an edit of a page, or an action that any client may send. */
function randomEdit(document: EditedDocument, random: Random): Actions {
  if (random.oneIn(3)) return random.pick(PAGE_EDITS)(document, random);
  let left = random.below(WEIGHT);
  const [, make] = VIEW_ACTIONS.find(([weight]) => (left -= weight) < 0) ?? [];
  const action = make?.(new Source(document, random));
  return action ? [action] : [];
}

const PAGE_EDITS: readonly ((document: EditedDocument, random: Random) => Actions)[] = [
  (document, random) => {
    const pages = document.pages();
    const refs = pages.all.map(({ ref }) => ref);
    const before = random.pickAny([null, ...refs]) ?? null;
    return movePage(pages, random.pickAny(refs) ?? 0, { before, indentation: random.below(3) });
  },
  (document, random) => {
    const view = random.pickAny(document.records("_grist_Views"));
    if (!view) return [];
    const sections = document.records(SECTIONS).filter(({ fields }) => fields["parentId"] === view.id);
    const stored = String(view.fields["layoutSpec"]);
    const layout = parseBoxLayout(random.oneIn(2) ? stored : "", sections.map(({ id }) => id).toReversed());
    return saveLayout({ view: view.id, layoutSpec: stored }, layout);
  },
  (document, random) => {
    const card = randomCard(document, random);
    const field = random.pickAny(card?.fields ?? []);
    if (!card || !field) return [];
    return random.oneIn(3)
      ? hideFieldActions(card, field.ref)
      : layoutActions(card, field.ref, random.pick(LAYOUT_EDITS));
  },
  (document, random) => {
    const field = random.pickAny(document.records("_grist_Views_section_field"));
    const column = document.document.schema.columnByRef.get(Number(field?.fields["colRef"]));
    const table = document.document.schema.tableByRef.get(column?.tableRef ?? 0);
    return field && table ? [["AddEmptyRule", table.id, random.oneIn(4) ? 0 : field.id, 0]] : [];
  },
  publishEdit,
  linkEdit,
];

/** Publishes forms, ends that, or removes the links of published forms. */
function publishEdit(document: EditedDocument, random: Random): Actions {
  const share = random.pickAny(document.records("_grist_Shares"))?.id ?? 0;
  const page = random.pickAny(document.records("_grist_Pages"))?.id ?? 0;
  const form = random.pickAny(document.records(SECTIONS).filter(({ fields }) => Number(fields["parentId"]) > 0))?.id;
  const publish = random.oneIn(2);
  const published: Actions =
    form === undefined
      ? []
      : [["UpdateRecord", SECTIONS, form, { shareOptions: JSON.stringify({ form: true, publish }) }]];
  switch (random.below(4)) {
    case 0: {
      const values = { linkId: `link-${random.below(1_000_000)}`, options: JSON.stringify({ publish: true }) };
      return [
        ["AddRecord", "_grist_Shares", -1, values],
        ["UpdateRecord", "_grist_Pages", page, { shareRef: -1 }],
        ...published,
      ];
    }
    case 1:
      return [["UpdateRecord", "_grist_Shares", share, { options: JSON.stringify({ publish }) }], ...published];
    case 2:
      return [["UpdateRecord", "_grist_Pages", page, { shareRef: share }]];
    default:
      return [["RemoveRecord", "_grist_Shares", share]];
  }
}

/** Links two sections of a page by any columns. */
function linkEdit(document: EditedDocument, random: Random): Actions {
  const sections = document.records(SECTIONS);
  const target = random.pickAny(sections.filter(({ fields }) => Number(fields["parentId"]) > 0));
  const source = random.pickAny(sections.filter(({ fields }) => fields["parentId"] === target?.fields["parentId"]));
  if (!target || !source) return [];
  const columns = [0, ...document.records("_grist_Tables_column").map(({ id }) => id)];
  const link = {
    linkSrcSectionRef: source.id,
    linkSrcColRef: random.pick(columns),
    linkTargetColRef: random.pick(columns),
  };
  return [["UpdateRecord", SECTIONS, target.id, link]];
}

function randomCard(document: EditedDocument, random: Random) {
  const cards = document
    .records(SECTIONS)
    .filter(({ fields }) => fields["parentKey"] === "detail" || fields["parentKey"] === "single");
  const card = random.pickAny(cards);
  return card && document.section(card.id);
}
