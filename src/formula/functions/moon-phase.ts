import { PyDateTime } from "../dates/datetime.ts";
import { dayNumber } from "../dates/days.ts";
import { PyTimedelta } from "../dates/timedelta.ts";
import type { PyValue } from "../runtime/values.ts";

/** Days from new moon to new moon, on the average. */
const MONTH_DAYS = 29.530588853;

/** At the beginning of 1900 the moon was new. */
const NEW_MOON = new PyDateTime({ day: dayNumber(1900, 1, 1), micros: 0 });

const PHASES: readonly string[] = ["🌑", "🌒", "🌓", "🌔", "🌕", "🌖", "🌗", "🌘"];
const FULL = 4;

/** MOONPHASE: what the moon looks like, from the average length of its months. An unknown output is an emoji. */
export function moonPhase(time: PyDateTime, output: PyValue): PyValue {
  const days = new PyTimedelta(time.utcMicros - NEW_MOON.utcMicros).totalSeconds / 86_400;
  const age = ((days % MONTH_DAYS) + MONTH_DAYS) % MONTH_DAYS;
  const phase = Math.round((age / MONTH_DAYS) * PHASES.length) % PHASES.length;
  if (output === "lunacy") return phase === FULL ? "🐺" : "🕺";
  if (output === "days") return age;
  if (output === "fraction") return age / MONTH_DAYS;
  return PHASES[phase] ?? "";
}
