import { describe, expect, test } from "bun:test";
import { withContext } from "../../../src/formula/runtime/evaluation-context.ts";
import { evaluate } from "../evaluate.ts";
import { testTables } from "../functions/table.ts";

testTables({
  calendar: [
    ["import calendar\ncalendar.monthrange(2023, 2)", "(2, 28)"],
    ["import calendar\ncalendar.monthrange(2023, 0)", "IllegalMonthError"],
    ["import calendar\n[calendar.isleap(y) for y in (1900, 2000, 2023, 2024)]", "[False, True, False, True]"],
    ["import calendar\ncalendar.month_name[8] + calendar.day_abbr[calendar.SATURDAY]", "'AugustSat'"],
    ["import calendar\ncalendar.monthcalendar(2021, 2)[0]", "[1, 2, 3, 4, 5, 6, 7]"],
    ["import calendar\ncalendar.timegm((2000, 1, 1, 0, 0, 1))", "946684801"],
    ["from calendar import month\nmonth(2021, 2).splitlines()[1]", "'Mo Tu We Th Fr Sa Su'"],
  ],
  time: [
    ["import time\ntime.gmtime(90061).tm_hour", "1"],
    ["import time\ntime.strftime('%d %b', time.gmtime(0))", "'01 Jan'"],
    ["import time\ntime.strptime('5/6/2020', '%d/%m/%Y')[:3]", "(2020, 6, 5)"],
    ["import time\ntime.mktime((2000, 1, 1, 0, 0, 0, 0, 0, 0))", "946684800.0"],
    ["import time\ntime.strftime('%d', (1, 2))", "TypeError"],
  ],
});

describe("the server clock", () => {
  test("is the clock of the evaluation", () => {
    const context = { nowMs: 1500, timezone: "Asia/Tokyo", random: Math.random };
    expect(withContext(context, () => evaluate("import time\ntime.time()"))).toBe("1.5");
    expect(withContext(context, () => evaluate("import time\ntime.localtime().tm_hour"))).toBe("0");
  });
});
