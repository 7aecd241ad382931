import { testTables } from "./table.ts";

/** Formats the times to make them readable. */
const times = (call: string): string => `[t.strftime('%Y-%m-%d %H:%M:%S') for t in SCHEDULE(${call})]`;

testTables({
  periods: [
    [times("'annual: Mar-5, 11/20 6pm', DATE(2022, 4, 1), 2"), "['2022-11-20 18:00:00', '2023-03-05 00:00:00']"],
    [times("'2-months: /1 9:15am', DATE(2022, 4, 1), 2"), "['2022-04-01 09:15:00', '2022-06-01 09:15:00']"],
    [
      times("'weekly: Tuesday, Fr 17:00', DATE(2022, 4, 1), 3"),
      "['2022-04-01 17:00:00', '2022-04-05 00:00:00', '2022-04-08 17:00:00']",
    ],
    [times("'2-days: 12pm', DATE(2022, 4, 1), 2"), "['2022-04-01 12:00:00', '2022-04-03 12:00:00']"],
    [
      times("'hourly: :05, :35', datetime.datetime(2022, 4, 1, 7, 10), 2"),
      "['2022-04-01 07:35:00', '2022-04-01 08:05:00']",
    ],
    [
      times("'15-minutes: +30S', datetime.datetime(2022, 4, 1, 7), 2"),
      "['2022-04-01 07:00:30', '2022-04-01 07:15:30']",
    ],
    [times("'monthly: +1w +2d', DATE(2022, 4, 1), 2"), "['2022-04-10 00:00:00', '2022-05-10 00:00:00']"],
    [times("'monthly: /31', DATE(2022, 2, 1), 2"), "['2022-03-03 00:00:00', '2022-03-31 00:00:00']"],
  ],
  bounds: [
    [times("'daily: 8am', '2022-04-01', end='2022-04-02 08:00'"), "['2022-04-01 08:00:00', '2022-04-02 08:00:00']"],
    [times("'daily: 8am', '2022-04-01', count=0"), "[]"],
    ["len(list(SCHEDULE('daily: 8am', '2022-04-01')))", "10"],
    ["str(next(SCHEDULE('daily: 8am', DTIME('2022-03-27', 'Europe/Berlin'))))", "'2022-03-27 08:00:00+02:00'"],
  ],
  errors: [
    ["list(SCHEDULE('8am'))", "ValueError"],
    ["list(SCHEDULE('fortnightly: 8am'))", "ValueError"],
    ["list(SCHEDULE('0-days: 8am'))", "ValueError"],
    ["list(SCHEDULE('daily: 8am,'))", "ValueError"],
    ["list(SCHEDULE('daily: 25:00'))", "ValueError"],
    ["list(SCHEDULE('weekly: 8am'))", "ValueError"],
    ["list(SCHEDULE('monthly: /1 8am 9am'))", "ValueError"],
    ["list(SCHEDULE('annual: 13/1'))", "ValueError"],
    ["list(SCHEDULE(None))", "AttributeError"],
    ["len(list(SCHEDULE('daily: 8am', '9999-12-30', 100)))", "OverflowError"],
    ["list(SCHEDULE('30-seconds: +0S', '2022-01-01', 10 ** 9))", "TimeoutError"],
  ],
});
