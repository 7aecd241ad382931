import type { DocumentGrant } from "../../authorization.ts";
import type { OpenDocument } from "../../doc/document.ts";
import {
  describeForm,
  type DescribeOptions,
  findFormSection,
  type FormDefinition,
} from "../../doc/forms/form-definition.ts";
import {
  formNotFound,
  formSettings,
  requireOpen,
  requirePublishedForm,
  visibilityOfLink,
} from "../../doc/forms/published-forms.ts";
import { answersOf } from "../../doc/forms/answer-counts.ts";
import { addAnswers, type AddedAnswers, type AnswerArgs, checkAnswer, mayUpload } from "../../doc/forms/add-answers.ts";
import { recordUploads } from "../../doc/forms/form-uploads.ts";
import { type LinkedRecord, readLinkedRows } from "../../doc/forms/linked-rows.ts";
import { listShareLinks, type ShareLink } from "../../doc/forms/shares.ts";
import { isRestricted, visibilityFor } from "../../doc/read/visibility-filter.ts";
import { parseAddedData, parseAddedRecords } from "./record-bodies.ts";
import { verb } from "./verb.ts";

interface SectionArgs extends DescribeOptions {
  /** The row id of the section. */
  readonly section: number;
}

interface UploadArgs {
  readonly ids: readonly number[];
  readonly session: string;
}

/** Answers by column, or in the body of a request for records or data. */
interface AnswerRequest extends Omit<AnswerArgs, "answers"> {
  readonly answers:
    | { readonly kind: "fields"; readonly fields: Readonly<Record<string, unknown>> }
    | { readonly kind: "records"; readonly body: Uint8Array | null }
    | { readonly kind: "data"; readonly body: Uint8Array | null };
}

/** What a form asks, and until when it accepts answers. */
export interface OpenForm extends FormDefinition {
  /** The time at which the form closes, in ISO 8601; null for none. */
  readonly closesAt: string | null;
  readonly isSignInRequired: boolean;
}

/** Verbs for forms. Those over a link apply the rights of the link instead of access rules. */
export const formVerbs = {
  "forms.read": verb({ needs: "viewers", reads: "snapshot", underRules: "enforced", run: readForm }),
  /** How many answers a form has received over its link; null for callers from whom access rules hide a part of the document. */
  "forms.countAnswers": verb({
    needs: "editors",
    changes: "none",
    reads: "snapshot",
    underRules: "enforced",
    run: countFormAnswers,
  }),
  "forms.readPublished": verb({
    needs: "viewers",
    reads: "snapshot",
    underRules: "unaffected",
    overForms: true,
    run: readPublishedForm,
  }),
  /** The rows of a table that references in the published forms of the link offer. */
  "forms.linkedRows": verb({
    needs: "viewers",
    reads: "snapshot",
    underRules: "unaffected",
    overForms: true,
    run: (document: OpenDocument, grant: DocumentGrant, { table }: { readonly table: string }): LinkedRecord[] =>
      readLinkedRows(document, grant, table),
  }),
  "forms.answer": verb({
    needs: "editors",
    changes: "content",
    underRules: "unaffected",
    overForms: true,
    commits: "batched",
    run: (document: OpenDocument, grant: DocumentGrant, args: AnswerRequest): AddedAnswers =>
      addAnswers(document, grant, answersIn(args)),
  }),
  /** Refuses what `forms.answer` would refuse, before files are uploaded. */
  "forms.check": verb({
    needs: "editors",
    changes: "none",
    reads: "snapshot",
    underRules: "unaffected",
    overForms: true,
    run: (document: OpenDocument, grant: DocumentGrant, args: AnswerRequest): void =>
      checkAnswer(document, grant, answersIn(args)),
  }),
  "forms.mayUpload": verb({
    needs: "editors",
    changes: "none",
    reads: "snapshot",
    underRules: "unaffected",
    overForms: true,
    run: (document: OpenDocument, grant: DocumentGrant, _args: null): void => mayUpload(document, grant),
  }),
  "forms.recordUploads": verb({
    needs: "editors",
    changes: "none",
    underRules: "unaffected",
    overForms: true,
    run: (document: OpenDocument, _grant: DocumentGrant, { ids, session }: UploadArgs): void =>
      document.db.transaction(() => recordUploads(document, ids, session)),
  }),
  "shares.list": verb({
    needs: "owners",
    changes: "none",
    reads: "snapshot",
    underRules: "unaffected",
    run: (document: OpenDocument, _grant: DocumentGrant, _args: null): ShareLink[] => listShareLinks(document),
  }),
};

/** @throws AppError `payload.invalid` */
function answersIn({ answers, ...args }: AnswerRequest): AnswerArgs {
  if (answers.kind === "records") return { ...args, answers: parseAddedRecords(answers.body, { flat: false }) };
  if (answers.kind === "data") return { ...args, answers: parseAddedData(answers.body) };
  const columns = Object.fromEntries(Object.entries(answers.fields).map(([id, value]) => [id, [value]]));
  return { ...args, answers: { count: 1, columns } };
}

function readForm(document: OpenDocument, grant: DocumentGrant, { section, forPage }: SectionArgs): OpenForm {
  const visibility = visibilityFor(document, grant);
  const form = findFormSection(visibility, section);
  if (!form) throw formNotFound();
  return { ...describeForm(visibility, form, { forPage }), ...shownSettings(form) };
}

function countFormAnswers(document: OpenDocument, grant: DocumentGrant, { section }: { readonly section: number }) {
  const form = findFormSection(visibilityFor(document, grant), section);
  if (!form) throw formNotFound();
  return isRestricted(document, grant) ? null : answersOf(document, section);
}

function readPublishedForm(document: OpenDocument, grant: DocumentGrant, { section, forPage }: SectionArgs): OpenForm {
  const form = requirePublishedForm(document, grant, section);
  requireOpen(document, form);
  const definition = describeForm(visibilityOfLink(document), form, { forPage });
  const formFieldsById = Object.fromEntries(
    Object.entries(definition.formFieldsById).map(([id, field]) => {
      // A condition names columns that the form does not ask for.
      const { dropdownCondition: _, ...options } = field.options;
      return [id, { ...field, options }];
    }),
  );
  return { ...definition, formFieldsById, ...shownSettings(form) };
}

function shownSettings(form: Parameters<typeof formSettings>[0]): Pick<OpenForm, "closesAt" | "isSignInRequired"> {
  const { closesAtMs, isSignInRequired } = formSettings(form);
  return { closesAt: closesAtMs === null ? null : new Date(closesAtMs).toISOString(), isSignInRequired };
}
