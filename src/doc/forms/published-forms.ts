import type { DocumentGrant } from "../../authorization.ts";
import { AppError, forbidden, notFound } from "../../errors.ts";
import type { CellValue } from "../../values/cell.ts";
import type { OpenDocument } from "../document.ts";
import { readMetadataRecord, readMetadataRecords, type MetadataRecord } from "../read/metadata-records.ts";
import { VisibilityFilter } from "../read/visibility-filter.ts";
import { widgetOptions } from "../widget-options.ts";
import { answersOf } from "./answer-counts.ts";
import { findShare, type Share } from "./shares.ts";
import { findFormSection, type FormSection, formSectionOf } from "./form-definition.ts";

/** The settings of a form that the format of documents has no place for: `quern.form` in the section's options. */
export interface FormSettings {
  /** Milliseconds since the epoch; null for no end. */
  readonly closesAtMs: number | null;
  /** How many answers are accepted over the link; null for any number. */
  readonly maxAnswers: number | null;
  readonly isSignInRequired: boolean;
}

const textOf = (value: CellValue | undefined): string => (typeof value === "string" ? value : "");

/** Reads JSON texts of metadata: a JSON object, or nothing. */
const jsonOf = (value: CellValue | undefined): Readonly<Record<string, unknown>> => widgetOptions(textOf(value));

/** Reads the document as callers over a link do in the parts that they reach: access rules do not apply there. */
export const visibilityOfLink = (document: OpenDocument): VisibilityFilter =>
  new VisibilityFilter(document, { rules: null, role: "viewers", readerKey: "" });

/** Returns the share of the caller's link. @throws AppError `notFound` */
export function requireShare(document: OpenDocument, { formLink }: DocumentGrant): Share {
  const share = formLink === undefined ? null : findShare(document, formLink);
  if (!share) throw formNotFound();
  return share;
}

export const formNotFound = (): AppError => notFound("Form not found", "form.not_found");

/**
 * Returns a published form by its section.
 * @throws AppError `form.not_found`, `form.not_published`
 */
export function requirePublishedForm(document: OpenDocument, grant: DocumentGrant, section: number): FormSection {
  const share = requireShare(document, grant);
  const form = findFormSection(visibilityOfLink(document), section);
  if (!form || !isShared(form.record) || !pageHasShare(document, form.record, share)) throw formNotFound();
  if (!share.isPublished || !isPublished(form.record)) throw notFound("Form not published", "form.not_published");
  return form;
}

/** Returns the published forms of the caller's link, in the order of their ids. @throws AppError `notFound` */
export function publishedForms(document: OpenDocument, grant: DocumentGrant): FormSection[] {
  const share = requireShare(document, grant);
  if (!share.isPublished) return [];
  const visibility = visibilityOfLink(document);
  const views = readMetadataRecords(document, "_grist_Pages", { column: "shareRef", value: share.ref });
  return [...new Set(views.map(({ viewRef }) => Number(viewRef)))]
    .filter((view) => view > 0)
    .flatMap((view) => readMetadataRecords(document, "_grist_Views_section", { column: "parentId", value: view }))
    .filter((section) => isShared(section) && isPublished(section))
    .flatMap((section) => formSectionOf(visibility, section) ?? [])
    .toSorted((a, b) => a.id - b.id);
}

const isShared = (section: MetadataRecord): boolean => Boolean(jsonOf(section["shareOptions"])["form"]);
const isPublished = (section: MetadataRecord): boolean => jsonOf(section["shareOptions"])["publish"] === true;

function pageHasShare(document: OpenDocument, section: MetadataRecord, share: Share): boolean {
  const view = Number(section["parentId"]);
  if (!(view > 0) || !readMetadataRecord(document, "_grist_Views", view)) return false;
  return readMetadataRecords(document, "_grist_Pages", { column: "viewRef", value: view }).some(
    ({ shareRef }) => shareRef === share.ref,
  );
}

/** Returns the settings of a form; malformed ones count as absent. */
export function formSettings({ record }: Pick<FormSection, "record">): FormSettings {
  const form = objectIn(objectIn(jsonOf(record["options"]), "quern"), "form");
  const { closesAt, maxAnswers, signIn } = form;
  const closesAtMs = typeof closesAt === "string" ? Date.parse(closesAt) : Number.NaN;
  return {
    closesAtMs: Number.isNaN(closesAtMs) ? null : closesAtMs,
    maxAnswers: typeof maxAnswers === "number" && Number.isInteger(maxAnswers) && maxAnswers > 0 ? maxAnswers : null,
    isSignInRequired: signIn === true,
  };
}

function objectIn(object: Readonly<Record<string, unknown>>, name: string): Readonly<Record<string, unknown>> {
  const value = Object.hasOwn(object, name) ? object[name] : null;
  return value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

/**
 * Requires that a form accepts further answers.
 * @throws AppError `form.closed`, with `closedAt` in its details when a date has closed it
 */
export function requireOpen(document: OpenDocument, form: FormSection, count = 1): void {
  const { closesAtMs, maxAnswers } = formSettings(form);
  if (closesAtMs !== null && closesAtMs <= document.clock.now()) {
    const closedAt = new Date(closesAtMs).toISOString();
    throw new AppError("form.closed", "The form is closed", { details: { closedAt } });
  }
  if (maxAnswers !== null && answersOf(document, form.id) + count > maxAnswers) {
    throw new AppError("form.closed", "The form is closed: it has as many answers as it accepts");
  }
}

/** True for a form that `requireOpen` accepts. */
export function isOpen(document: OpenDocument, form: FormSection, count = 1): boolean {
  try {
    requireOpen(document, form, count);
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

export const noFormAccess = (): AppError => forbidden("The link does not allow this", "form.link_only");
