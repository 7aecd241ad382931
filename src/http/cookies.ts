/** The session cookie of people signed in on the pages. */
export const SESSION_COOKIE = "quern_session";

/** The value of a cookie, or null. */
export function cookie(request: Request, name: string): string | null {
  const header = request.headers.get("cookie");
  if (!header) return null;
  for (const part of header.split(";")) {
    const at = part.indexOf("=");
    if (part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return null;
}
