import type { HomeDatabase } from "../database.ts";

/** Groups whose members a provider sets by its groups claim. */
export interface ManagedGroups {
  /** Returns the ids of the provider's groups with one of these names or external ids; others are ignored. */
  find(provider: string, names: readonly string[]): number[];
  /** Makes a user a member of exactly these among the provider's groups. Other groups keep their members. */
  setMemberships(provider: string, userId: number, groupIds: readonly number[]): void;
}

export function createManagedGroups({ raw }: HomeDatabase): ManagedGroups {
  return {
    find(provider, names) {
      const known = new Set(names);
      return raw
        .all<{ id: number; name: string; externalId: string | null }>(
          "select id, name, external_id as externalId from groups where managed_by = ? order by id",
          provider,
        )
        .filter(({ name, externalId }) => known.has(name) || (externalId !== null && known.has(externalId)))
        .map(({ id }) => id);
    },
    setMemberships(provider, userId, groupIds) {
      const list = JSON.stringify(groupIds);
      raw.run(
        `delete from group_members where user_id = ? and group_id in (select id from groups where managed_by = ?)
          and group_id not in (select value from json_each(?))`,
        userId,
        provider,
        list,
      );
      raw.run(
        `insert or ignore into group_members (group_id, user_id)
          select id, ? from groups where managed_by = ? and id in (select value from json_each(?))`,
        userId,
        provider,
        list,
      );
    },
  };
}
