import { describe, expect, test } from "bun:test";
import { cellToPython } from "../../../src/formula/cell-to-python.ts";
import { computeCell } from "../../../src/formula/compute-cell.ts";
import { compileFormula } from "../../../src/formula/formula.ts";
import type { CellValue } from "../../../src/values/cell.ts";
import { columnType } from "../../../src/values/column-type.ts";
import { evaluate } from "../evaluate.ts";
import { testTables } from "../functions/table.ts";
import { rowOf } from "../evaluate.ts";

const berlin = (seconds: number) => cellToPython(seconds, columnType("DateTime:Europe/Berlin"));

testTables(
  {
    "cells are local times in the zone of their column": [
      ["str($Winter)", "'2024-01-15 12:00:00+01:00'"],
      ["str($Summer)", "'2024-07-15 12:00:00+02:00'"],
      ["$Summer.tzinfo.zone.name", "'Europe/Berlin'"],
      ["$Summer.dst()", "datetime.timedelta(seconds=3600)"],
      ["$Winter.strftime('%H:%M %Z %z')", "'12:00 CET +0100'"],
      ["$Winter.date()", "datetime.date(2024, 1, 15)"],
      ["$Winter.timetz() == $Winter.timetz()", "True"],
    ],
    "ambiguous local times keep the cell's offset": [
      ["str($First) + ' ' + str($Second)", "'2024-10-27 02:30:00+02:00 2024-10-27 02:30:00+01:00'"],
      ["$Second.timestamp() - $First.timestamp()", "3600.0"],
      ["$Second - $First", "datetime.timedelta(seconds=3600)"],
    ],
    arithmetic: [
      // The clock continues without a DST change.
      ["str($Winter + datetime.timedelta(182))", "'2024-07-15 12:00:00+02:00'"],
      ["($Winter + datetime.timedelta(182)) - $Winter", "datetime.timedelta(days=182)"],
      // Cells in summer and winter have different offsets.
      ["$Summer - $Winter", "datetime.timedelta(days=181, seconds=82800)"],
      ["$Summer - DTIME('2024-07-15 10:00')", "datetime.timedelta(0)"],
      ["$Summer == DTIME('2024-07-15 10:00')", "True"],
      ["$Summer < datetime.datetime(2024, 7, 15)", "TypeError"],
    ],
    "other zones": [
      ["str($Winter.astimezone(datetime.timezone.utc))", "'2024-01-15 11:00:00+00:00'"],
      ["str($Winter.astimezone(DTIME('2024-01-01', 'Asia/Tokyo').tzinfo))", "'2024-01-15 20:00:00+09:00'"],
      ["DTIME('2024-01-01', 'Asia/Tokyo').tzname()", "'JST'"],
      ["DTIME('2024-07-01', 'America/Sao_Paulo').tzname()", "'-03'"],
      ["str($Winter.replace(tzinfo=None))", "'2024-01-15 12:00:00'"],
      [
        "datetime.timezone(datetime.timedelta(hours=-3.5))",
        "datetime.timezone(datetime.timedelta(days=-1, seconds=73800))",
      ],
      ["str(datetime.timezone(datetime.timedelta(hours=-3.5)))", "'UTC-03:30'"],
      ["datetime.timezone(datetime.timedelta(hours=24))", "ValueError"],
    ],
  },
  {
    Winter: berlin(1_705_316_400),
    Summer: berlin(1_721_037_600),
    First: berlin(1_729_989_000),
    Second: berlin(1_729_992_600),
  },
);

describe("results in columns", () => {
  const cases: [type: string, formula: string, cell: CellValue][] = [
    ["Any", "datetime.datetime(2024, 1, 15, 12, 0, 0, 500000)", ["D", 1_705_320_000.5, "UTC"]],
    ["Any", "DTIME('2024-01-15 12:00', 'Asia/Tokyo')", ["D", 1_705_287_600, "Asia/Tokyo"]],
    ["Any", "[DATE(2024, 1, 15)]", ["L", ["d", 1_705_276_800]]],
    ["Any", "datetime.timedelta(1)", ["U", "datetime.timedelta(days=1)"]],
    ["Any", "datetime.time(8)", ["U", "datetime.time(8, 0)"]],
    ["Date", "datetime.datetime(2024, 1, 15, 23)", 1_705_276_800],
    // The date in the zone, not in UTC.
    ["Date", "DTIME('2024-01-15 01:00', 'Asia/Tokyo')", 1_705_276_800],
    ["Date", "datetime.timedelta(1)", "1 day, 0:00:00"],
    ["DateTime:Asia/Tokyo", "DATE(2024, 1, 15)", 1_705_244_400],
    ["DateTime:Asia/Tokyo", "datetime.datetime(2024, 1, 15, 12)", 1_705_287_600],
    ["DateTime:Asia/Tokyo", "DTIME('2024-01-15 12:00')", 1_705_320_000],
    ["DateTime:Asia/Tokyo", "'2024-01-15T12:00'", 1_705_287_600],
    ["DateTime:Asia/Tokyo", "'2024-01-15 12:00+01:00'", 1_705_316_400],
    ["DateTime:Asia/Tokyo", "'15.1.2024'", "15.1.2024"],
    ["DateTime:America/New_York", "DATE(2024, 7, 15)", 1_721_016_000],
    ["DateTime:America/New_York", "DATE(2024, 1, 15)", 1_705_294_800],
    ["Text", "DATE(2024, 1, 15)", "2024-01-15"],
    ["Text", "DTIME('2024-01-15', 'Asia/Tokyo')", "2024-01-15 00:00:00+09:00"],
  ];
  test.each(cases)("%s: %s", (type, formula, cell) => {
    expect(
      computeCell(
        compileFormula(formula),
        rowOf(() => null),
        columnType(type),
      ).cell,
    ).toEqual(cell);
  });

  test("round-trips values of columns", () => {
    const type = columnType("Any");
    const value = cellToPython(["D", 1_705_316_400.25, "Europe/Berlin"], type);
    expect(evaluate("str($T)", { T: value })).toBe("'2024-01-15 12:00:00.250000+01:00'");
    expect(evaluate("$T", { T: cellToPython(1e18, columnType("DateTime:UTC")) })).toBe("AltText('1e+18')");
  });
});
