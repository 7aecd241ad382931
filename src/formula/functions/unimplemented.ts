import { PyError } from "../runtime/errors.ts";
import { defineFunction } from "../runtime/signature.ts";
import type { PyFunction } from "../runtime/values.ts";

/**
 * Spreadsheet functions that formulas can name and whose errors they can catch, but that are not implemented. A
 * question mark marks optional parameters; three dots accept any number.
 */
const SIGNATURES = `
  TYPE(value) ISBLANK(value) CELL(info_type, reference)
  ADDRESS(row, column, absolute_relative_mode, use_a1_notation, sheet) CHOOSE(index, choice1, choice2)
  COLUMN(cell_reference?) COLUMNS(range)
  GETPIVOTDATA(value_name, any_pivot_table_cell, original_column_1, pivot_item_1?, …)
  HLOOKUP(search_key, range, index, is_sorted) HYPERLINK(url, link_label) INDEX(reference, row, column)
  INDIRECT(cell_reference_as_string) LOOKUP(search_key, search_range_or_search_result_array, result_range?)
  MATCH(search_key, range, search_type) OFFSET(cell_reference, offset_rows, offset_columns, height, width)
  ROW(cell_reference) ROWS(range)
  REQUEST(url, params?, headers?, method?, data?, json?)
  SUBTOTAL(function_code, range1, range2) SUMIF(records, criterion, sum_range)
  SUMIFS(sum_range, criteria_range1, criterion1, …) SUMSQ(value1, value2)
  AVEDEV(value1, value2) AVERAGEIF(criteria_range, criterion, average_range?)
  AVERAGEIFS(average_range, criteria_range1, criterion1, …)
  BINOMDIST(num_successes, num_trials, prob_success, cumulative) CONFIDENCE(alpha, standard_deviation, pop_size)
  CORREL(data_y, data_x) COVAR(data_y, data_x) CRITBINOM(num_trials, prob_success, target_prob) DEVSQ(value1, value2)
  EXPONDIST(x, lambda_, cumulative) F_DIST(x, degrees_freedom1, degrees_freedom2, cumulative)
  F_DIST_RT(x, degrees_freedom1, degrees_freedom2) FDIST(x, degrees_freedom1, degrees_freedom2) FISHER(value)
  FISHERINV(value) FORECAST(x, data_y, data_x) GEOMEAN(value1, value2) HARMEAN(value1, value2)
  HYPGEOMDIST(num_successes, num_draws, successes_in_pop, pop_size) INTERCEPT(data_y, data_x) KURT(value1, value2)
  LARGE(data, n) LOGINV(x, mean, standard_deviation) LOGNORMDIST(x, mean, standard_deviation) MODE(value1, value2)
  NEGBINOMDIST(num_failures, num_successes, prob_success) NORMDIST(x, mean, standard_deviation, cumulative)
  NORMINV(x, mean, standard_deviation) NORMSDIST(x) NORMSINV(x) PEARSON(data_y, data_x) PERCENTILE(data, percentile)
  PERCENTRANK(data, value, significant_digits?) PERCENTRANK_EXC(data, value, significant_digits?)
  PERCENTRANK_INC(data, value, significant_digits?) PERMUT(n, k) POISSON(x, mean, cumulative)
  PROB(data, probabilities, low_limit, high_limit?) QUARTILE(data, quartile_number)
  RANK_AVG(value, data, is_ascending?) RANK_EQ(value, data, is_ascending?) RSQ(data_y, data_x) SKEW(value1, value2)
  SLOPE(data_y, data_x) SMALL(data, n) STANDARDIZE(value, mean, standard_deviation) STEYX(data_y, data_x)
  T_INV(probability, degrees_freedom) T_INV_2T(probability, degrees_freedom) TDIST(x, degrees_freedom, tails)
  TINV(probability, degrees_freedom) TRIMMEAN(data, exclude_proportion) TTEST(range1, range2, tails, type)
  VAR(value1, value2) VARA(value1, value2) VARP(value1, value2) VARPA(value1, value2)
  WEIBULL(x, shape, scale, cumulative) ZTEST(data, value, standard_deviation)
  TEXT(number, format)
`;

export const UNIMPLEMENTED_FUNCTIONS: readonly PyFunction[] = Array.from(
  SIGNATURES.matchAll(/(\w+)\(([^)]*)\)/g),
  ([, name = "", list = ""]) => {
    const parameters = list.split(", ");
    const named = parameters.filter((parameter) => parameter !== "…");
    const signature = {
      required: named.filter((parameter) => !parameter.endsWith("?")),
      optional: named
        .filter((parameter) => parameter.endsWith("?"))
        .map((parameter) => [parameter.slice(0, -1), null] as const),
      rest: named.length < parameters.length,
    };
    return defineFunction(name, signature, () => {
      throw new PyError("NotImplementedError", `${name} does not compute anything`);
    });
  },
);
