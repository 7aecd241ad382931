import { describe, expect, test } from "bun:test";
import { withContext } from "../../../src/formula/runtime/evaluation-context.ts";
import { AltText } from "../../../src/formula/runtime/values.ts";
import { evaluate } from "../evaluate.ts";
import { testTables } from "./table.ts";

testTables(
  {
    "creating dates": [
      ["DATE(2024, 2, 29)", "datetime.date(2024, 2, 29)"],
      ["DATE(2023, 2, 29)", "datetime.date(2023, 3, 1)"],
      ["DATE(2023, 14, -1)", "datetime.date(2024, 1, 30)"],
      ["DATE(85, 6, 1)", "datetime.date(1985, 6, 1)"],
      ["DATE(2023, 1.5, 1)", "TypeError"],
      ["DATE(12000, 1, 1)", "ValueError"],
      ["DATE(9999, 12, 32)", "OverflowError"],
      ["DATE(10 ** 20, 1, 1)", "OverflowError"],
      ["DATE(2023, 1, 2.5)", "datetime.date(2023, 1, 2)"],
      ["DATE(True, 1, 1)", "datetime.date(1901, 1, 1)"],
      ["DATEADD(DATE(2023, 10, 31), months=1)", "datetime.date(2023, 12, 1)"],
      ["DATEADD(DATE(2023, 10, 31), 1, 1, 1, 1)", "datetime.date(2024, 12, 9)"],
      ["DATEADD('2023-10-31', days=1)", "AttributeError"],
      ["DATEADD($Wrong, days=1)", "InvalidTypedValue"],
      ["EDATE(DATE(2023, 8, 31), -2)", "datetime.date(2023, 7, 1)"],
      ["EOMONTH(DATE(2023, 12, 5), 2)", "datetime.date(2024, 2, 29)"],
      ["XL_TO_DATE(1.5)", "datetime.datetime(1899, 12, 31, 12, 0, tzinfo=tzinfo(UTC))"],
      ["DATE_TO_XL(DATE(2000, 1, 1))", "36526.0"],
      ["DATE_TO_XL(DTIME('2000-01-01 12:00', 'America/New_York'))", "36526.708333333336"],
    ],
    "parsing texts": [
      ["str(DATEVALUE('3 Feb 2021 4:05 pm'))", "'2021-02-03 16:05:00+00:00'"],
      ["str(DATEVALUE('2/3/21'))", "'2021-02-03 00:00:00+00:00'"],
      ["str(DATEVALUE('23/2/2021'))", "'2021-02-23 00:00:00+00:00'"],
      ["str(DATEVALUE('Wednesday, February 3rd, 2021 at 16:05'))", "'2021-02-03 16:05:00+00:00'"],
      ["str(DATEVALUE('2021-02-03T16:05:00+09:00', 'Asia/Tokyo'))", "'2021-02-03 16:05:00+09:00'"],
      ["str(DATEVALUE('2021-02-03T16:05:00+02:00'))", "'2021-02-03 16:05:00+00:00'"],
      ["str(DATEVALUE('20210203T160507.25'))", "'2021-02-03 16:05:07.250000+00:00'"],
      ["str(DATEVALUE('20210203160507'))", "'2021-02-03 16:05:07+00:00'"],
      ["str(DATEVALUE('03-Feb-2021'))", "'2021-02-03 00:00:00+00:00'"],
      ["DATEVALUE('soon')", "ParserError"],
      ["DATEVALUE('31/31/2021')", "ParserError"],
      ["DATEVALUE('2021-02-29')", "ParserError"],
      ["DATEVALUE('2021-02-03', 'Europe/Atlantis')", "KeyError"],
      ["DATEVALUE(20210203)", "TypeError"],
    ],
    "aware times": [
      ["str(DTIME(DATE(2021, 7, 1), 'Europe/Berlin'))", "'2021-07-01 00:00:00+02:00'"],
      ["str(DTIME(DTIME('2021-07-01 12:00', 'Asia/Tokyo'), 'Europe/Berlin'))", "'2021-07-01 12:00:00+09:00'"],
      ["DTIME(None)", "ValueError"],
      ["DTIME('2021-07-01', 'europe/berlin')", "KeyError"],
      ["DTIME('2021-03-28 02:30', 'Europe/Berlin').tzname()", "'CEST'"],
      ["DTIME('2021-10-31 02:30', 'Europe/Berlin').isoformat()", "'2021-10-31T02:30:00+02:00'"],
      ["DTIME('2021-01-01', 'Asia/Kathmandu').tzname()", "'+0545'"],
    ],
    parts: [
      ["YEAR('5 Aug 2019 7:08:09')", "2019"],
      ["MONTH(DATE(2019, 8, 5))", "8"],
      ["DAY(DATE(2019, 8, 5))", "5"],
      ["HOUR(datetime.time(22, 10))", "22"],
      ["MINUTE('7:08:09')", "8"],
      ["SECOND(DATE(2019, 8, 5))", "0"],
      ["HOUR(7)", "ValueError"],
      ["HOUR($Wrong)", "ValueError"],
      ["WEEKDAY(DATE(2024, 2, 29))", "5"],
      ["WEEKDAY(DATE(2024, 2, 29), 2)", "4"],
      ["WEEKDAY(DATE(2024, 2, 29), 3)", "3"],
      ["WEEKDAY(DATE(2024, 2, 29), 15)", "7"],
      ["WEEKDAY(DATE(2024, 2, 29), 18)", "ValueError"],
      ["WEEKNUM(DATE(2024, 12, 31))", "53"],
      ["WEEKNUM(DATE(2024, 12, 31), 21)", "1"],
      ["WEEKNUM(DATE(2024, 1, 7), 2)", "1"],
      ["WEEKNUM(DTIME('2024-01-07'))", "TypeError"],
      ["ISOWEEKNUM('2027-01-01')", "53"],
    ],
    differences: [
      ["DAYS(DATE(2024, 3, 1), '2024-02-01')", "29"],
      ["DAYS(DTIME('2024-03-01'), DATE(2024, 2, 1))", "TypeError"],
      ["DATEDIF('2020-05-20', '2024-03-10', 'Y')", "3"],
      ["DATEDIF('2020-05-20', '2024-03-10', 'M')", "45"],
      ["DATEDIF('2020-05-20', '2024-03-10', 'D')", "1390"],
      ["DATEDIF('2020-05-20', '2024-03-10', 'MD')", "19"],
      ["DATEDIF('2020-05-20', '2024-03-10', 'YM')", "9"],
      ["DATEDIF('2020-05-20', '2024-03-10', 'YD')", "295"],
      ["DATEDIF('2020-05-20', '2024-03-10', 'H')", "ValueError"],
      ["DATEDIF(start='2020-05-20', end_date='2020-05-22', unit='D')", "2"],
      ["DAYS('2020-05-20', end='2020-05-22')", "TypeError"],
      ["DAYS(end='2020-05-20', end_date='2020-05-22')", "TypeError"],
      ["NETWORKDAYS('2024-01-01', '2024-01-14')", "10"],
      ["NETWORKDAYS('2024-01-01', '2024-01-14', ['2024-01-01', '2024-01-06'])", "9"],
      ["NETWORKDAYS('2024-01-14', '2024-01-01')", "-10"],
      ["YEARFRAC(DATE(2023, 1, 31), DATE(2023, 7, 31))", "0.5"],
      ["YEARFRAC(DATE(2023, 7, 31), DATE(2023, 1, 31))", "0.5"],
      ["YEARFRAC(DATE(2024, 1, 1), DATE(2025, 1, 1), 1)", "1.0"],
      ["YEARFRAC(DATE(2024, 1, 1), DATE(2024, 7, 1), 3)", "0.4986301369863014"],
      ["YEARFRAC(DATE(2024, 1, 1), DATE(2024, 7, 1), 9)", "ValueError"],
      ["YEARFRAC('2024-01-01', '2024-07-01')", "AttributeError"],
    ],
    moon: [
      ["MOONPHASE(DATE(2024, 1, 25))", "'🌕'"],
      ["MOONPHASE(DATE(2024, 1, 11))", "'🌑'"],
      ["MOONPHASE(DATE(2024, 1, 25), 'lunacy')", "'🐺'"],
      ["0 <= MOONPHASE(DATE(2024, 1, 11), 'fraction') < 1", "True"],
      ["MOONPHASE(DATE(2024, 1, 25), 'mood')", "'🌕'"],
    ],
  },
  { Wrong: new AltText("soon", "Date") },
);

