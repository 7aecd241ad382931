/** When a form closes, with the time zone. The server writes UTC; the page's script writes the visitor's time zone. */
export function formatClosingTime(locale: string, at: Date, timeZone?: string): string {
  return new Intl.DateTimeFormat(locale, {
    year: "numeric",
    month: "long",
    day: "numeric",
    hour: "numeric",
    minute: "2-digit",
    timeZoneName: "short",
    ...(timeZone !== undefined && { timeZone }),
  }).format(at);
}
