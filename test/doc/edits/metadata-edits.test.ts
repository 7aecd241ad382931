/**
 * An edit of pages, sections, fields or filters changes exactly the metadata that the format names for it, keeps what other
 * programs stored, and is undone and redone in one step.
 */
import { describe, expect, test } from "bun:test";
import type { UserAction } from "../../../src/doc/actions/apply-user-actions.ts";
import { differences, EditedDocument, lostKeys } from "./edited-document.ts";
import { FORM_EDITS } from "./form-edits.ts";
import { NEW_SECTIONS, PAGE_EDITS } from "./page-edits.ts";
import { CARD_EDITS, SECTION_EDITS } from "./section-edits.ts";

describe.each([
  ["pages", PAGE_EDITS],
  ["new sections", NEW_SECTIONS],
  ["sections", SECTION_EDITS],
  ["cards", CARD_EDITS],
  ["forms", FORM_EDITS],
] as const)("%s:", (_, edits) => {
  test.each(edits)("%s", async (_, make, changed) => {
    using document = new EditedDocument();
    const actions = (await make(document)) as readonly UserAction[];
    const before = document.metadata();
    const { undo } = actions.length > 0 ? document.apply(actions) : { undo: [] };
    const after = document.metadata();
    expect(differences(before, after)).toEqual([...changed]);
    expect(lostKeys(before, after)).toEqual([]);
    expect(document.problems()).toEqual([]);
    const undone = document.apply([["ApplyUndoActions", undo]]);
    expect(differences(before, document.metadata())).toEqual([]);
    document.apply([["ApplyUndoActions", undone.undo]]);
    expect(differences(after, document.metadata())).toEqual([]);
  });
});
