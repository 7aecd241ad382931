import type { DocumentGrant } from "../../authorization.ts";
import { AppError, unauthenticated } from "../../errors.ts";
import type { CellValue } from "../../values/cell.ts";
import { columnType } from "../../values/column-type.ts";
import { applyUserActions } from "../actions/apply-user-actions.ts";
import type { OpenDocument } from "../document.ts";
import { userInfo } from "../user-info.ts";
import { countAnswers } from "./answer-counts.ts";
import { type Answers, checkAnswers } from "./check-answers.ts";
import type { FormSection } from "./form-definition.ts";
import { hasUploadedOverLink } from "./form-uploads.ts";
import {
  formSettings,
  isOpen,
  noFormAccess,
  publishedForms,
  requireOpen,
  requirePublishedForm,
  requireShare,
  visibilityOfLink,
} from "./published-forms.ts";

/** Answers to one published form of a link, which is given by its section, or by its table. */
export interface AnswerArgs {
  readonly form: { readonly section: number } | { readonly table: string };
  readonly answers: Answers;
  /** True to store texts as they are, where the type of the column allows it. */
  readonly noparse: boolean;
  /** Identifies the visitor who uploaded files; null for none. */
  readonly session: string | null;
  readonly isSignedIn: boolean;
  /** Columns whose files will be uploaded when everything else is in order. */
  readonly awaitedFiles?: readonly string[];
}

export interface AddedAnswers {
  readonly ids: readonly number[];
}

interface CheckedAnswers {
  readonly form: FormSection;
  readonly columns: Record<string, CellValue[]>;
}

/** The most answers in one request. */
const MAX_ANSWERS = 100;

/**
 * Adds answers as rows of the form's table, in one change. The rights of the link apply instead of access rules.
 * @throws AppError
 */
export function addAnswers(document: OpenDocument, grant: DocumentGrant, args: AnswerArgs): AddedAnswers {
  return document.db.transaction((): AddedAnswers => {
    const { form, columns } = checked(document, grant, args);
    const { count } = args.answers;
    const rowIds = Array.from({ length: count }, () => null);
    const ids = count === 0 ? [] : addRows(document, grant, ["BulkAddRecord", form.table.id, rowIds, columns]);
    countAnswers(document, form.id, count);
    return { ids };
  });
}

/** @throws AppError as `addAnswers` */
export const checkAnswer = (document: OpenDocument, grant: DocumentGrant, args: AnswerArgs): void =>
  void checked(document, grant, args);

/** Requires an open form with a column for files. @throws AppError `form.link_only` */
export function mayUpload(document: OpenDocument, grant: DocumentGrant): void {
  const forms = publishedForms(document, grant).filter((form) => isOpen(document, form));
  const takesFiles = forms.some(({ fields }) =>
    fields.some(({ column }) => columnType(column.type).base === "Attachments"),
  );
  if (!takesFiles) throw noFormAccess();
}

function addRows(document: OpenDocument, grant: DocumentGrant, action: readonly unknown[]): readonly number[] {
  const user = { ...userInfo(grant), shareRef: requireShare(document, grant).ref };
  const options = { parse: false, user, nowMs: document.clock.now(), storesRecords: true };
  try {
    return applyUserActions(document, [action], { ...options, rules: "skip" }).retValues[0] as number[];
  } catch (error) {
    // The reason can name tables, columns and rows that the form does not show.
    const isRefusal = error instanceof AppError && !TRANSIENT.has(error.code);
    throw isRefusal ? new AppError("form.answer_refused", "The answer cannot be stored", { cause: error }) : error;
  }
}

const TRANSIENT: ReadonlySet<string> = new Set(["storage", "damaged", "unavailable"]);

function checked(document: OpenDocument, grant: DocumentGrant, args: AnswerArgs): CheckedAnswers {
  const {
    awaitedFiles = [],
    answers: { count },
  } = args;
  if (count > MAX_ANSWERS) {
    throw new AppError("limit.exceeded", `A request can have at most ${MAX_ANSWERS} answers to a form`);
  }
  const forms = answerableForms(document, grant, args);
  const awaited = awaitedFiles.map((colId) => [colId, [["L", AWAITED_FILE]]]);
  const answers = { count, columns: { ...args.answers.columns, ...Object.fromEntries(awaited) } };
  let refusal: unknown;
  for (const form of forms) {
    try {
      return { form, columns: checkAnswers(form, answers, contextOf(document, form, args)) };
    } catch (error) {
      refusal ??= error;
    }
  }
  throw refusal;
}

/** In place of the id of a file that is uploaded later; greater than any id. */
const AWAITED_FILE = Number.MAX_SAFE_INTEGER;

function contextOf(
  document: OpenDocument,
  { table }: FormSection,
  { noparse, session, awaitedFiles = [] }: AnswerArgs,
) {
  const hasUploaded = (id: number) =>
    (id === AWAITED_FILE && awaitedFiles.length > 0) ||
    (session !== null && hasUploadedOverLink(document, id, session));
  return { visibility: visibilityOfLink(document), table, parses: !noparse, hasUploaded };
}

/**
 * Returns the forms that answers may be for: of a table, forms that ask for most of the given columns first.
 * @throws AppError unless there is one
 */
function answerableForms(document: OpenDocument, grant: DocumentGrant, args: AnswerArgs): FormSection[] {
  const { form: named, answers, isSignedIn } = args;
  const forms =
    "section" in named
      ? [requirePublishedForm(document, grant, named.section)]
      : publishedForms(document, grant).filter(
          ({ table }) => table.id === named.table || String(table.ref) === named.table,
        );
  const [first] = forms;
  // The same for tables that exist and tables that do not.
  if (!first) throw noFormAccess();
  const open = forms.filter((form) => isOpen(document, form, answers.count));
  if (open.length === 0) requireOpen(document, first, answers.count);
  const allowed = open.filter((form) => isSignedIn || !formSettings(form).isSignInRequired);
  if (allowed.length === 0) throw unauthenticated("Sign in to answer this form", "form.sign_in");
  const asked = ({ fields }: FormSection) =>
    fields.filter(({ column }) => Object.hasOwn(answers.columns, column.id)).length;
  return allowed.toSorted((a, b) => asked(b) - asked(a));
}