describe("the current time", () => {
  // 2024-06-30 22:30 UTC.
  const nowMs = 1_719_786_600_000;
  const at = (formula: string, timezone = "Europe/Berlin"): { result: string; reads: number } => {
    let reads = 0;
    const onClockRead = () => void reads++;
    const result = withContext({ nowMs, timezone, random: Math.random, onClockRead }, () => evaluate(formula));
    return { result, reads };
  };

  test.each([
    ["TODAY()", "datetime.date(2024, 7, 1)"],
    ["TODAY('America/New_York')", "datetime.date(2024, 6, 30)"],
    ["str(NOW())", "'2024-07-01 00:30:00+02:00'"],
    ["str(NOW('Asia/Kolkata'))", "'2024-07-01 04:00:00+05:30'"],
    ["datetime.date.today()", "datetime.date(2024, 6, 30)"],
    ["datetime.datetime.now()", "datetime.datetime(2024, 6, 30, 22, 30)"],
    ["DATEVALUE('12:15').isoformat()", "'2024-07-01T12:15:00+02:00'"],
  ])("%s", (formula, result) => {
    expect(at(formula).result).toBe(result);
    expect(at(formula).reads).toBeGreaterThan(0);
  });

  test("formulas without it do not read the clock", () => {
    expect(at("str(DTIME('2024-01-01'))")).toEqual({ result: "'2024-01-01 00:00:00+01:00'", reads: 0 });
    expect(at("NOW('Nowhere/There')").result).toBe("KeyError");
  });
});
