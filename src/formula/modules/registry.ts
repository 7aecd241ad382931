import { CALENDAR_MODULE } from "../dates/calendar-module.ts";
import { DATETIME_MODULE } from "../dates/datetime-module.ts";
import { TIME_MODULE } from "../dates/time-module.ts";
import { COLLECTIONS_MODULE } from "./collections.ts";
import { BISECT_MODULE, COPY_MODULE, HEAPQ_MODULE } from "./bisect-heapq-copy.ts";
import { BASE64_MODULE, HASHLIB_MODULE, URL_MODULE, URLLIB_MODULE } from "./encodings.ts";
import { FUNCTOOLS_MODULE } from "./functools.ts";
import { ITERTOOLS_MODULE } from "./itertools.ts";
import { JSON_MODULE } from "./json.ts";
import { MATH_MODULE } from "./math.ts";
import { ENUM_MODULE } from "./enum.ts";
import { PyModule } from "./module.ts";
import { RANDOM_MODULE } from "./random.ts";
import { UUID_MODULE } from "./uuid.ts";
import { DECIMAL_MODULE } from "../decimals/module.ts";
import { FRACTIONS_MODULE, STATISTICS_MODULE } from "./statistics.ts";
import { STRING_MODULE, TEXTWRAP_MODULE } from "./strings.ts";
import { UNICODEDATA_MODULE } from "./unicode-data.ts";
import { OPERATOR_MODULE } from "./operator.ts";
import { RE_MODULE } from "./re.ts";

/** Modules that formulas can import. */
export const MODULES: ReadonlyMap<string, PyModule> = new Map(
  [
    new PyModule(
      "calendar",
      CALENDAR_MODULE,
      "Calendar HTMLCalendar TextCalendar calendar formatstring prcal prmonth prweek setfirstweekday week weekheader",
    ),
    new PyModule("datetime", DATETIME_MODULE),
    RE_MODULE,
    STRING_MODULE,
    TEXTWRAP_MODULE,
    UNICODEDATA_MODULE,
    STATISTICS_MODULE,
    FRACTIONS_MODULE,
    DECIMAL_MODULE,
    RANDOM_MODULE,
    UUID_MODULE,
    ENUM_MODULE,
    MATH_MODULE,
    JSON_MODULE,
    COLLECTIONS_MODULE,
    ITERTOOLS_MODULE,
    FUNCTOOLS_MODULE,
    OPERATOR_MODULE,
    BISECT_MODULE,
    HEAPQ_MODULE,
    COPY_MODULE,
    BASE64_MODULE,
    HASHLIB_MODULE,
    URL_MODULE,
    URLLIB_MODULE,
    new PyModule(
      "time",
      TIME_MODULE,
      "clock_getres clock_gettime get_clock_info process_time sleep struct_time thread_time tzset",
    ),
  ].map((module) => [module.name, module]),
);

/** Modules that are available without an import. */
export const PRELOADED_MODULES = ["datetime", "math", "re"].flatMap((name) => {
  const module = MODULES.get(name);
  return module ? [[name, module] as const] : [];
});
