import type { DocumentGrant, UserActor } from "../../authorization.ts";
import type { UploadLimits } from "../../files/uploads.ts";

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

/** The limits of the server for the files of one answer. */
export type FileLimits = Required<Pick<UploadLimits, "maxBytes" | "maxFileBytes" | "maxFiles">>;

/** An answer to a form. */
export interface FormAnswer {
  /** The row id of the section. */
  readonly section: number;
  /** By column id: texts as typed, or cell values (`["L", "a", "b"]`). Columns left blank are left out. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Files for columns of type Attachments, by column id. */
  readonly files: Readonly<Record<string, readonly File[]>>;
  /** Required with files. */
  readonly fileLimits?: FileLimits;
  /** Random, one for each form that was rendered: the same token with the same answer adds one row, however often it is sent. */
  readonly token: string;
  readonly caller: FormCaller;
}
