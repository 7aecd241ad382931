import { AppError, type ErrorCode, type Reason } from "../../../errors.ts";

/** The keywords of RFC 7644, section 3.12. */
export type ScimType =
  | "invalidFilter"
  | "tooMany"
  | "uniqueness"
  | "mutability"
  | "invalidSyntax"
  | "invalidPath"
  | "noTarget"
  | "invalidValue";

const KIND: Partial<Record<ScimType, ErrorCode>> = { tooMany: "tooLarge", uniqueness: "conflict" };

/** Returns a refusal with a keyword, which answers contain as `scimType`. */
export const scimError = (scimType: ScimType, message: string): AppError =>
  new AppError(KIND[scimType] ?? "invalid", message, { details: { scimType } });

/** Returns a refusal without a keyword. */
export const plainError = (code: ErrorCode | Reason, message: string): AppError => new AppError(code, message);

export const scimTypeOf = ({ details }: AppError): string | null => {
  const scimType = details?.["scimType"];
  return typeof scimType === "string" ? scimType : null;
};
