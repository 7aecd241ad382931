/**
 * Fills in the pages of the real provider for development without a browser.
 * @param url the URL that a sign-in redirects to
 * @returns the URL of the callback
 */
export async function signInAtProvider(url: string, login: string): Promise<string> {
  const { origin } = new URL(url);
  const cookies = new Map<string, string>();
  let form: URLSearchParams | null = null;
  let target = url;
  for (let step = 0; step < 12; step++) {
    const response = await fetch(target, {
      redirect: "manual",
      headers: { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(form && { method: "POST", body: form }),
    });
    for (const text of response.headers.getSetCookie()) {
      const [name = "", value = ""] = (text.split(";")[0] ?? "").split("=");
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    const html = await response.text();
    if (location !== null) {
      target = new URL(location, target).href;
      form = null;
      if (!target.startsWith(origin)) return target;
      continue;
    }
    const action = /<form[^>]*action="([^"]+)"/.exec(html)?.[1];
    const prompt = /name="prompt" value="(\w+)"/.exec(html)?.[1];
    if (action === undefined || prompt === undefined) throw new Error(`unexpected page: ${response.status} ${html}`);
    target = new URL(action, target).href;
    form = new URLSearchParams({ prompt, ...(prompt === "login" && { login, password: "any" }) });
  }
  throw new Error("the provider does not redirect back");
}
