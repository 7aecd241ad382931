import { PyDateTime } from "../dates/datetime.ts";
import { dayNumber } from "../dates/days.ts";
import { PyTimedelta } from "../dates/timedelta.ts";
import type { PyValue } from "../runtime/values.ts";

/** The average length of a lunar month in days. */
const MONTH_DAYS = 29.530588853;

/** A new moon. */
const NEW_MOON = new PyDateTime({ day: dayNumber(1900, 1, 1), micros: 0 });

const PHASES: readonly string[] = ["🌑", "🌒", "🌓", "🌔", "🌕", "🌖", "🌗", "🌘"];
const FULL = 4;

/** Implements MOONPHASE, by the average length of lunar months. An unknown output falls back to the emoji. */
export function moonPhase(time: PyDateTime, output: PyValue): PyValue {
  const days = new PyTimedelta(time.utcMicros - NEW_MOON.utcMicros).totalSeconds / 86_400;
  const age = ((days % MONTH_DAYS) + MONTH_DAYS) % MONTH_DAYS;
  const phase = Math.round((age / MONTH_DAYS) * PHASES.length) % PHASES.length;
  if (output === "lunacy") return phase === FULL ? "🐺" : "🕺";
  if (output === "days") return age;
  if (output === "fraction") return age / MONTH_DAYS;
  return PHASES[phase] ?? "";
}
