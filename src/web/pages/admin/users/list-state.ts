/** What the list of users shows, as it is in the address: search, selection, order and page. */
import type { UserListOptions } from "../../../../services/administration/users.ts";
import { UserSelection, UserSort } from "../../../../wire/accounts/users.ts";

export const USERS_PATH = "/admin/users";
export const USERS_PER_PAGE = 50;

export interface UserListState {
  readonly search: string;
  readonly show: UserSelection;
  readonly sort: UserSort;
  /** From 1. */
  readonly page: number;
}

const DEFAULTS: UserListState = { search: "", show: "all", sort: "added", page: 1 };

/** Reads the parameters of an address; what is missing or unknown is the default. */
export function readListState(search: string): UserListState {
  const params = new URLSearchParams(search);
  const page = params.get("page") ?? "";
  return {
    search: (params.get("q") ?? "").slice(0, 200),
    show: UserSelection.safeParse(params.get("show")).data ?? DEFAULTS.show,
    sort: UserSort.safeParse(params.get("sort")).data ?? DEFAULTS.sort,
    page: /^[1-9]\d{0,5}$/.test(page) ? Number(page) : DEFAULTS.page,
  };
}

/** Returns the parameters without defaults. */
export function listParams({ search, show, sort, page }: UserListState): URLSearchParams {
  return new URLSearchParams({
    ...(search !== "" && { q: search }),
    ...(show !== DEFAULTS.show && { show }),
    ...(sort !== DEFAULTS.sort && { sort }),
    ...(page !== DEFAULTS.page && { page: String(page) }),
  });
}

/** Returns the address of a list. */
export function listAddress(state: UserListState): string {
  const params = listParams(state).toString();
  return params === "" ? USERS_PATH : `${USERS_PATH}?${params}`;
}

export const listOptions = ({ search, show, sort, page }: UserListState): UserListOptions => ({
  search,
  show,
  sort,
  offset: (page - 1) * USERS_PER_PAGE,
  limit: USERS_PER_PAGE,
});
