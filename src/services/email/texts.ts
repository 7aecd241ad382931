/** The English texts of email. Values are safe names, addresses, times and links; see `messages.ts`. */

/** A message before it is rendered. */
export interface EmailText {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  /** A link, with what following it does. */
  readonly link?: { readonly label: string; readonly url: string };
  /** Shown below the link. */
  readonly notes: readonly string[];
}

interface InvitationValues {
  /** Empty for none. */
  readonly inviter: string;
  readonly inviterAddress: string;
  /** What was shared; null if an administrator added the user. */
  readonly resource: { readonly kind: "document" | "workspace" | "site"; readonly name: string } | null;
  readonly address: string;
  readonly host: string;
  readonly url: string;
  readonly expires: string;
}

export function invitationText(values: InvitationValues): EmailText {
  const { inviter, inviterAddress, resource, address, host, url, expires } = values;
  const from = inviter === "" ? "An administrator" : `${inviter} (${inviterAddress})`;
  const shared = resource && `shared the ${resource.kind} “${resource.name}” with you`;
  return {
    subject: inviter === "" ? `Invitation to ${host}` : `${inviter} invited you to ${host}`,
    paragraphs: [
      shared ? `${from} ${shared} on ${host}.` : `${from} added you as a user of ${host}.`,
      `To get started, create your account for ${address}.`,
    ],
    link: { label: "Create your account", url },
    notes: [
      `The link works once, until ${expires}. It is meant for you alone: do not forward it.`,
      "If you did not expect this invitation, you can ignore this message.",
    ],
  };
}

interface ResetValues {
  readonly address: string;
  readonly host: string;
  readonly url: string;
}

export const resetText = ({ address, host, url }: ResetValues): EmailText => ({
  subject: `Reset your password for ${host}`,
  paragraphs: [`A new password was requested for ${address} on ${host}.`],
  link: { label: "Set a new password", url },
  notes: [
    "The link works once, within an hour.",
    "If it was not you, ignore this message: your password stays as it is.",
  ],
});

interface FailingWebhookValues {
  readonly document: string;
  readonly webhook: string;
  readonly since: string;
  readonly host: string;
  readonly url: string;
}

export const failingWebhookText = ({ document, webhook, since, host, url }: FailingWebhookValues): EmailText => ({
  subject: `A webhook of “${document}” is failing`,
  paragraphs: [
    `The webhook ${webhook} of the document “${document}” on ${host} has not been delivered since ${since}.`,
    "Its events are kept and sent again until the receiver accepts them, or the queue is full.",
  ],
  link: { label: "Show the webhooks of the document", url },
  notes: ["You receive this message because you own the document, at most once a day for each webhook."],
});

interface FailedBackupValues {
  readonly at: string;
  readonly host: string;
  readonly url: string;
}

export const failedBackupText = ({ at, host, url }: FailedBackupValues): EmailText => ({
  subject: `A backup of ${host} failed`,
  paragraphs: [`The backup of ${host} failed at ${at}. The server tries again on its own; earlier backups are intact.`],
  link: { label: "Show the backups", url },
  notes: ["You receive this message because you are an administrator, at most once a day."],
});

interface TestValues {
  readonly host: string;
  readonly address: string;
}

export const testText = ({ host, address }: TestValues): EmailText => ({
  subject: `Test message of ${host}`,
  paragraphs: [
    `This message shows that ${host} can send email. It was sent to ${address} on an administrator's request.`,
  ],
  notes: [],
});
