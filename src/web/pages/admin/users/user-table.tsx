import type { FC } from "hono/jsx";
import { isoTime } from "../../../../lib/time/clock.ts";
import type { AdministeredUser } from "../../../../services/administration/users.ts";
import type { PendingInvitation } from "../../../../services/invitations/invitations.ts";
import type { UserSort } from "../../../../wire/accounts/users.ts";
import { Badge, Icon, Name, TimeElement } from "../../../base/components.tsx";
import { type PageTexts, useTexts } from "../../../base/page-texts.tsx";
import { RowActions } from "../../../base/row-actions.tsx";
import type { LabelKey } from "../../../texts/texts.ts";
import { ActionsHeader, AdminTable, ColumnHeader } from "../admin-table.tsx";
import { InvitationFacts } from "./invitations.tsx";
import { listAddress, type UserListState, USERS_PATH } from "./list-state.ts";
import { UserActions, type UserActionsProps } from "./user-actions.tsx";

type UserTableProps = Pick<UserActionsProps, "acceptsPasswords" | "canSend"> & {
  readonly users: readonly AdministeredUser[];
  readonly state: UserListState;
  /** The id of the signed-in user. */
  readonly selfId: number;
  /** Of users who have not signed in yet, by their ids. */
  readonly invitations: ReadonlyMap<number, PendingInvitation>;
};

export const UserTable: FC<UserTableProps> = ({ users, state, selfId, invitations, ...props }) => {
  const t = useTexts();
  return (
    <AdminTable
      label={t("admin.tab.users")}
      headers={
        <>
          <SortHeader label="admin.users.name" sort="name" state={state} />
          <SortHeader label="admin.users.role" sort="role" state={state} isShort />
          <ColumnHeader label={t("admin.users.method")} kind="short" />
          <ColumnHeader label={t("admin.users.factor")} kind="short" />
          <SortHeader label="admin.users.active" sort="active" state={state} isShort />
          <ActionsHeader />
        </>
      }
    >
      {users.map((user) => (
        <UserRow
          {...props}
          user={user}
          isSelf={user.id === selfId}
          invitation={invitations.get(user.id)}
          back={listAddress(state)}
        />
      ))}
    </AdminTable>
  );
};

interface SortHeaderProps {
  readonly label: LabelKey;
  readonly sort: Exclude<UserSort, `-${string}`>;
  readonly state: UserListState;
  readonly isShort?: boolean;
}

/** A header that sorts by its column, and in the other direction the next time. */
const SortHeader: FC<SortHeaderProps> = ({ label, sort, state, isShort = false }) => {
  const t = useTexts();
  const current = state.sort === sort ? "ascending" : state.sort === `-${sort}` ? "descending" : null;
  // The last to be active are of interest first.
  const first: UserSort = sort === "active" ? "-active" : sort;
  const next: UserSort = current === null ? first : current === "ascending" ? `-${sort}` : sort;
  return (
    <th
      role="columnheader"
      scope="col"
      {...(isShort && { class: "short" })}
      {...(current !== null && { "aria-sort": current })}
    >
      <a class="sort" href={listAddress({ ...state, sort: next, page: 1 })}>
        {t(label)}
        {current !== null && <Icon name={current === "ascending" ? "arrow-up" : "arrow-down"} />}
      </a>
    </th>
  );
};

const UserRow: FC<UserActionsProps> = (props) => {
  const t = useTexts();
  const { user, isSelf, invitation } = props;
  const { id, name, email, isPending, isDisabled, lastActiveAt } = user;
  return (
    <tr role="row">
      <th role="rowheader" scope="row">
        <a class="name" translate="no" href={`${USERS_PATH}/${id}`}>
          <bdi>{name || email}</bdi>
        </a>
        {isSelf && <Badge text={t("admin.users.you")} />}
        {isPending && <Badge text={t("admin.users.invited")} />}
        {isDisabled && <Badge text={t("admin.users.isDisabled")} kind="danger" />}
        {name !== "" && (
          <small>
            <Name text={email} />
          </small>
        )}
        {invitation && <InvitationFacts invitation={invitation} />}
      </th>
      <td role="cell" class="short">
        {roleText(t, user)}
      </td>
      <td role="cell" class="short late">
        {methodsOf(t, user)}
      </td>
      <td role="cell" class="short late">
        {factorText(t, user)}
      </td>
      <td role="cell" class="short">
        {lastActiveAt === null ? (
          t(isPending ? "admin.users.never" : "admin.users.unknown")
        ) : (
          <TimeElement at={isoTime(lastActiveAt)} />
        )}
      </td>
      <td role="cell" class="actions">
        <RowActions label={t("base.documents.actionsFor", { name: email })}>
          <a href={`${USERS_PATH}/${id}`}>{t("admin.users.details")}</a>
          <UserActions {...props} />
        </RowActions>
      </td>
    </tr>
  );
};

/** Returns the role of a user in the installation. */
export const roleText = (t: PageTexts, { isService, isAdmin }: AdministeredUser): string =>
  t(isService ? "admin.users.service" : isAdmin ? "admin.users.administrator" : "admin.users.user");

/** Names the ways in which a user signs in; names of providers are data. */
export function methodsOf(t: PageTexts, { hasPassword, passkeys, providers, isService, keys }: AdministeredUser) {
  const methods = [
    hasPassword && t("admin.users.password"),
    passkeys > 0 && t("admin.users.passkey"),
    ...providers.map((provider) => <Name text={provider} />),
    isService && keys > 0 && t("admin.users.key"),
  ].filter((each) => each !== false);
  if (methods.length === 0) return "–";
  return methods.map((method, index) => (
    <>
      {index > 0 && ", "}
      {method}
    </>
  ));
}

/** Returns the second factor of a user. Accounts that only sign in at a provider have theirs there. */
export function factorText(
  t: PageTexts,
  { hasAuthenticator, passkeys, isService, isPending }: AdministeredUser,
): string {
  if (hasAuthenticator) return t("admin.users.authenticator");
  if (passkeys > 0) return t("admin.users.passkey");
  return t(isService || isPending ? "admin.users.noAccount" : "admin.users.noFactor");
}
