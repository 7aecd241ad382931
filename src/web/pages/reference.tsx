import { raw } from "hono/html";
import { assetPath } from "../assets.ts";
import type { PageContext } from "../env.ts";

/**
 * The API reference: the server's own OpenAPI description, shown by RapiDoc, a web component that needs nothing from
 * other addresses. It styles itself from its script, which the policy of this one page allows.
 */
export function showReference(c: PageContext) {
  c.header("Content-Security-Policy", REFERENCE_POLICY);
  return c.html(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>API reference · Quern</title>
        <script type="module" src={assetPath("rapidoc")}></script>
      </head>
      <body>{raw(ELEMENT)}</body>
    </html>,
  );
}

const REFERENCE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'";

const ELEMENT = `<rapi-doc spec-url="/openapi.json" load-fonts="false" regular-font="system-ui, sans-serif"
  mono-font="ui-monospace, monospace" render-style="focused" show-header="false" allow-server-selection="false"
  show-method-in-nav-bar="as-colored-text" nav-bg-color="#faf8f5" primary-color="#8a4b1f" theme="light"
  schema-description-expanded="true" persist-auth="false"></rapi-doc>`;
