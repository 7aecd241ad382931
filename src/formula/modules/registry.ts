import { CALENDAR_MODULE } from "../dates/calendar-module.ts";
import { DATETIME_MODULE } from "../dates/datetime-module.ts";
import { TIME_MODULE } from "../dates/time-module.ts";
import { PyModule } from "./module.ts";
import { RE_MODULE } from "./re.ts";

/** The modules that formulas can import. */
export const MODULES: ReadonlyMap<string, PyModule> = new Map(
  [
    new PyModule(
      "calendar",
      CALENDAR_MODULE,
      "Calendar HTMLCalendar TextCalendar calendar formatstring prcal prmonth prweek setfirstweekday week weekheader",
    ),
    new PyModule("datetime", DATETIME_MODULE),
    RE_MODULE,
    new PyModule(
      "time",
      TIME_MODULE,
      "clock_getres clock_gettime get_clock_info process_time sleep struct_time thread_time tzset",
    ),
  ].map((module) => [module.name, module]),
);

/** Modules that are there without an import. */
export const KNOWN_MODULES = ["datetime", "math", "re"].flatMap((name) => {
  const module = MODULES.get(name);
  return module ? [[name, module] as const] : [];
});
