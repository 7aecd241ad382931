import { AltText, PyList } from "../../../src/formula/runtime/values.ts";
import { testTables } from "./table.ts";

const ROW = { Marks: new PyList([4n, 2.5, null, new AltText("ill", "Numeric"), true, "7"]) };

testTables(
  {
    averages: [
      ["AVERAGE(3, 4)", "3.5"],
      ["AVERAGE($Marks)", "3.25"],
      ["AVERAGE('none')", "ZeroDivisionError"],
      ["AVERAGE()", "TypeError"],
      ["AVERAGEA(4, [True, 'x', None])", "1.25"],
      ["AVERAGE_WEIGHTED([(10, 1), (20, 3), (None, 9), (40, '1')])", "17.5"],
      ["AVERAGE_WEIGHTED([(1, 2, 3)])", "ValueError"],
      ["AVERAGE_WEIGHTED([5])", "TypeError"],
      ["MEDIAN(9, 1, 5)", "5"],
      ["MEDIAN(9, 1, 5, 2)", "3.5"],
      ["MEDIAN([])", "ValueError"],
    ],
    counts: [
      ["COUNT($Marks, DATE(2020, 1, 1))", "3"],
      ["COUNT({'a': 1}, 5)", "1"],
      ["COUNTA($Marks)", "6"],
      ["COUNTA('four')", "4"],
      ["COUNTA(x for x in (1, None))", "2"],
    ],
    extremes: [
      ["MAX($Marks)", "4"],
      ["MIN($Marks)", "2.5"],
      ["MAX('x')", "0"],
      ["MAX(True, -3)", "-3"],
      ["MAXA(True, -3)", "1"],
      ["MINA(4, 'x')", "0"],
      ["MAX(DATE(2020, 1, 1), DATE(2021, 1, 1))", "datetime.date(2021, 1, 1)"],
      ["MIN(DATE(2020, 1, 2), datetime.datetime(2020, 1, 1, 23))", "datetime.datetime(2020, 1, 1, 23, 0)"],
      [
        "MAX(DTIME('2020-01-01 12:00', 'Asia/Tokyo'), datetime.datetime(2020, 1, 1, 4))",
        "datetime.datetime(2020, 1, 1, 4, 0)",
      ],
      ["MAX(1, DATE(2021, 1, 1))", "TypeError"],
    ],
    "standard deviation": [
      ["STDEV(2, 4, 4, 4, 5, 5, 7, 9)", "2.138089935299395"],
      ["STDEVP(2, 4, 4, 4, 5, 5, 7, 9)", "2.0"],
      ["STDEV(2)", "ZeroDivisionError"],
      ["STDEVP()", "TypeError"],
      ["STDEVP([])", "ZeroDivisionError"],
      ["STDEVA(1, 'x')", "0.7071067811865476"],
      ["STDEVPA(True, None)", "0.5"],
    ],
    "unimplemented functions": [
      ["VAR(1, 2)", "NotImplementedError"],
      ["PERCENTRANK([1, 2], 1)", "NotImplementedError"],
      ["PERCENTRANK([1, 2])", "TypeError"],
      ["IFERROR(MODE(1, 1), 'none')", "'none'"],
    ],
  },
  ROW,
);
