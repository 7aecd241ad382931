/** The spans of days that the filter builder offers. */
export const SPANS: readonly string[] = [
  "today",
  "yesterday",
  "last7days",
  "next7days",
  "last30days",
  "next30days",
  "thisWeek",
  "lastWeek",
  "thisMonth",
  "lastMonth",
  "thisYear",
  "lastYear",
];
