import type { PyValue } from "../runtime/values.ts";
import { DATE_TYPE } from "./date.ts";
import { DATETIME_TYPE } from "./datetime.ts";
import { TIME_TYPE } from "./time.ts";
import { TIMEDELTA_TYPE } from "./timedelta.ts";
import { TIMEZONE_TYPE, TZINFO_TYPE, UTC_TIMEZONE } from "./tzinfo.ts";

export const DATETIME_MODULE: ReadonlyMap<string, PyValue> = new Map<string, PyValue>([
  ["date", DATE_TYPE],
  ["datetime", DATETIME_TYPE],
  ["time", TIME_TYPE],
  ["timedelta", TIMEDELTA_TYPE],
  ["timezone", TIMEZONE_TYPE],
  ["tzinfo", TZINFO_TYPE],
  ["UTC", UTC_TIMEZONE],
  ["MINYEAR", 1n],
  ["MAXYEAR", 9999n],
]);
