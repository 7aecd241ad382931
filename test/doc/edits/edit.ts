/** An edit of the metadata, as a page makes it. */
import type { EditedDocument } from "./edited-document.ts";

export type Actions = readonly (readonly unknown[])[];
export type MakeActions = (document: EditedDocument) => Actions | Promise<Actions>;

/** The last member is the metadata that it changes, as `differences` returns it. */
export type Edit = readonly [name: string, make: MakeActions, changed: readonly string[]];

export const SECTIONS = "_grist_Views_section";
export const FIELDS = "_grist_Views_section_field";

export const update =
  (table: string, id: number, values: Readonly<Record<string, unknown>>): MakeActions =>
  () => [["UpdateRecord", table, id, values]];
