/** Published forms: opened by the key of their link, read and answered by anyone who has it. */
import type { DocumentGrant, UserActor } from "../../authorization.ts";
import type { OpenForm } from "../../hosts/documents.ts";
import { guardFormLink } from "../access/guards.ts";
import type { Context } from "../context.ts";

export type { FormField, OfferedRow, OpenForm } from "../../hosts/documents.ts";

/** A link that leads to the published forms of one document. */
export interface FormLink {
  /** A grant that only the operations of published forms accept. */
  readonly grant: DocumentGrant;
}

/** Who answers a form. */
export interface FormCaller {
  /** The network address, for limits: neither stored nor logged. */
  readonly address: string;
  /** The signed-in user, for forms that require one; answers are not stored under their name. */
  readonly user: UserActor | null;
}

/** Why an answer was refused in one column, in `details.fields` of `form.fields_invalid`; pages translate it. */
export interface FieldProblem {
  readonly code:
    | "required"
    | "not_asked"
    | "too_long"
    | "not_a_number"
    | "not_an_integer"
    | "not_a_date"
    | "not_a_time"
    | "not_offered"
    | "not_a_file"
    | "invalid";
  /** With `too_long`: the most characters. */
  readonly maximum?: number;
  /** For API clients. */
  readonly message: string;
}

/** An answer to a form. */
export interface FormAnswer {
  /** The row id of the section. */
  readonly section: number;
  /** By column id: texts as typed, or cell values (`["L", "a", "b"]`). Columns left blank are left out. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Files for columns of type Attachments, by column id. */
  readonly files: Readonly<Record<string, readonly File[]>>;
  /** Random, one for each form that was rendered: the same token with the same answer adds one row, however often it is sent. */
  readonly token: string;
  readonly caller: FormCaller;
}

/**
 * Opens the link with a key.
 * @throws AppError `form.not_found`
 */
export const openLink = (ctx: Context, key: string): FormLink => ({ grant: guardFormLink(ctx, key) });

/**
 * Reads a published form.
 * @throws AppError `form.not_found`, `form.not_published`, `form.closed` (`details.closedAt`: ISO 8601, when a date closed it)
 */
export const readForm = (ctx: Context, { grant }: FormLink, section: number): Promise<OpenForm> =>
  ctx.documents.call(grant, "forms.readPublished", { section });

/** Reads a form for members of the document, published or not. @throws AppError `form.not_found` */
export const readDocumentForm = (ctx: Context, grant: DocumentGrant, section: number): Promise<OpenForm> =>
  ctx.documents.call(grant, "forms.read", { section });
