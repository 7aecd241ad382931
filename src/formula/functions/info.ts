import { PyDate } from "../dates/date.ts";
import { typeError } from "../runtime/errors.ts";
import { withPeek } from "../runtime/peek.ts";
import { defineFunction } from "../runtime/signature.ts";
import { trimText } from "../runtime/text/text.ts";
import { AltText, numberOf, type PyFunction, PyObject, type PyValue, typeName } from "../runtime/values.ts";
import { serialOf } from "./date-values.ts";
import { evaluateOrError, force, isErrorLike } from "./lazy-arguments.ts";
import { callTextMethod } from "./text-arguments.ts";

const VALUE = { required: ["value"] } as const;

const predicateFunction = (name: string, holds: (value: PyValue) => boolean): PyFunction =>
  defineFunction(name, VALUE, ([value = null]) => holds(value));

/** Functions that return information about values. */
export const INFO_FUNCTIONS: readonly PyFunction[] = [
  /** ISEMAIL(value): whether a text is an email address. */
  predicateFunction("ISEMAIL", (value) => {
    if (typeof value !== "string") throw typeError(`expected string, got '${typeName(value)}'`);
    return value.length <= MAX_ADDRESS && EMAIL.test(value);
  }),
  /** ISERR(value): true when evaluation fails. */
  predicateFunction("ISERR", (value) => "error" in evaluateOrError(value)),
  /** ISERROR(value): like ISERR, also true for NaN and texts in cells of another type. */
  predicateFunction("ISERROR", (value) => {
    const result = evaluateOrError(value);
    return "error" in result || isErrorLike(result.value);
  }),
  /** ISLOGICAL(value): whether it is True or False. */
  predicateFunction("ISLOGICAL", (value) => typeof value === "boolean"),
  /** ISNA(value): whether it is NaN. */
  predicateFunction("ISNA", (value) => Number.isNaN(value)),
  /** ISNONTEXT(value) */
  predicateFunction("ISNONTEXT", (value) => !isText(value)),
  /** ISNUMBER(value): also true for bools. */
  predicateFunction("ISNUMBER", (value) => numberOf(value) !== undefined || typeName(value) === "complex"),
  /** ISREF(value): whether it is a record. */
  predicateFunction("ISREF", (value) => value instanceof PyObject && value.recordKind === "record"),
  /** ISREFLIST(value): whether it is a record set. */
  predicateFunction("ISREFLIST", (value) => value instanceof PyObject && value.recordKind === "set"),
  /** ISTEXT(value): also true for texts in cells of another type. */
  predicateFunction("ISTEXT", isText),
  /** ISURL(value): whether a text is a web address; the scheme is optional. */
  predicateFunction("ISURL", (value) => {
    const text = callTextMethod(value, "strip");
    return typeof text === "string" && text.length <= MAX_ADDRESS && URL_TEXT.test(trimText(text));
  }),
  /** N(value): numbers unchanged, dates as serial numbers, everything else as 0. */
  defineFunction("N", VALUE, ([value = null]) => {
    if (value instanceof PyDate) return serialOf(value);
    return numberOf(value) === undefined ? 0n : value;
  }),
  /** NA(): the value for "not available", NaN. */
  defineFunction("NA", {}, () => Number.NaN),
  /** PEEK(value): the value, without a dependency of the formula on it. */
  defineFunction("PEEK", { required: ["func"] }, ([value = null]) => withPeek(() => force(value))),
];

function isText(value: PyValue): boolean {
  return typeof value === "string" || value instanceof AltText;
}

const MAX_ADDRESS = 2048;
const LOCAL_PART = String.raw`[\p{L}\p{N}_!#$%&'*+/=?^{|}~\x60-]+`;
const HOST = String.raw`(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z]{2,}`;
const EMAIL = new RegExp(String.raw`^${LOCAL_PART}(?:\.${LOCAL_PART})*@${HOST}$`, "iu");

const SCHEME = "(?:(?:ftp|http|https|gopher|mailto|news|telnet|aim)://)?";
const URL_HOST = HOST.replaceAll("a-z", "a-zA-Z");
const URL_TEXT = new RegExp(String.raw`^${SCHEME}(?:[\w.+%-]+@)?${URL_HOST}(?:[/?#][^\s<>"]*)?$`);
