import type { DocumentGrant } from "../../authorization.ts";
import type { OpenDocument } from "../../doc/document.ts";
import { findFormulaErrors } from "../../doc/formulas/formula-errors.ts";
import { startTiming, stopTiming, readTiming } from "../../doc/formulas/timing-session.ts";
import { explainCell } from "../../doc/why/explain-cell.ts";
import { findReadTable } from "../../doc/read/read-table.ts";
import { type ConditionalArgs, renderValue, type Rendered } from "./render.ts";
import { forbidden } from "../../errors.ts";
import { parseJson, validate } from "../../payload.ts";
import { FormulaCheckBody } from "../../wire/tables/formula-check.ts";
import { checkFormula } from "../../doc/check/check-formula.ts";
import { userInfo } from "../../doc/user-info.ts";
import { type JsonResult, jsonResult } from "./apply-actions.ts";
import { verb } from "./verb.ts";

interface FormulaErrorsArgs extends ConditionalArgs {
  /** Table id, or its numeric reference as digits. */
  readonly table?: string | undefined;
  /** Column id. */
  readonly column?: string | undefined;
  readonly limit: number;
}

interface ExplainArgs extends ConditionalArgs {
  readonly table: string;
  /** As in the path. */
  readonly row: string;
  readonly column: string;
  readonly limit: number;
}

interface CheckArgs {
  /** Table id, or its numeric reference as digits. */
  readonly table: string;
  /** JSON as received. */
  readonly body: Uint8Array | null;
}

/** Verbs for formula errors, explanations of cells, and timing. */
export const formulaVerbs = {
  "formulas.errors": verb({ needs: "viewers", underRules: "requiresFullAccess", run: listErrors }),
  "cells.explain": verb({ needs: "viewers", underRules: "enforced", run: explain }),
  "formulas.check": verb({ needs: "editors", changes: "none", underRules: "enforced", run: check }),
  "timing.get": verb({
    needs: "owners",
    changes: "none",
    run: (document, _grant, _args: null) => readTiming(document),
  }),
  "timing.start": verb({
    needs: "owners",
    changes: "none",
    run: (document, { uuid }, _args: null): void => startTiming(document, uuid),
  }),
  "timing.stop": verb({
    needs: "owners",
    changes: "none",
    run: (document, { uuid }, _args: null) => stopTiming(document, uuid),
  }),
};

function listErrors(document: OpenDocument, grant: DocumentGrant, args: FormulaErrorsArgs): Rendered {
  return renderValue(document, grant, args, () => {
    const table = args.table ? findReadTable(document.schema, args.table).id : undefined;
    return findFormulaErrors(document, { table, column: args.column, limit: args.limit });
  });
}

function explain(document: OpenDocument, grant: DocumentGrant, { row, ...args }: ExplainArgs): Rendered {
  const id = /^[1-9]\d{0,14}$/.test(row) ? Number(row) : 0;
  return renderValue(document, grant, args, () => explainCell(document, grant, { ...args, row: id }));
}

/** Only for users who may write formulas. */
function check(document: OpenDocument, grant: DocumentGrant, { table, body }: CheckArgs): JsonResult {
  const { isTrigger = false, ...asked } = validate(FormulaCheckBody, parseJson(body), "body");
  const rules = document.accessOf(userInfo(grant));
  if (rules && rules.structure !== "allow")
    throw forbidden("Access rules do not let you change columns", "access.rules");
  return jsonResult(checkFormula(document, grant, { table, isTrigger, ...asked }));
}
