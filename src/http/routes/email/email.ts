import { describeEmail, sendTestMessage } from "../../../services/email/administration.ts";
import { EmailStatus, TestMessage } from "../../../wire/email/email.ts";
import { jsonResponse } from "../../responses.ts";
import { adminAccess } from "../../route-access.ts";
import { route, type Route } from "../../route.ts";

const tag = "email";
const path = "/api/email";

/** Routes of sending email. */
export const emailRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path,
      id: "getEmailStatus",
      tag,
      summary: "Get the state of sending email",
      about: "Whether the server sends email, and how many messages wait.",
      access: adminAccess,
      response: EmailStatus,
    },
    ({ ctx, grant }) => {
      const { missing, server, from, waiting, lastError } = describeEmail(ctx, grant);
      return jsonResponse({ isOn: missing === null, missing, server, from: from?.address ?? null, waiting, lastError });
    },
  ),
  route(
    {
      method: "post",
      path: `${path}/test`,
      id: "sendTestEmail",
      tag,
      summary: "Send a test message",
      about:
        "Sends a message to the caller's own address at once, to check the settings. The response says whether the SMTP server accepted it. 400 with `email.off` when email is off.",
      access: adminAccess,
      isLong: true,
      // A repeated request is to try again.
      idempotency: "ignored",
      response: TestMessage,
    },
    async ({ ctx, grant }) => jsonResponse(await sendTestMessage(ctx, grant)),
  ),
];
