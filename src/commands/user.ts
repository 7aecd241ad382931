import { AppError, invalid } from "../errors.ts";
import { readConfig, SETTINGS } from "../config.ts";
import { serverAddress } from "../lib/network/server-address.ts";
import { isoTime } from "../lib/time/clock.ts";
import { issueSignInLink, signInLinkPath } from "../services/accounts/sign-in-links.ts";
import { issueReset, resetPath } from "../services/accounts/password-resets.ts";
import { removeFactors } from "../services/second-factor/factors.ts";
import { addUser, revokeUserAccess } from "../services/accounts/users.ts";
import { inviteByCommand } from "../services/invitations/invitations.ts";
import { invitationPath } from "../services/invitations/tokens.ts";
import type { Command, CommandInput, CommandOption } from "./command.ts";
import { printResult, withContext, withNewContext } from "./with-context.ts";

export const EMAIL_OPTION: CommandOption = {
  name: "email",
  takes: "E",
  about: "Email address of the user.",
  required: true,
};

export const userAdd: Command = {
  name: "user add",
  about: "Adds a user with a personal site.",
  options: [
    EMAIL_OPTION,
    { name: "name", takes: "N", about: "Display name of the user.", required: true },
    { name: "admin", about: "Make the user an administrator of the installation." },
    { name: "password-stdin", about: "Read the sign-in password from the first line of stdin." },
  ],
  async run(input) {
    const { email = "", name = "" } = input.options;
    const isAdmin = input.switches.has("admin");
    const password = input.switches.has("password-stdin") ? await readPassword(input) : undefined;
    const user = await withNewContext(input, (ctx) =>
      addUser(ctx, { email, name, isAdmin, ...(password !== undefined && { password }) }),
    );
    printResult(input, { id: user.id, email: user.displayEmail, name: user.name, isAdmin: user.isAdmin }, [
      `Added user ${user.displayEmail}`,
      ...(password === undefined
        ? [`No password yet: quern user reset --email ${user.displayEmail} prints a link for setting one`]
        : []),
    ]);
    return 0;
  },
};

export const userList: Command = {
  name: "user list",
  about: "Lists the users.",
  options: [],
  async run(input) {
    const users = await withContext(input, (ctx) => ctx.home.users.list(), { isReadOnly: true });
    printResult(
      input,
      users.map(({ id, displayEmail, name, isAdmin, disabledAt, createdAt }) => ({
        id,
        email: displayEmail,
        name,
        isAdmin,
        createdAt: isoTime(createdAt),
        disabledAt: disabledAt === null ? null : isoTime(disabledAt),
      })),
      users.map(({ displayEmail, name, isAdmin, disabledAt }) =>
        [displayEmail, name, isAdmin ? "administrator" : "", disabledAt === null ? "" : "disabled"]
          .join("\t")
          .trimEnd(),
      ),
    );
    return 0;
  },
};

/** Validated as the server does, since the link leads to the server. */
const PUBLIC_URL_OPTION: CommandOption = {
  name: SETTINGS.publicUrl.flag,
  takes: SETTINGS.publicUrl.placeholder,
  about: "Public URL of the server. Default QUERN_PUBLIC_URL, else the address that the server listens on.",
};

export const userInvite: Command = {
  name: "user invite",
  about:
    "Adds a user, or renews the invitation of one who has not signed in, and prints the link for making the account. It works once, within seven days, and invalidates earlier links.",
  options: [EMAIL_OPTION, PUBLIC_URL_OPTION],
  async run(input) {
    const { email = "" } = input.options;
    const invited = await withContext(input, (ctx) => inviteByCommand(ctx, email));
    const link = `${baseUrlOf(input)}${invitationPath(invited.token)}`;
    printResult(input, { email: invited.email, link, expiresAt: isoTime(invited.expiresAt) }, [link]);
    return 0;
  },
};

export const userReset: Command = {
  name: "user reset",
  about: "Prints a password reset link. It works once, within a day, and invalidates earlier links.",
  options: [EMAIL_OPTION, PUBLIC_URL_OPTION],
  async run(input) {
    const { email = "" } = input.options;
    const base = baseUrlOf(input);
    const reset = await withContext(input, (ctx) => {
      const user = ctx.home.users.byEmail(email);
      if (!user) throw new AppError("notFound", `user not found: ${email}`);
      return issueReset(ctx, user);
    });
    const link = `${base}${resetPath(reset.token)}`;
    printResult(input, { email: reset.email, link, expiresAt: isoTime(reset.expiresAt) }, [link]);
    return 0;
  },
};

export const userSignInLink: Command = {
  name: "user sign-in-link",
  about:
    "Prints a link that signs the user in. It works once, within 15 minutes, without a password, a provider or a second factor, and invalidates earlier links.",
  options: [EMAIL_OPTION, PUBLIC_URL_OPTION],
  async run(input) {
    const { email = "" } = input.options;
    const issued = await withContext(input, (ctx) => issueSignInLink(ctx, email));
    const link = `${baseUrlOf(input)}${signInLinkPath(issued.token)}`;
    printResult(input, { email: issued.email, link, expiresAt: isoTime(issued.expiresAt) }, [link]);
    return 0;
  },
};

export const userResetSecondFactor: Command = {
  name: "user reset-second-factor",
  about: "Removes the authenticator app, the recovery codes and the passkeys of a user, who has lost them.",
  options: [EMAIL_OPTION],
  async run(input) {
    const { email = "" } = input.options;
    const user = await withContext(input, (ctx) => {
      const found = ctx.home.users.byEmail(email);
      if (!found || found.kind !== "person") throw new AppError("notFound", `user not found: ${email}`);
      removeFactors(ctx, found);
      return found;
    });
    printResult(input, { id: user.id, email: user.displayEmail }, [`Reset the second factor of ${user.displayEmail}`]);
    return 0;
  },
};

/** Returns the address of the server for links. */
function baseUrlOf({ options, context }: CommandInput): string {
  const flags = { [PUBLIC_URL_OPTION.name]: options[PUBLIC_URL_OPTION.name] };
  const { publicUrl, host, port, tlsCert } = readConfig(flags, context.env);
  return publicUrl ?? serverAddress({ isTls: tlsCert !== null, host, port });
}

export const userDisable: Command = {
  name: "user disable",
  about: "Disables a user: keys are refused and sessions end immediately. Documents and roles stay.",
  options: [EMAIL_OPTION],
  async run(input) {
    const { email = "" } = input.options;
    const user = await withContext(input, (ctx) => {
      const found = ctx.home.users.byEmail(email);
      if (!found || found.kind === "pseudo") throw new AppError("notFound", `user not found: ${email}`);
      revokeUserAccess(ctx, found);
      return found;
    });
    printResult(input, { id: user.id, email: user.displayEmail }, [`Disabled user ${user.displayEmail}`]);
    return 0;
  },
};

async function readPassword({ context }: CommandInput): Promise<string> {
  const password = (await context.stdin()).split(/\r?\n/)[0] ?? "";
  if (password === "") throw invalid("no password on stdin");
  return password;
}
