/** Choices of a visitor that the server renders, kept in cookies of this browser. */
const YEAR_S = 365 * 24 * 60 * 60;

/** @param value letters, digits, dots and hyphens; empty to forget the choice */
export function keepChoice(name: string, value: string): void {
  document.cookie = `${name}=${value}; Path=/; Max-Age=${value === "" ? 0 : YEAR_S}; SameSite=Lax`;
}
