import { settingList } from "../../src/config.ts";
import { providerSettingList } from "../../src/config/oidc-settings.ts";

/** Subjects of settings, each with the variables that belong to it; the first match counts. */
const SUBJECTS: readonly (readonly [title: string, variables: RegExp])[] = [
  ["Address and data", /^QUERN_(DATA|HOST|PORT|BASE_DOMAIN|SINGLE_ORG|PUBLIC_URL|DOC_IDS)$/],
  ["TLS", /^QUERN_TLS_/],
  [
    "Signing in and proxies",
    /^QUERN_(PASSWORDS|REQUIRE_SECOND_FACTOR|FORWARD_AUTH_HEADER|TRUSTED_PROXIES|CORS_ORIGINS)$/,
  ],
  ["Provisioning", /^QUERN_SCIM/],
  ["Uploads and attachments", /^QUERN_(MAX_UPLOAD|MAX_ATTACHMENTS?|ATTACHMENTS_\w+|S3_\w+)$/],
  ["Requests", /^QUERN_(MAX_BODY|MAX_PARALLEL|MAX_REQUESTS|RATE_\w+|DEADLINE_S|CLIENT_\w+|MAX_(DOCUMENT_)?STREAMS)$/],
  ["Formulas and jobs", /^QUERN_(FORMULA_\w+|JOB_\w+)$/],
  ["SQL", /^QUERN_SQL_/],
  ["Webhooks", /^QUERN_WEBHOOK_/],
  ["Backups and snapshots", /^QUERN_(BACKUP|SNAPSHOTS)_/],
  ["Monitoring and logs", /^QUERN_(METRICS|LOG_\w+|SLOW_\w+|AUDIT_\w+)$/],
  ["Documents and memory", /^QUERN_/],
];

const INTRODUCTION = `# Settings

Each setting of \`quern serve\` is an environment variable and a flag. The flag takes precedence:

\`\`\`sh
QUERN_DATA=second QUERN_PORT=7000 quern serve --port 9000 >second.log 2>&1 &
until quern status --url http://127.0.0.1:9000 >status.txt 2>&1; do sleep 0.1; done
cat status.txt
kill $!
\`\`\`

\`\`\`text
ok
\`\`\`

As a service, the server reads its settings from a file with a line for each:

\`\`\`env
QUERN_DATA=/var/lib/quern
QUERN_PUBLIC_URL=https://quern.example.org
QUERN_MAX_UPLOAD=500MB
\`\`\`

With an invalid value, the server does not start and names the setting:

\`\`\`sh exit="2"
quern serve --max-body lots
\`\`\`

\`\`\`text
quern serve: --max-body must be a size like 500KB, 16MB or 1GB, not "lots"
\`\`\`

Sizes are written like \`500KB\`, \`16MB\`, \`1GB\`. An unknown variable \`QUERN_…\` is reported in the log. Administrators see the settings in
force on the page *Administration*, without secrets.
`;

/** Variables with the name of a provider, and without flags. */
const PROVIDERS: readonly string[] = [
  "## OpenID Connect providers",
  "",
  "Each provider has a name of its own in its variables: `QUERN_OIDC_KEYCLOAK_ISSUER` is the issuer of the provider `KEYCLOAK`. Names consist of",
  "capitals, digits and underscores. There are no flags. [Single sign-on](single-sign-on.md) has recipes.",
  "",
  "| variable | value | default | meaning |",
  "|---|---|---|---|",
  ...providerSettingList().map(
    ({ env, takes, fallback, about }) => `| \`${env}\` | ${takes} | ${fallback} | ${about} |`,
  ),
  "",
];

/** Returns the documentation page of all settings. */
export function settingsPage(): string {
  const bySubject = Map.groupBy(settingList(), ({ env }) => SUBJECTS.findIndex(([, variables]) => variables.test(env)));
  return [
    INTRODUCTION,
    ...SUBJECTS.flatMap(([title], i) => {
      const settings = bySubject.get(i) ?? [];
      if (settings.length === 0) return [];
      const rows = settings.map(
        ({ env, flag, takes, fallback, about }) => `| \`${env}\` | \`--${flag} ${takes}\` | ${fallback} | ${about} |`,
      );
      return [`## ${title}`, "", "| variable | flag | default | meaning |", "|---|---|---|---|", ...rows, ""];
    }),
    ...PROVIDERS,
    "Next: [Running Quern](operations.md), [Command line](command-line.md).",
    "",
  ].join("\n");
}
